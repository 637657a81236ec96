"""Which charts a suite gets, what they show in words, and the same figures as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any

from naysay.core.records import BOUNDS, Estimate, Finding
from naysay.data.languages import LANGUAGES
from naysay.reports.sections import Chart
from naysay.reports.tables import NONE, TextTable, interval, number, printed
from naysay.reports.vega import Axis, curves, dots, with_lines
from naysay.suites import SUITES
from naysay.suites.report import Place, report_of

_UNITS = {"%": "%", "points": "percentage points", "rho": "times 100"}
_FORMS = {"%": ".0f", "points": "+.0f", "rho": ".0f"}
_SPANS = {"%": (0.0, 100.0)}
_DESCRIBED = 6  # models whose figures are in the description


@dataclass(frozen=True)
class Point:
    """One estimate in a chart."""

    model: str
    row: str
    """Its row in the chart."""
    estimate: Estimate
    series: str = ""
    x: float | None = None

    @property
    def figure(self) -> str:
        """The figure with its interval."""
        bounds = "" if self.estimate.low is None else f" ({interval(self.estimate)})"
        return f"{number(self.estimate.value, self.estimate.unit)}{bounds}"

    @property
    def label(self) -> str:
        """Its row, on one line of text."""
        return self.row.replace("\n", ", ")

    def datum(self) -> dict[str, Any]:
        """The point as a chart reads it; what is not known is left out."""
        e = self.estimate
        found = {
            "model": self.model,
            "row": self.row,
            "value": _short(e.value),
            "figure": self.figure,
            "n": f"{e.n:,}",
            "low": _short(e.low),
            "high": _short(e.high),
            # A bound has no place on the axis.
            "published": None if e.published_sign in BOUNDS.values() else e.published,
            "printed": None if e.published is None else printed(e),
            "series": self.series or None,
            "x": self.x,
        }
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class Plot:
    """Points, and how they are to be drawn."""

    name: str
    title: str
    points: Sequence[Point]
    models: tuple[str, ...]
    """All models of the page, so that each keeps its colour and sign."""
    bars: bool = False
    along: str = ""
    """The title of the axis along which points are joined by lines."""
    quantity: str = ""
    """What the figures are; the title of their axis."""
    about: str = ""
    """A sentence that says how to read it."""
    context: str = ""
    lines: Mapping[str, float] = field(default_factory=dict)
    """Chance and thresholds by name: where they lie on the figures' axis."""

    def chart(self) -> Chart:
        """The chart, its words and its table."""
        points = [point for point in self.points if point.estimate.value is not None]
        models = tuple(model for model in self.models if any(p.model == model for p in points))
        series = tuple(dict.fromkeys(point.series for point in points if point.series))
        values = [point.datum() for point in points]
        if self.along:
            spec = curves(values, self._axis(), self.models, self.along)
        else:
            spec = dots(values, self._axis(), self.models, bars=self.bars)
        if self.lines:
            spec = with_lines(spec, self.lines, upright=not self.along)
        marked = not self.along and any("published" in value for value in values)
        return Chart(
            name=self.name,
            title=self.title,
            spec=spec,
            summary=self._summary(points, models),
            models=models,
            series=series if len(series) > 1 else (),
            marks=("published",) if marked else (),
            about=self.about,
            table=_table(f"{self.title}: figures", points),
            context=self.context,
        )

    def _axis(self) -> Axis:
        unit = self.points[0].estimate.unit
        written = _UNITS.get(unit, "")
        title = (
            f"{self.quantity} ({written})"
            if self.quantity and written
            else self.quantity or written
        )
        return Axis(title, _FORMS.get(unit, ".2~f"), _SPANS.get(unit), signed=unit == "points")

    def _summary(self, points: Sequence[Point], models: Sequence[str]) -> str:
        """What the chart shows, in words: the extremes of each model."""
        kind = "Line chart" if self.along else "Bar chart" if self.bars else "Dot chart"
        parts = [f"{kind}: {self.title}.", *([self.about] if self.about else [])]
        for model in models[:_DESCRIBED]:
            own = [point for point in points if point.model == model]
            low, high = (f(own, key=lambda p: p.estimate.value or 0.0) for f in (min, max))
            ends = [f"{number(p.estimate.value, p.estimate.unit)} ({p.label})" for p in (low, high)]
            parts.append(f"{model}: " + (f"{ends[0]}." if len(own) == 1 else _from_to(*ends)))
        if len(models) > _DESCRIBED:
            parts.append(f"And {len(models) - _DESCRIBED} more models.")
        if self.lines:
            listed = ", ".join(f"{name} at {value:g}" for name, value in self.lines.items())
            parts.append(f"Lines: {listed}.")
        return " ".join([*parts, "The table has all figures."])


