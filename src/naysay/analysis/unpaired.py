"""A figure of two runs on each run's own items, where they share too few to be paired.

Suites that ask the model's own words can leave two runs without a common item. Their figures can
still be compared, if it is said that the difference may come from the items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from naysay.analysis.changes import UNPAIRED, Change, verdict
from naysay.core.records import Estimate, Finding
from naysay.stats.difference import holm
from naysay.stats.unpaired import (
    BoundedFigure,
    detectable_difference,
    square_and_add,
    two_sided_p,
)
from naysay.suites.report import report_of


def unpaired_change(blank: Change, one: Estimate, two: Estimate) -> Change:
    """The change of a figure from each run's own estimate; `blank` without a figure in one run."""
    if not (blank.n_first and blank.n_second) or one.value is None or two.value is None:
        return blank
    kinds = {k: min(n, two.clusters_by.get(k, n)) for k, n in one.clusters_by.items()}
    change = replace(
        blank,
        first=one.value,
        second=two.value,
        difference=two.value - one.value,
        n=min(blank.n_first, blank.n_second),
        clusters=min(kinds.values(), default=None),
        clusters_by=kinds,
        method=UNPAIRED,
    )
    figures = figure_of(one), figure_of(two)
    if figures[0] is None or figures[1] is None:
        return change
    low, high = square_and_add(figures[0], figures[1])
    degrees = min(figures[0].degrees, figures[1].degrees)
    found = BoundedFigure(two.value - one.value, low, high, degrees)
    return replace(
        change,
        low=low,
        high=high,
        p=two_sided_p(found),
        detectable=detectable_difference(found),
        degrees=degrees,
    )


def figure_of(estimate: Estimate) -> BoundedFigure | None:
    """An estimate with its interval; None if it has none."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return None
    degrees = estimate.degrees
    return BoundedFigure(
        value, low, high, max((estimate.clusters or 2) - 1.0, 1.0) if degrees is None else degrees
    )


@dataclass(frozen=True)
class OwnItemsTable:
    """Figures of one table before and after a training, on each model's own items."""

    suite: str
    table: str
    title: str
    changes: tuple[Change, ...]
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        """The table as plain values, ready for JSON."""
        plain = {name: getattr(self, name) for name in ("suite", "table", "title", "verdict")}
        return {**plain, "changes": [change.as_dict() for change in self.changes]}


def own_items_tables(before: Finding, after: Finding) -> Iterator[OwnItemsTable]:
    """The tables that the suite's report names, from the findings of two runs."""
    later = {(e.table, e.condition, e.metric): e for e in after.estimates}
    for rule in report_of(before.suite).own_items:
        changes = [
            _own_change(one, later[name])
            for one in before.estimates
            for name in [(one.table, one.condition, one.metric)]
            if rule.takes(one) and name in later
        ]
        adjusted = holm([change.p for change in changes])
        changes = [replace(c, p_holm=p) for c, p in zip(changes, adjusted, strict=True)]
        if changes:
            title = before.titles.get(rule.table, rule.table)
            words = verdict("the trained model", changes)
            yield OwnItemsTable(
                before.suite, rule.table, title, tuple(changes), words[0].upper() + words[1:]
            )


def _own_change(one: Estimate, two: Estimate) -> Change:
    names = (one.suite, one.table, one.condition, one.metric)
    blank = Change(*names, one.unit, None, 1, None, None, None, n_first=one.n, n_second=two.n)
    return unpaired_change(blank, one, two)
