"""What a trained embedder is tested on, and what of it must be kept out of training.

Suites that ask for the nearest sentence have upstream's items, if they were downloaded, and frames
of their own. Of the latter, half of the words is for testing only. A user's own items join them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.core.errors import DatasetError
from naysay.core.keys import content_key, draw_share
from naysay.core.probes import ChooseClosest
from naysay.data.datasets import DATASETS, find
from naysay.data.frames import frame_groups
from naysay.data.items import AntonymItem, Group, distinct, items_of, read_items
from naysay.suites import SUITES
from naysay.train.embedder.guard import TestContent, family, frame_of, opposed_words

SIMILARITY = "stsbenchmark"
_SCORES = "sts-dev.csv"
_COLUMNS = (4, 5, 6)  # the score and both sentences


@dataclass(frozen=True)
class ItemSet:
    """Items under the name that a report shows."""

    name: str
    items: Sequence[AntonymItem]


@dataclass(frozen=True)
class Similarity:
    """Pairs of sentences with the similarity that people gave them."""

    first: list[str]
    second: list[str]
    scores: list[float]


@dataclass(frozen=True)
class Trials:
    """All that is tested, and all that must not be trained on."""

    given: tuple[ItemSet, ...]
    """Items of upstream and of the user: all of them are kept out."""
    own: tuple[Group, ...]
    """Groups of the suites' own frames: one half of their words is kept out."""
    own_name: str
    similarity: Similarity | None
    missing: tuple[str, ...]
    """Data sets that were not found, so neither checked nor tested."""

    @property
    def content(self) -> TestContent:
        """What is kept out of training."""
        items = [item for one in self.given for item in one.items]
        return TestContent.of([*items, *items_of([g for g in self.own if is_for_testing(g)])])

    @property
    def digest(self) -> str:
        """A hash of what is kept out."""
        content = self.content
        return content_key([sorted(content.words), sorted(content.frames)])


def is_for_testing(group: Group) -> bool:
    """Return whether the words of a suite's own group are for testing only."""
    return draw_share("half", *_families(group)) < 0.5


def _families(group: Group) -> list[str]:
    words = [*opposed_words(group.word), *opposed_words(group.antonym)]
    return sorted({family(word) for word in words})


def find_trials(items: Path | None, data_dir: Path | None) -> Trials:
    """Collect the tests that are on this machine."""
    given: list[ItemSet] = []
    missing: list[str] = []
    own: list[Group] = []
    names: list[str] = []
    for suite in SUITES.all():
        if suite.frames is None or suite.needs != frozenset({ChooseClosest}):
            continue
        own += distinct(frame_groups(suite.frames))
        upstream, made = suite.item_sets
        names.append(made)
        found = find(upstream, data_dir)
        if found is None:
            missing.append(upstream)
            continue
        dataset = DATASETS.get(upstream)
        title = dataset.title.partition(":")[0]
        given.append(ItemSet(title, read_items(found / dataset.files[0].path)))
    if items is not None:
        given.append(ItemSet(items.name, read_items(items)))
    similarity = _similarity(data_dir)
    if similarity is None:
        missing.append(SIMILARITY)
    return Trials(tuple(given), tuple(own), ", ".join(names), similarity, tuple(missing))


def _similarity(data_dir: Path | None) -> Similarity | None:
    folder = find(SIMILARITY, data_dir)
    if folder is None:
        return None
    path = folder / _SCORES
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
        values = [tuple(row[column] for column in _COLUMNS) for row in rows]
        scores = [float(score) for score, _, _ in values]
    except (OSError, ValueError, IndexError) as error:
        raise DatasetError(
            f"{path} cannot be read ({error}); check it with: naysay data check {SIMILARITY}"
        ) from error
    return Similarity([one for _, one, _ in values], [other for _, _, other in values], scores)


def own_sets(trials: Trials, training: Iterable[Group]) -> list[ItemSet]:
    """Divide the suites' own items by what of them a training has not seen.

    Unseen words: neither word, nor one of their families. Unseen negators: with any words. Unseen
    frames: the words and the negator were seen, the sentences around them were not.
    """
    trained = list(training)
    families = {name for group in trained for name in _families(group)}
    negators = {group.negator for group in trained}
    frames = {
        frame_of(sentence, _families(group)) for group in trained for sentence in group.sentences
    }
    words, denials, contexts = [], [], []
    for group in trials.own:
        own = set(_families(group))
        # A prefix is a word of its own: what negates in such a group is "not".
        if (group.negator if group.negator != "prefix" else "not") not in negators:
            denials.append(group)
        elif not own & families:
            words.append(group)
        elif own <= families and not {frame_of(s, own) for s in group.sentences} & frames:
            contexts.append(group)
    named = {"unseen words": words, "unseen negators": denials, "unseen frames": contexts}
    return [
        ItemSet(f"{trials.own_name}, {name}", items_of(groups))
        for name, groups in named.items()
        if groups
    ]
