"""Two runs compared: the items that flipped, each with a link, and the figures behind them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from naysay.analysis.comparison import Comparison, compare
from naysay.analysis.flips import Flip, placed_flips
from naysay.core.records import NOT_MEASURED, Finding
from naysay.reports.comparison import cells, in_common, in_words
from naysay.reports.sections import Part, Prose, Section
from naysay.run.evaluation import meanings_of
from naysay.view.database import Database
from naysay.view.folder import SeenRun
from naysay.view.verdicts import check_files

MOST = 200
"""Flipped items of one table on the page."""
_KEPT = 16  # comparisons that are remembered


@dataclass(frozen=True)
class LinkedFlip:
    """A flipped item, and the shard and row where it is in either run."""

    flip: Flip
    meaning: str
    """What the label of its condition means in words; empty if it is words already."""
    first: tuple[str, int]
    other: tuple[str, int] | None


@dataclass(frozen=True)
class ShownComparison:
    """A comparison as its page shows it."""

    first: str
    other: str
    first_run: str
    other_run: str
    """The names of the runs' folders."""
    flips: tuple[LinkedFlip, ...]
    total: int
    """How many items flipped, also those that the page has no room for."""
    sections: tuple[Section, ...]
    warnings: tuple[str, ...]


class Comparisons:
    """Compares runs, and remembers the last ones."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: OrderedDict[tuple[str, ...], ShownComparison] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, first: SeenRun, other: SeenRun) -> ShownComparison:
        """Return the comparison of two runs, with the first as the baseline."""
        name = first.slug, first.stamp, other.slug, other.stamp
        with self._lock:  # one at a time: each takes as much memory as the rows of both
            if name not in self._known:
                self._known[name] = self._compare(first, other)
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
            return self._known[name]

    def _compare(self, first: SeenRun, other: SeenRun) -> ShownComparison:
        for run in (first, other):
            check_files(run.read())
        found = compare([first.read(), other.read()])
        linked = [
            self._linked(placed.flip, placed.first_row, placed.other_row, first, other)
            for table in found.tables
            for placed in placed_flips(found, table, MOST)
        ]
        linked.sort(key=lambda one: one.flip.change != "newly wrong")
        total = sum((change.up or 0) + (change.down or 0) for change in found)
        one, two = (run.label for run in found.runs)
        return ShownComparison(
            one,
            two,
            first.folder.name,
            other.folder.name,
            tuple(linked),
            total,
            tuple(_sections(found)),
            found.warnings,
        )

    def _linked(
        self, flip: Flip, row: int, other_row: int | None, first: SeenRun, other: SeenRun
    ) -> LinkedFlip:
        own = self._database.table(first, flip.suite)
        meanings = meanings_of(own.suite, own.manifest.run_spec)
        about = Finding(flip.suite, (), {}, NOT_MEASURED, "", meanings=meanings)
        there = None
        if other_row is not None:
            there = self._database.table(other, flip.suite).place(other_row)
        return LinkedFlip(flip, about.meaning(flip.condition), own.place(row), there)


def _sections(comparison: Comparison) -> list[Section]:
    """A section for each suite: verdicts, tables and the number of common items."""
    by_suite: dict[str, list[Part]] = {}
    for table in comparison.tables:
        parts = by_suite.setdefault(table.suite, [])
        parts.append(Prose((table.verdict,)))
        parts.append(cells(comparison, table))
        notes = (in_words(comparison, table), in_common(comparison, table), table.note)
        parts.append(Prose(tuple(filter(None, notes)), quiet=True))
    return [Section(suite, tuple(parts)) for suite, parts in by_suite.items()]
