"""The charts of a suite: those that it declares, or one for each table with intervals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from naysay.core.records import Estimate, Finding
from naysay.reports.charts import Plot, Point
from naysay.reports.sections import Chart
from naysay.suites import SUITES
from naysay.suites.report import Place, report_of

Labelled = tuple[str, Finding]
"""A model's name in the page, and what a suite found of it."""
_BY_LIKELIHOOD = ", by likelihood"
_SHORT_NOTE = 22
_MOST_ROWS = 40


def charts_of(suite: str, found: Sequence[Labelled], models: Sequence[str]) -> list[Chart]:
    """The charts of one suite over all models that have it."""
    titles: dict[str, str] = {}
    for _, finding in found:
        titles = titles | {k: v for k, v in finding.titles.items() if k not in titles}
    plots = list(_special(suite, found, titles, tuple(models)))
    if not plots:
        plots = list(_general(suite, found, titles, tuple(models)))
    context = SUITES.get(suite).card.title
    return [
        replace(plot, points=_with_notes(plot.points), context=context).chart() for plot in plots
    ]


def _with_notes(points: Sequence[Point]) -> list[Point]:
    """The points with their notes under their names, where these are the same for all models."""
    notes: dict[str, set[str]] = {}
    for point in points:
        notes.setdefault(point.row, set()).add(point.estimate.note or "")
    shared = {row: found.pop() for row, found in notes.items() if len(found) == 1}
    if len(shared) < len(notes) or not all(
        note and len(note) <= _SHORT_NOTE and not re.search(r"\d", note) for note in shared.values()
    ):
        return list(points)
    return [replace(point, row=f"{point.row}\n{shared[point.row]}") for point in points]


def _special(
    suite: str, found: Sequence[Labelled], titles: Mapping[str, str], models: tuple[str, ...]
) -> Iterator[Plot]:
    for k, recipe in enumerate(report_of(suite).chart):
        for table in titles:
            if table.removesuffix(_BY_LIKELIHOOD) != recipe.table:
                continue
            points = [
                _point(model, estimate, recipe.place(estimate))
                for model, finding in found
                for estimate in finding.estimates
                if estimate.table == table and recipe.takes(estimate)
            ]
            if any(point.estimate.value is not None for point in points):
                title = titles[table]
                if recipe.title:
                    title = recipe.title + table.removeprefix(recipe.table)
                yield Plot(
                    name=_slug(f"{suite}-{table}-{k}"), title=_without_source(title),
                    points=points, models=models, bars=recipe.bars, along=recipe.along,
                    quantity=recipe.quantity, about=recipe.about,
                )  # fmt: skip


def _general(
    suite: str, found: Sequence[Labelled], titles: Mapping[str, str], models: tuple[str, ...]
) -> Iterator[Plot]:
    """Dots for every table that has intervals, unless it is too long to read as a chart."""
    details = frozenset[str]().union(*(finding.details for _, finding in found))
    for table, title in titles.items():
        here = [
            (model, e)
            for model, finding in found
            for e in finding.estimates
            if e.table == table and e.value is not None
        ]
        for unit in dict.fromkeys(e.unit for _, e in here if e.low is not None):
            chosen = [(model, e) for model, e in here if e.unit == unit]
            metrics = {e.metric for _, e in chosen}
            rows = {(e.condition, e.metric) for _, e in chosen}
            if table in details or len(rows) > _MOST_ROWS:
                continue
            yield Plot(
                name=_slug(f"{suite}-{table}-{unit}"), title=_without_source(title),
                points=[_point(model, e, _labelled(e, metrics)) for model, e in chosen],
                models=models, quantity=metrics.pop() if len(metrics) == 1 else "",
            )  # fmt: skip


def _labelled(estimate: Estimate, metrics: set[str]) -> Place:
    if len(metrics) == 1:
        return Place(estimate.condition)
    return Place(f"{estimate.condition}: {estimate.metric}")


def _point(model: str, estimate: Estimate, place: Place) -> Point:
    return Point(model, place.row, estimate, place.series, place.x)


def _without_source(title: str) -> str:
    """The title without the number of the paper's table, which the tables show.

    >>> _without_source("Drop of repetition (Table 6)")
    'Drop of repetition'
    """
    return re.sub(r" \([^()]*Tables? [^()]*\)", "", title)


def _slug(name: str) -> str:
    """A name that can be a file's and an element's.

    >>> _slug("suite-drops, by likelihood-%")
    'suite-drops-by-likelihood'
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")
