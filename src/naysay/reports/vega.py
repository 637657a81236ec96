"""Charts as Vega-Lite specifications: dots with intervals, bars, lines, and a scatter.

Fonts and colours are set by the page. Whatever a colour shows is also shown by place or shape.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Spec = dict[str, Any]
Datum = Mapping[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
DASHES = ((1, 0), (6, 4), (2, 2), (8, 3, 2, 3))
_TALLEST = 900
_LINE = 14  # pixels, of a label
_MANY = 10  # intervals that are better drawn as a band
_KNOWN = {"transform": [{"filter": "isValid(datum.low)"}]}


@dataclass(frozen=True)
class Axis:
    """The axis of the figures."""

    title: str
    form: str
    """The format of its numbers, in d3's syntax."""
    span: tuple[float, float] | None
    """Its ends; fitted to the figures and zero if None."""
    signed: bool = False
    """Whether zero is drawn as a line."""

    def encoding(self) -> Spec:
        """The axis as an encoding without its field."""
        scale: Spec = {"zero": True, "nice": True}
        if self.span is not None:
            scale = {"domain": list(self.span), "nice": False}
        return {
            "type": "quantitative",
            "title": self.title or None,
            "scale": scale,
            "axis": {"tickCount": 5, "format": self.form, "grid": True},
        }


def dots(values: Sequence[Datum], axis: Axis, models: Sequence[str], *, bars: bool) -> Spec:
    """A line for each `row`; in it each model with its interval, one below the other.

    Values have `model`, `row`, `value` and `figure`, and may have `low`, `high`, `published`.
    """
    rows = list(dict.fromkeys(value["row"] for value in values))
    present = [name for name in models if any(value["model"] == name for value in values)]
    step = 30 if len(present) == 1 else 14 * len(present) + 20
    lines = max(row.count("\n") + 1 for row in rows)
    place = {
        "y": {
            "field": "row", "type": "nominal", "sort": rows, "title": None,
            "scale": {"paddingInner": 0.25, "paddingOuter": 0.12},
            "axis": {
                "labelExpr": "split(datum.label, '\\n')", "grid": False,
                "labelOffset": -_LINE / 2 * (lines - 1),
            },
        },
        "yOffset": {
            "field": "model", "type": "nominal", "sort": present, "scale": {"paddingInner": 0.2},
        },
    }  # fmt: skip
    x, signs = axis.encoding(), _signs(models)
    tooltip = _tooltip(
        model="model", row="of", figure=axis.title or "figure", n="n", printed="published"
    )
    layers: list[Spec] = []
    if axis.signed:
        layers.append({
            "mark": {"type": "rule", "style": "zero", "aria": False},
            "data": {"values": [{"model": ""}]},
            "encoding": {"x": {"datum": 0, **x}},
        })  # fmt: skip
    if bars:
        layers.append({
            "mark": {"type": "bar", "opacity": 0.28, "aria": False},
            "encoding": {**place, "x": {"field": "value", **x}, "color": signs["color"]},
        })  # fmt: skip
    layers.append({
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.65},
        **_KNOWN,
        "encoding": {
            **place, "x": {"field": "low", **x}, "x2": {"field": "high"},
            "color": signs["color"], "tooltip": tooltip,
        },
    })  # fmt: skip
    layers.append({
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
        "encoding": {**place, "x": {"field": "value", **x}, **signs, "tooltip": tooltip},
    })  # fmt: skip
    if any("published" in value for value in values):
        layers.append({
            "mark": {
                "type": "point", "shape": "stroke", "size": 220, "angle": 90,
                "strokeWidth": 2.5, "filled": False, "style": "published",
            },
            "transform": [{"filter": "isValid(datum.published)"}],
            "encoding": {**place, "x": {"field": "published", **x}, "tooltip": tooltip},
        })  # fmt: skip
    height = min(_TALLEST, len(rows) * max(step, _LINE * lines + 10))
    return {**_base(values, height), "layer": layers}


