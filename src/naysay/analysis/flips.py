"""The items that flipped: right in one run, and wrong in another."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from naysay.analysis.comparison import ComparedTable, Comparison
from naysay.analysis.items import Match, Places, sentences
from naysay.suites import SUITES


@dataclass(frozen=True, slots=True)
class Flip:
    """One item, and the answers of the first run and another."""

    suite: str
    table: str
    condition: str
    metric: str
    item: str
    change: str
    """`newly right`, `newly wrong`; or `up` and `down` where no direction is expected."""
    sentence: str
    first_run: str
    first_answer: str
    other_run: str
    other_answer: str


@dataclass(frozen=True, slots=True)
class PlacedFlip:
    """A flipped item, and its row in either run, counted over all shards of the suite."""

    flip: Flip
    first_row: int
    other_row: int | None
    """None if an item of the other run spans several rows."""


def flips(comparison: Comparison, table: ComparedTable, most: int | None = None) -> Iterator[Flip]:
    """The flipped items of a table: all, or an even sample of so many."""
    return (placed.flip for placed in placed_flips(comparison, table, most))


def placed_flips(
    comparison: Comparison, table: ComparedTable, most: int | None = None
) -> Iterator[PlacedFlip]:
    """The flipped items of a table, with their rows."""
    chosen = [
        (match, word, places)
        for match, change in zip(table.matches, table.changes, strict=True)
        if not change.unpaired
        for word, places in _flipped(match, table.run).items()
        if len(places)
    ]
    if most is not None:
        chosen.sort(key=lambda one: one[1] != "newly wrong")  # what got lost comes first
        shares = [most // len(chosen) + (k < most % len(chosen)) for k in range(len(chosen))]
        chosen = [
            (match, word, _spread(places, count))
            for (match, word, places), count in zip(chosen, shares, strict=True)
        ]
    for match, word, places in chosen:
        yield from _flips(comparison, match, table.run, word, places)


def as_csv(comparison: Comparison) -> str:
    """All flipped items of all tables as comma-separated values."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Flip)], lineterminator="\n")
    writer.writeheader()
    for table in comparison.tables:
        writer.writerows(asdict(flip) for flip in flips(comparison, table))
    return text.getvalue()


def _flipped(match: Match, run: int) -> dict[str, Places]:
    """Where the common items flipped, by direction."""
    measure = match.first
    if not match.binary or measure.items.answers is None:
        return {}
    change = match.values(run) - match.values(0)
    up, down = np.flatnonzero(change > 0), np.flatnonzero(change < 0)
    if measure.wanted is None:
        return {"up": up, "down": down}
    right, wrong = (up, down) if measure.wanted == "high" else (down, up)
    return {"newly wrong": wrong, "newly right": right}


def _spread(places: Places, count: int) -> Places:
    """So many of the places, evenly spaced."""
    if count >= len(places):
        return places
    return places[np.linspace(0, len(places) - 1, count).astype(np.int64)] if count else places[:0]


def _flips(
    comparison: Comparison, match: Match, run: int, word: str, places: Places
) -> Iterator[PlacedFlip]:
    measure, runs = match.first, comparison.runs
    assert measure.items.rows is not None
    first, other = (_answers(match, k, places) for k in (0, run))
    rows = measure.items.rows[match.places[0][places]]
    theirs = match.measures[run].items.rows
    others = [None] * len(rows) if theirs is None else theirs[match.places[run][places]].tolist()
    suite = SUITES.get(measure.suite)
    texts = sentences(runs[0].manifest, suite, measure.items.sentence, rows)
    keys = match.keys.take(places).to_pylist()
    found = zip(keys, texts, first, other, rows.tolist(), others, strict=True)
    for key, text, before, after, row, other_row in found:
        flip = Flip(*measure.name, key, word, text, runs[0].label, before, runs[run].label, after)
        yield PlacedFlip(flip, row, other_row)


def _answers(match: Match, run: int, places: Places) -> list[Any]:
    answers = match.measures[run].items.answers
    found: list[Any] = answers.take(match.places[run][places]).to_pylist() if answers else []
    return found
