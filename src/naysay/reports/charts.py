"""Estimates as charts: the drawing, its description in words, and the same figures as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from naysay.core.records import Estimate
from naysay.reports.sections import Chart
from naysay.reports.tables import NONE, TextTable, interval, number
from naysay.reports.vega import Axis, curves, dots

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
            "published": e.published,
            "printed": None if e.published is None else number(e.published, e.unit),
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