def curves(values: Sequence[Datum], axis: Axis, models: Sequence[str], along: str) -> Spec:
    """A line for each model and `series`, along `x`."""
    places = sorted({value["x"] for value in values})
    even = len({round(b - a, 6) for a, b in itertools.pairwise(places)}) == 1
    dense = len(places) > _MANY
    x: Spec = {"field": "x", "title": along}
    if even and dense:
        x |= {"type": "quantitative", "scale": {"zero": False, "nice": False}}
    else:
        x |= {"type": "ordinal", "axis": {"labelAngle": 0}}
    y, signs = axis.encoding(), _signs(models)
    tooltip = _tooltip(model="model", row="of", figure=axis.title or "figure", n="n")
    color, detail = signs["color"], {"detail": [{"field": "series", "type": "nominal"}]}
    present = [name for name in models if any(value["model"] == name for value in values)]
    # Side by side, so that no interval hides another.
    aside = {"xOffset": {"field": "model", "type": "nominal", "sort": present}}
    across: Spec = {"x": x}
    if not dense and len(present) > 1:
        across = {"x": {**x, "scale": {"paddingInner": 0.8}}, **aside}
    bounds = {**across, "y": {"field": "low", **y}, "y2": {"field": "high"}, "color": color}
    spread: Spec = {
        "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.5},
        "encoding": {**bounds, "tooltip": tooltip},
    }
    if dense:
        spread = {"mark": {"type": "area", "opacity": 0.13}, "encoding": {**bounds, **detail}}
    at = {**across, "y": {"field": "value", **y}}
    line = {
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {**at, "color": color, **_dashes(values), **detail},
    }
    points = {
        "mark": {"type": "point", "filled": True, "size": 30 if dense else 60, "opacity": 1},
        "encoding": {**at, **signs, "tooltip": tooltip},
    }
    return {**_base(values, 280), "layer": [{**spread, **_KNOWN}, line, points]}


def scatter(values: Sequence[Datum], models: Sequence[str]) -> Spec:
    """Our figures with their intervals, along those of the papers; equal on the diagonal."""
    known = [float(v[k]) for v in values for k in ("published", "value", "low") if k in v]
    least = min([0.0, *known])
    axis = Axis("ours", ".0f", (least, 100)).encoding()
    x = {"field": "published", **axis, "title": "published"}
    signs = _signs(models)
    tooltip = _tooltip(
        model="model", of="of", figure="ours", interval="interval", printed="published",
        lies="which lies",
    )  # fmt: skip
    same = {
        "mark": {"type": "line", "style": "zero", "strokeDash": [4, 4], "aria": False},
        "data": {"values": [{"model": "", "at": end} for end in (least, 100)]},
        "encoding": {"x": {**x, "field": "at"}, "y": {"field": "at", **axis}},
    }
    spread = {
        "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.5},
        **_KNOWN,
        "encoding": {
            "x": x, "y": {"field": "low", **axis}, "y2": {"field": "high"},
            "color": signs["color"], "tooltip": tooltip,
        },
    }  # fmt: skip
    points = {
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
        "encoding": {"x": x, "y": {"field": "value", **axis}, **signs, "tooltip": tooltip},
    }
    return {**_base(values, 360), "layer": [same, spread, points]}


def _dashes(values: Sequence[Datum]) -> Spec:
    """Line styles for the series, if there are several."""
    series = list(dict.fromkeys(value["series"] for value in values if "series" in value))
    if len(series) < 2:
        return {}
    dashes = [list(DASHES[k % len(DASHES)]) for k in range(len(series))]
    return {
        "strokeDash": {
            "field": "series", "type": "nominal", "title": None,
            "scale": {"domain": series, "range": dashes},
        }
    }  # fmt: skip


def _signs(models: Sequence[str]) -> Spec:
    """Colour and shape of the models."""
    names = list(models)
    shapes = [SHAPES[k % len(SHAPES)] for k in range(len(names))]
    both: Spec = {"field": "model", "type": "nominal", "title": None, "sort": names}
    if len(names) == 1:
        both["legend"] = None
    return {
        "color": {**both, "scale": {"domain": names}},
        "shape": {**both, "scale": {"domain": names, "range": shapes}},
    }


def _base(values: Sequence[Datum], height: int) -> Spec:
    return {
        "$schema": SCHEMA,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "params": [{"name": "hidden", "value": []}],
        "data": {"values": list(values)},
        "transform": [{"filter": "indexof(hidden, datum.model) < 0"}],
    }


def _tooltip(**titles: str) -> list[dict[str, str]]:
    return [{"field": name, "title": title, "type": "nominal"} for name, title in titles.items()]