def _from_to(low: str, high: str) -> str:
    return f"from {low} to {high}."


def _short(value: float | None) -> float | None:
    """Four digits are more than a chart can show."""
    return None if value is None else round(value, 4)


def _table(title: str, points: Sequence[Point]) -> TextTable:
    """The chart's figures: a line for each of its lines, a column for each model."""
    cells: dict[str, dict[str, str]] = {}
    for point in points:
        cells.setdefault(point.label, {})[point.model] = point.figure
    models = list(dict.fromkeys(point.model for point in points))
    rows = tuple((row, *(found.get(m, NONE) for m in models)) for row, found in cells.items())
    return TextTable(title, ("", *models), rows)


Labelled = tuple[str, Finding]
"""A model's name in the page, and what a suite found of it."""
_BY_LIKELIHOOD = ", by likelihood"
_SHORT_NOTE = 22
_LABEL = 28  # letters of a line
_MOST_ROWS = 40


def charts_of(
    suite: str, found: Sequence[Labelled], models: Sequence[str], language: str | None = None
) -> list[Chart]:
    """The charts of one suite over all models that have it; a language is named in their titles."""
    titles: dict[str, str] = {}
    for _, finding in found:
        titles = titles | {k: v for k, v in finding.titles.items() if k not in titles}
    plots = list(_special(suite, found, titles, tuple(models)))
    if not plots:
        plots = list(_general(suite, found, titles, tuple(models)))
    if language is not None:
        spoken = LANGUAGES.get(language).about.get("name", language)
        plots = [
            replace(plot, name=f"{plot.name}-{_slug(language)}", title=f"{plot.title}: {spoken}")
            for plot in plots
        ]
    context = SUITES.get(suite).card.title
    return [
        replace(plot, points=_with_words(plot.points, found), context=context).chart()
        for plot in plots
    ]


def _with_words(points: Sequence[Point], found: Sequence[Labelled]) -> list[Point]:
    """The points with what their rows mean, and their notes, under the rows' labels.

    A note is shown where each row has one, a short one, and the same for all models.
    """
    notes: dict[str, set[str]] = {}
    for point in points:
        notes.setdefault(point.row, set()).add(point.estimate.note or "")
    shared = {row: known.pop() for row, known in notes.items() if len(known) == 1}
    if len(shared) < len(notes) or not all(
        note and len(note) <= _SHORT_NOTE and not re.search(r"\d", note) for note in shared.values()
    ):
        shared = {}
    meaning = found[0][1].meaning
    return [
        replace(p, row=_folded(p.row, meaning(p.row, pairs=True), shared.get(p.row, "")))
        for p in points
    ]


def _folded(row: str, *below: str) -> str:
    """A row's label with words below it, on lines that leave room for the figures."""
    if "\n" in row:  # the suite has put its words there
        below = ()
    lines = [*row.split("\n"), *filter(None, below)]
    return "\n".join(part for line in lines for part in wrap(line, _LABEL) or [""])


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
                    quantity=recipe.quantity, about=recipe.about, lines=recipe.lines,
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
    """The title without the number of the paper's table or figure, which the tables show.

    >>> _without_source("Drop of repetition (Table 6)")
    'Drop of repetition'
    """
    return re.sub(r" \([^()]*(?:Table|Figure)s? [^()]*\)", "", title)


def _slug(name: str) -> str:
    """A name that can be a file's and an element's.

    >>> _slug("suite-drops, by likelihood-%")
    'suite-drops-by-likelihood'
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")
