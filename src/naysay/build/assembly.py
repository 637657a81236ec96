"""Assembling a set from pairs, frames or a review file, with counts of every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from naysay.build.pairs import Dropped
from naysay.build.sentences import STEPS
from naysay.build.shapes import DOUBTS
from naysay.core.keys import draw
from naysay.data.frames import article
from naysay.data.items import AntonymItem, Group, distinct, items_of


def balanced(groups: Sequence[Group], per_word: int | None, seed: int) -> list[bool]:
    """Return for each group whether it is kept.

    Groups are taken in an order that depends on the seed and their sentences, so the order of the
    input does not matter. A group is kept while both its words are below the limit.
    """
    if per_word is None:
        return [True] * len(groups)
    order = sorted(
        range(len(groups)),
        key=lambda place: (draw(seed, *groups[place].content), groups[place].content),
    )
    used: Counter[tuple[str, str]] = Counter()
    stays = [False] * len(groups)
    for place in order:
        group = groups[place]
        words = [(group.word_class, group.word), (group.word_class, group.antonym)]
        if all(used[word] < per_word for word in words):
            used.update(words)
            stays[place] = True
    return stays


Line = tuple[int, str, int]
"""Depth, label and count."""


@dataclass(frozen=True)
class AssemblyChoice:
    """Which groups to keep; None means no restriction."""

    classes: Sequence[str] | None = None
    negators: Sequence[str] | None = None
    per_word: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Built:
    """The distinct groups, which of them are kept, the counts, and the pairs without a group."""

    groups: list[Group]
    stays: list[bool]
    counts: list[Line]
    columns: str = ""
    """Which columns of a file of pairs were read, in words."""
    dropped: Sequence[Dropped] = ()

    @property
    def items(self) -> list[AntonymItem]:
        """The items of the kept groups."""
        return _items(self.groups, self.stays)

    @property
    def summary(self) -> str:
        """The counts, one per line."""
        width = max(len("  " * depth + label) for depth, label, _ in self.counts)
        return "\n".join(
            f"{'  ' * depth + label:<{width}}  {count:>7,}" for depth, label, count in self.counts
        )


def _items(groups: Sequence[Group], stays: Sequence[bool]) -> list[AntonymItem]:
    return items_of([group for group, stay in zip(groups, stays, strict=True) if stay])


def assemble(groups: Iterable[Group], before: Sequence[Line], choice: AssemblyChoice) -> Built:
    """Assemble a set from these groups; `before` are the counts of earlier steps.

    Groups with a doubt are not in the set, only in the review file.
    """
    made = list(groups)
    asked = [
        group
        for group in made
        if (choice.classes is None or group.word_class in choice.classes)
        and (choice.negators is None or group.negator in choice.negators)
    ]
    # Of the same group made from two pairs, one of which confirms it, that one counts.
    certain = {group.content: group for group in reversed(asked) if not group.doubts}
    kept = [certain.get(group.content, group) for group in distinct(asked)]
    stays = _stays(kept, choice)
    doubtful = sum(bool(group.doubts) for group in kept)
    doubted = Counter(doubt for group in kept for doubt in group.doubts)
    counts = [
        *before,
        (0, "groups", len(made)),
        (1, "not asked for", len(made) - len(asked)),
        (1, "duplicates removed", len(asked) - len(kept)),
        (1, "doubtful, only in the review file (one may have several doubts)", doubtful),
        *((2, doubt, doubted[doubt]) for doubt in DOUBTS),
        (1, "left out by balance", len(kept) - doubtful - sum(stays)),
        (0, "groups in the set", sum(stays)),
        (0, "items written", len(_items(kept, stays))),
    ]
    return Built(kept, stays, [line for line in counts if line[2] or not line[0]])


def _stays(groups: Sequence[Group], choice: AssemblyChoice) -> list[bool]:
    """Return for each group whether it is in the set: without doubt, and within the balance."""
    certain = [group for group in groups if not group.doubts]
    balance = iter(balanced(certain, choice.per_word, choice.seed))
    return [not group.doubts and next(balance) for group in groups]


def build_pairs(path: Path, choice: AssemblyChoice, senses: str = "first") -> Built:
    """Build a set from paraphrase pairs; by default with "not" and adjectives only."""
    from naysay.build.pairs import read_pairs
    from naysay.build.paraphrases import Wanted, from_pairs

    wanted = Wanted(choice.classes or ("adjective",), choice.negators or ("not",), senses)
    file = read_pairs(path)
    found = from_pairs(file.pairs, wanted)
    classes = " or ".join(wanted.classes)
    named = f"{article(classes)} {classes}"
    left = found.read
    counts: list[Line] = [(0, "pairs read", left)]
    for step, reasons in STEPS.items():
        for reason in reasons:
            if count := found.left_out[reason]:
                counts.append((1, reason.replace("a word of the class", named), count))
                left -= count
        counts.append((0, f"pairs {step.replace('a word of the class', named)}", left))
    built = assemble(found.groups, counts, AssemblyChoice(None, None, choice.per_word, choice.seed))
    dropped = [
        replace(left_out, reason=left_out.reason.replace("a word of the class", named))
        for left_out in found.dropped
    ]
    return replace(built, columns=file.columns, dropped=dropped)


def build_frames(path: Path, choice: AssemblyChoice) -> Built:
    """Build a set from frames; by default with all classes and negators."""
    from naysay.data.frames import frame_groups

    return assemble(frame_groups(path), [], choice)


def build_review(path: Path, choice: AssemblyChoice) -> Built:
    """Build a set from an edited review file."""
    from naysay.build.review import read_review

    reviewed = read_review(path)
    # What a person keeps is no longer in doubt.
    kept = [replace(group, doubts=()) for group in reviewed.kept]
    counts = [(0, "rows read", reviewed.read), (1, "not kept", reviewed.read - len(reviewed.kept))]
    return assemble(kept, counts, choice)
