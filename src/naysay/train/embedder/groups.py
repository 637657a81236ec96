"""The groups of four sentences that are trained on, and those that choose the step.

By default they are made of pairs of opposites and frames that come with naysay; a user's frames or
paraphrase pairs take their place. A tenth of the words is kept apart, in frames of its own where
there are such, as a development part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from naysay.core.errors import DatasetError
from naysay.core.files import read_toml
from naysay.core.keys import draw, draw_share, seeded_order
from naysay.data.frames import article, frame_groups
from naysay.data.items import Group, distinct
from naysay.train.embedder.guard import TestContent, family, opposed_words

_FOLDER = Path(__file__).parent
_SLOT = re.compile(r"\[([^]]*)\]")
_LONG = re.compile(r"\b[a-z]{5,12}\b")
_DENIALS = 4000
_ARTICLE = re.compile(r"\{a\}(\s+)([\w-]+)")
_NEGATORS = ("no longer", "hardly", "without", "never", "by no means", "anything but", "far from",
             "in no way")  # fmt: skip
CORE, TRAINING, DEVELOPMENT = "core", "training", "development"
CLUSTERS = "clusters"
_PER_PAIR = {CORE: 24, CLUSTERS: 3}
_PER_OTHER = 8
"""Groups of a pair in training: most of the familiar ones, few of those that synonyms make."""
_FAMILIAR = "adjective"  # the class of the core
_DEVELOPED = 2  # groups of a pair in the development part
_APART = 0.1  # of the words, for the development part
_FEWEST = 8  # groups of either part
_ALONE, _WIDENED, _WIDEST = 0.12, 0.4, 0.9
"""The core is alone at first; from the second point on the others have the third share."""


def negator_of(text: str) -> str:
    """Return the negator of a negated text; all others are some form of "not".

    >>> negator_of("was by no means"), negator_of("doesn't look")
    ('by no means', 'not')
    """
    return next((negator for negator in _NEGATORS if negator in text), "not")


@dataclass(frozen=True)
class Parts:
    """The groups to train on, and the development part."""

    core: list[Group]
    """Familiar opposites with plain negations, to begin with."""
    wide: list[Group]
    development: list[Group]

    @property
    def training(self) -> list[Group]:
        """All groups to train on."""
        return [*self.core, *self.wide]


def framed_pairs(seed: int) -> list[Group]:
    """Make groups of naysay's own pairs and frames; `source` names the part of each."""
    frames = _table("frames.toml")
    tables = {**_table("pairs.toml"), CLUSTERS: _table("clusters.toml")}
    groups: list[Group] = []
    for name, table in tables.items():
        word_class = name if name in frames else _FAMILIAR
        for one, other, crossed in _pairs(table):
            pair = f"{one}/{other}"
            part = CORE if name == CORE else TRAINING
            # Core and sides have words in common with other pairs, and are divided with them.
            if name in frames and not crossed and _is_apart([one, other]):
                part = DEVELOPMENT
            written = frames[word_class][DEVELOPMENT if part == DEVELOPMENT else TRAINING]
            most = _DEVELOPED if part == DEVELOPMENT else _PER_PAIR.get(name, _PER_OTHER)
            for frame in seeded_order(written, seed, name, pair)[:most]:
                groups.append(_filled(frame, one, other, word_class, part, seed))
    return groups


