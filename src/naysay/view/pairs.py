"""One item as its minimal pair: the difference is marked, and each word has both probabilities."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from naysay.core.errors import NaysayError, RunError
from naysay.core.examples import PROBABILITY, Example, ExampleSide
from naysay.core.protocols import Model, Table
from naysay.core.records import NOT_MEASURED, Finding, Fit
from naysay.reports.examples import bar_length, shown_score, shown_side
from naysay.reports.sections import ShownSide
from naysay.run.examples import read_examples, units_of, with_scores
from naysay.run.manifest import Manifest
from naysay.run.plan import setting_of
from naysay.run.rows import read_fit, rows_in
from naysay.run.search import scored
from naysay.suites.report import report_of
from naysay.view.database import Database
from naysay.view.folder import SeenRun
from naysay.view.rows import FoundRow, RowTable

_WORD = re.compile(r"[\w'’]+|[^\w\s]|\s+")
_MOST = 10  # words in the table of a pair
_UNIT = "unit"


@dataclass(frozen=True)
class MarkedSide:
    """A side of an item, its text in pieces that differ from the other side or do not."""

    shown: ShownSide
    pieces: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class MovedWord:
    """A word, its score on either side, and how it moved from the left to the right."""

    word: str
    left: str
    right: str
    left_share: float
    right_share: float
    change: str
    """With its sign; empty if one of the scores is not known."""
    up: bool | None
    mark: str = ""
    """`wanted` or `unwanted` on the right side, or nothing."""


@dataclass(frozen=True)
class MinimalPair:
    """An item with all its sides, two of which are held against each other."""

    row: FoundRow
    example: Example
    sides: tuple[MarkedSide, ...]
    left: MarkedSide
    right: MarkedSide | None
    moves: tuple[MovedWord, ...]
    scale: str
    askable: bool
    """Whether there is a question that the model could be asked again."""
    note: str = ""
    """Where the probabilities are from."""


class PairReader:
    """Reads single items out of the rows of runs."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Neighbours are often read after each other.
        self._shard = lru_cache(maxsize=2)(_rows)
        self._about = lru_cache(maxsize=4)(_About.of)

    def read(
        self,
        run: SeenRun,
        suite: str,
        file: str,
        place: int,
        chosen: Sequence[str] = (),
        model: Model | None = None,
    ) -> MinimalPair:
        """Return the item of a row; `chosen` are the labels of the two sides to compare.

        Its probabilities are those that the run kept, or new ones if a model is given.
        """
        table = self._database.table(run, suite)
        row = table.row(file, place)
        example, scale, note = self._example(table, row, chosen, model)
        spec = table.manifest.run_spec
        meanings = report_of(suite).meanings(lambda option: spec.value(option, suite))
        about = Finding(suite, (), {}, NOT_MEASURED, "", meanings=meanings)
        shown = [
            replace(shown_side(side.as_dict(), scale, about), good=side.right)
            for side in example.sides
        ]
        left, right = _two(example.sides, chosen, row)
        marked = [
            MarkedSide(one, pieces(side.text, example.sides[_other(k, left, right)].text))
            for k, (one, side) in enumerate(zip(shown, example.sides, strict=True))
        ]
        moves: tuple[MovedWord, ...] = ()
        if right is not None:
            moves = tuple(moved(example.sides[left], example.sides[right], scale))
        return MinimalPair(
            row,
            example,
            tuple(marked),
            marked[left],
            None if right is None else marked[right],
            moves,
            scale,
            any(s.question is not None for s in (example.sides[left], example.sides[right or 0]))
            and not _is_rule(table.manifest),
            note,
        )

    def _example(
        self, table: RowTable, row: FoundRow, chosen: Sequence[str], model: Model | None
    ) -> tuple[Example, str, str]:
        manifest, suite = table.manifest, table.suite
        spec, about = manifest.run_spec, self._about(table)
        rows = units_of(self._shard(table, row.file), frozenset([str(row.values[_UNIT])]))
        lexicon = None if model is None else setting_of(spec).lexicon
        try:
            found = list(suite.examples(suite.judge(rows), spec, about.fit, lexicon))
            example = max(found, key=lambda one: _likeness(one, row))
        except NaysayError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise RunError(
                f"the rows of {row.values[_UNIT]!r} in {manifest.path(row.file)} make no item "
                f"({type(error).__name__}: {error}); {manifest.mend()}"
            ) from error
        if example.scale == PROBABILITY and _is_rule(manifest):
            return example, example.scale, "The model is a rule, which has no probabilities."
        if model is not None:
            return _asked(model, example, _two(example.sides, chosen, row))
        if example.key in about.examples:
            kept = scored(example, about.examples[example.key])
            return kept, about.scale, "From the run's examples."
        return example, example.scale, ""


