"""Several runs in one table: a row for each condition, a column for each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from naysay.core.records import Estimate, Finding
from naysay.reports.overview import labelled
from naysay.reports.tables import NONE, TextTable, interval, number, row_labels
from naysay.run.evaluation import Evaluation


def side_by_side(evaluations: Sequence[Evaluation]) -> list[TextTable]:
    """A table of several models for each table that at least two runs have."""
    by_suite: dict[str, list[tuple[str, Finding]]] = {}
    for label, evaluation in labelled(evaluations):
        for finding in evaluation.findings:
            by_suite.setdefault(finding.suite, []).append((label, finding))
    return [
        table
        for suite, having in by_suite.items()
        if len(having) > 1
        for table in _tables(suite, having)
    ]


def _tables(suite: str, having: Sequence[tuple[str, Finding]]) -> Iterator[TextTable]:
    titles = {name: title for _, finding in having for name, title in finding.titles.items()}
    long = frozenset[str]().union(*(finding.details for _, finding in having))
    for name, title in titles.items():
        columns = {
            label: {(e.condition, e.metric): e for e in finding.estimates if e.table == name}
            for label, finding in having
        }
        columns = {label: found for label, found in columns.items() if found}
        if name in long or len(columns) < 2:
            continue
        first = {place: e for found in columns.values() for place, e in found.items()}
        labels = row_labels(list(first.values()))
        rows = tuple(
            (label, *(_cell(found.get(place)) for found in columns.values()))
            for label, place in zip(labels, first, strict=True)
        )
        bounded = any(e.low is not None for e in first.values())
        notes = ("In brackets: 95 % intervals.",) if bounded else ()
        yield TextTable(f"{suite} · {title}", ("", *columns), rows, notes=notes)


def _cell(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return NONE
    value = number(estimate.value, estimate.unit)
    return value if estimate.low is None else f"{value} ({interval(estimate)})"