def _pairs(table: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """Return the pairs of a table as they are written, then each word with those of the other side.

    >>> _pairs({"pairs": "wet/dry", "sides": "huge large / tiny"})
    [('wet', 'dry', False), ('huge', 'tiny', True), ('large', 'tiny', True)]
    """
    found: dict[tuple[str, str], bool] = {}
    for pair in table.get("pairs", "").split():
        one, _, other = pair.partition("/")
        found[one, other] = False
    for line in table.get("sides", "").splitlines():
        left, _, right = line.partition("/")
        for one, other in product(left.split(), right.split()):
            found.setdefault((one, other), True)
    return [(one, other, crossed) for (one, other), crossed in found.items()]


@cache
def _table(name: str) -> Mapping[str, Any]:
    return read_toml(_FOLDER / name)


def _filled(frame: str, one: str, other: str, word_class: str, part: str, seed: int) -> Group:
    """Return a group of a frame; which negated form it takes depends on the seed and the words."""
    slot = _SLOT.search(frame)
    if slot is None:
        raise DatasetError(f"frame {frame!r} has no brackets with a plain and a negated form")
    plain, *negated = slot[1].split("|")
    if part == CORE:
        negated = [form for form in negated if negator_of(form) == "not"]
    chosen = negated[draw(seed, "negator", frame, one, other) % len(negated)]
    plain_a, negated_a, plain_b, negated_b = [
        _sentence(frame[: slot.start()] + form + frame[slot.end() :], word)
        for word in (one, other)
        for form in (plain, chosen)
    ]
    return Group(
        plain_a, negated_a, plain_b, negated_b,
        word=one.partition(":")[0], antonym=other.partition(":")[0],
        word_class=word_class, negator=negator_of(chosen), source=part,
    )  # fmt: skip


def _sentence(text: str, word: str) -> str:
    base, _, past = word.partition(":")
    text = text.replace("{word}", base).replace("{base}", base).replace("{past}", past)
    text = _ARTICLE.sub(lambda m: f"{article(m[2])}{m[1]}{m[2]}", text)
    return " ".join(text.split())


def given_groups(frames: Path | None, pairs: Path | None) -> list[Group]:
    """Return the groups of a user's frames, or those that a file of paraphrase pairs yields."""
    if frames is not None:
        return distinct(frame_groups(frames))
    from naysay.build.assembly import AssemblyChoice, build_pairs
    from naysay.core.extras import need

    need("build", "--pairs")
    assert pairs is not None
    built = build_pairs(pairs, AssemblyChoice())
    return [group for group, stays in zip(built.groups, built.stays, strict=True) if stays]


def _families(group: Group) -> list[str]:
    words = [*opposed_words(group.word), *opposed_words(group.antonym)]
    return sorted({family(word) for word in words})


def _is_apart(words: Sequence[str]) -> bool:
    """Return whether a pair belongs to the development part, whatever the seed is."""
    return draw_share("development", *sorted(family(w.partition(":")[0]) for w in words)) < _APART


def parted(groups: Sequence[Group]) -> Parts:
    """Divide groups into training and development, so that no word is in both.

    A pair that shares a word with one of the development part goes nowhere.
    """
    marked = {g.source for g in groups} <= {CORE, TRAINING, DEVELOPMENT}
    apart = [g for g in groups if (g.source == DEVELOPMENT if marked else _is_apart(_families(g)))]
    held = {name for group in apart for name in _families(group)}
    kept = {group.content for group in apart}
    training = [g for g in groups if g.content not in kept and not held & set(_families(g))]
    if min(len(training), len(apart)) < _FEWEST:
        raise DatasetError(
            f"there are {len(training):,} groups to train on and {len(apart):,} to choose the step "
            f"by, after those that share words or frames with a test were left out; each must have "
            f"{_FEWEST} or more. Give more pairs of opposites."
        )
    core = [group for group in training if group.source == CORE]
    return Parts(core, [group for group in training if group.source != CORE], apart)


Denial = tuple[str, str]
"""A sentence and its negation."""


def denials(general: Sequence[str], content: TestContent, seed: int) -> list[Denial]:
    """Make sentences of any words, with and without a negation.

    Most words have no opposite, so what a negation does to them is not in any group. The words are
    those of general sentences, but for the families of a test's.
    """
    words = sorted({word for text in general for word in _LONG.findall(text)})
    free = [word for word in words if family(word) not in content.families]
    frames = _table("frames.toml")[_FAMILIAR][TRAINING]
    found: list[Denial] = []
    for word in seeded_order(free, seed, "denials")[:_DENIALS]:
        frame = frames[draw(seed, "denied in", word) % len(frames)]
        made = _filled(frame, word, word, _FAMILIAR, TRAINING, seed)
        found.append((made.plain_a, made.negated_a))
    return found


class Lessons(list[list[str]]):
    """The sentences of groups in the order in which they are trained on."""

    in_order = True


def lessons(parts: Parts, count: int, seed: int) -> Lessons:
    """Return so many groups: the core first, and then more and more of the others."""
    rng = np.random.default_rng([seed, count])
    turns = {name: _turns(part, rng) for name, part in ((CORE, parts.core), (TRAINING, parts.wide))}
    chosen = Lessons()
    for place, drawn in enumerate(rng.random(count)):
        wide = not parts.core or (parts.wide and drawn < _wide_share(place / count))
        chosen.append(list(next(turns[TRAINING if wide else CORE]).sentences))
    return chosen


def _wide_share(progress: float) -> float:
    """Return which share of groups is not of the core, at this point of a training."""
    return min(max((progress - _ALONE) / (_WIDENED - _ALONE), 0.0), 1.0) * _WIDEST


def _turns(groups: Sequence[Group], rng: np.random.Generator) -> Iterator[Group]:
    """Yield groups for ever, in a new order each time."""
    while groups:
        for place in rng.permutation(len(groups)):
            yield groups[int(place)]