def _asked(
    model: Model, example: Example, chosen: tuple[int, int | None]
) -> tuple[Example, str, str]:
    """Ask about two sides, and then each about the words of the other, so that all can move."""
    sides = [example.sides[k] for k in chosen if k is not None]
    if not any(side.question for side in sides):
        return example, example.scale, "There is nothing to ask about these sides."
    asked = replace(example, sides=tuple(replace(side, main=True) for side in sides))
    [once] = with_scores(model, [asked])
    words = dict.fromkeys(word for side in once.sides for word in (*dict(side.top), *side.scores))
    also = [tuple(word for word in words if word not in one.scores) for one in once.sides]
    more = zip(asked.sides, also, strict=True)
    [again] = with_scores(
        model, [replace(asked, sides=tuple(replace(one, also=words) for one, words in more))]
    )
    return scored(example, again.as_dict()), again.scale, "The model was asked again."


def _is_rule(manifest: Manifest) -> bool:
    return manifest.model.get("kind") == "known"


def _rows(table: RowTable, file: str) -> Table:
    return rows_in(table.manifest, file, table.suite)


@dataclass(frozen=True)
class _About:
    """What a run keeps of a suite beside its rows."""

    fit: Fit
    examples: Mapping[str, Mapping[str, Any]]
    """By item, those that were asked again with their probabilities."""
    scale: str

    @classmethod
    def of(cls, table: RowTable) -> _About:
        fit = read_fit(table.manifest, table.suite)
        kept = read_examples(table.manifest, table.suite.name)
        if kept is None:
            return cls(fit, {}, PROBABILITY)
        return cls(fit, {str(one["item"]): one for one in kept.examples}, kept.scale)


def _likeness(example: Example, row: FoundRow) -> tuple[int, int, int]:
    """How much an item has in common with a row: texts first, then labels and the title's words."""
    values = {str(value) for value in row.values.values()}
    sides = [side for side in example.sides if side.text in values]
    labels = sum(side.label in values for side in sides)
    title = sum(part in values for part in example.title.split(" · "))
    return len(sides), labels, title


def _two(
    sides: Sequence[ExampleSide], chosen: Sequence[str], row: FoundRow
) -> tuple[int, int | None]:
    """The sides to compare: those that are chosen, or the row's own and another.

    The other is one of which the opposite is expected, which is what a negation changes, or at
    least something else; among those, it is the one that is most like the row's own.
    """
    if len(sides) < 2:
        return 0, None
    labels = [side.label for side in sides]
    wanted = [labels.index(one) for one in chosen if one in labels]
    if len(wanted) > 1 and wanted[0] != wanted[1]:
        return wanted[0], wanted[1]
    values = set(map(str, row.values.values()))
    own = [k for k, side in enumerate(sides) if side.text in values]
    first = wanted[0] if wanted else own[0] if own else 0
    words = [_WORD.findall(side.text) for side in sides]

    def likeness(other: int) -> tuple[bool, bool, float, int]:
        ratio = SequenceMatcher(None, words[first], words[other], autojunk=False).ratio()
        one, two = _expected(sides[first]), _expected(sides[other])
        return one != two and one == two[::-1], one != two, ratio, -other

    second = max((k for k in range(len(sides)) if k != first), key=likeness)
    return min(first, second), max(first, second)


def _expected(side: ExampleSide) -> tuple[bool, bool]:
    """Whether a word is wanted, and whether one is unwanted."""
    return side.wanted is not None, side.unwanted is not None


def _other(side: int, left: int, right: int | None) -> int:
    """The side that a side is marked against: the left one, which is marked against the right."""
    return left if side != left or right is None else right


def pieces(text: str, other: str) -> tuple[tuple[str, bool], ...]:
    """Return a text in pieces, each with whether it differs from the other text.

    >>> pieces("She is not happy.", "She is happy.")
    (('She is ', False), ('not ', True), ('happy.', False))
    """
    own, theirs = _WORD.findall(text), _WORD.findall(other)
    matcher = SequenceMatcher(None, own, theirs, autojunk=False)
    found = []
    for kind, begin, end, _, _ in matcher.get_opcodes():
        if begin < end:
            found.append(("".join(own[begin:end]), kind != "equal"))
    return tuple(found)


def moved(left: ExampleSide, right: ExampleSide, scale: str) -> list[MovedWord]:
    """Return the first words of both sides, and those that decide, with both scores."""
    one, two = ({**side.scores, **dict(side.top)} for side in (left, right))
    words = list(dict.fromkeys([*(w for w, _ in left.top), *(w for w, _ in right.top), *one, *two]))
    scores = [*one.values(), *two.values()]
    found = []
    for word in words[:_MOST]:
        before, after = one.get(word), two.get(word)
        change, up = "", None
        if before is not None and after is not None:
            change = _change(after - before, scale)
            up = None if change == "0" else after > before
        found.append(
            MovedWord(
                word,
                "" if before is None else shown_score(before, scale),
                "" if after is None else shown_score(after, scale),
                0.0 if before is None else bar_length(before, scores, scale),
                0.0 if after is None else bar_length(after, scores, scale),
                change,
                up,
                "wanted" if word == right.wanted else "unwanted" if word == right.unwanted else "",
            )
        )
    return found


def _change(difference: float, scale: str) -> str:
    """A difference with its sign.

    >>> _change(-0.25, "probability"), _change(0.1234, "cosine"), _change(0.0, "probability")
    ('−25.0', '+0.123', '0')
    """
    text = f"{100 * difference:+.1f}" if scale == PROBABILITY else f"{difference:+.3f}"
    return "0" if not float(text) else text.replace("-", "−")
