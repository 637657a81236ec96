"""Charts as Vega-Lite specifications: dots with intervals, bars, lines, and a scatter.

Fonts and colours are set by the page. Whatever a colour shows is also shown by place or shape.
"""

from __future__ import annotations

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
_STEP = 12  # pixels, of a model in a row
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
    step = 30 if len(present) == 1 else _STEP * len(present) + 16
    lines = max(row.count("\n") + 1 for row in rows)
    bounded = any("low" in value for value in values)
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
            "field": "model", "type": "nominal", "sort": present,
            **({"scale": {"paddingInner": 0.2}} if bars or bounded else {}),
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
    if bounded:
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
    """A line for each model and `series`, along `x`, whose places are as far apart as they are."""
    places = sorted({float(value["x"]) for value in values})
    dense = len(places) > _MANY
    present = [name for name in models if any(value["model"] == name for value in values)]
    if not dense:
        values = [{**value, "at": _aside(value, places, present)} for value in values]
    x: Spec = {
        "field": "x" if dense else "at", "type": "quantitative", "title": along,
        "scale": {"zero": False, "nice": False, **({} if dense else {"padding": 14})},
    }  # fmt: skip
    if not dense:
        x["axis"] = {"values": places, "labelOverlap": True, "grid": False}
    y, signs = axis.encoding(), _signs(models)
    tooltip = _tooltip(model="model", row="of", figure=axis.title or "figure", n="n")
    color, detail = signs["color"], {"detail": [{"field": "series", "type": "nominal"}]}
    bounds = {"x": x, "y": {"field": "low", **y}, "y2": {"field": "high"}, "color": color}
    spread: Spec = {
        "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.5},
        "encoding": {**bounds, "tooltip": tooltip},
    }
    if dense:
        spread = {"mark": {"type": "area", "opacity": 0.13}, "encoding": {**bounds, **detail}}
    at = {"x": x, "y": {"field": "value", **y}}
    line = {
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {**at, "color": color, **_dashes(values), **detail},
    }
    points = {
        "mark": {"type": "point", "filled": True, "size": 30 if dense else 60, "opacity": 1},
        "encoding": {**at, **signs, "tooltip": tooltip},
    }
    bounded = [{**spread, **_KNOWN}] if any("low" in value for value in values) else []
    return {**_base(values, 280), "layer": [*bounded, line, points]}


def _aside(value: Datum, places: Sequence[float], present: Sequence[str]) -> float:
    """The place of a point, a hair beside those of other models, so that no interval hides one."""
    step = 0.007 * (places[-1] - places[0])
    return float(value["x"] + step * (present.index(value["model"]) - (len(present) - 1) / 2))


def with_lines(spec: Spec, lines: Mapping[str, float], *, upright: bool) -> Spec:
    """The chart with lines across it at these figures, each with its name at its end."""
    ordered = sorted(lines.items(), key=lambda line: line[1])
    figures, end = ("x", "y") if upright else ("y", "x")
    layers: list[Spec] = []
    for place, (name, value) in enumerate(ordered):
        data = {"values": [{"model": "", "at": value, "name": f"{name} {value:g}"}]}
        at = {"field": "at", "type": "quantitative"}
        # The lowest name stands before its line and the others behind, so that they keep apart.
        aside = "right" if upright and len(ordered) > 1 and place == 0 else "left"
        layers.append({
            "mark": {"type": "rule", "style": "bound", "strokeDash": [3, 3], "aria": False},
            "data": data, "encoding": {figures: at},
        })  # fmt: skip
        layers.append({
            "mark": {
                "type": "text", "style": "bound-name", "aria": False, "align": aside,
                "baseline": "bottom", "fontSize": 11, "dy": -4,
                "dx": 0 if not upright else -3 if aside == "right" else 3, end: 0,
            },
            "data": data, "encoding": {figures: at, "text": {"field": "name"}},
        })  # fmt: skip
    return {**spec, "layer": [*layers, *spec["layer"]]}


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


def strips(values: Sequence[Datum], models: Sequence[str], title: str) -> Spec:
    """A tick for each value without a model, by `row`; those with one as points with intervals."""
    own = list(dict.fromkeys(value["row"] for value in values if value["model"]))
    rows = list(dict.fromkeys([*own, *(value["row"] for value in values)]))
    x = {**Axis(title, ".0f", (0, 100)).encoding()}
    y = {"field": "row", "type": "nominal", "sort": rows, "title": None}
    present = [name for name in models if any(value["model"] == name for value in values)]
    aside = {"yOffset": {"field": "model", "type": "nominal", "sort": present}}
    signs, tooltip = _signs(models), _tooltip(of="model", figure=title)
    is_own = {"filter": "datum.model !== ''"}
    ticks = {
        "mark": {"type": "tick", "thickness": 1.5, "opacity": 0.75, "style": "published"},
        "transform": [{"filter": "datum.model === ''"}],
        "encoding": {"x": {"field": "value", **x}, "y": y, "tooltip": tooltip},
    }
    spread = {
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.65},
        "transform": [is_own, *_KNOWN["transform"]],
        "encoding": {
            "x": {"field": "low", **x}, "x2": {"field": "high"}, "y": y, **aside,
            "color": signs["color"], "tooltip": tooltip,
        },
    }  # fmt: skip
    points = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
        "transform": [is_own],
        "encoding": {"x": {"field": "value", **x}, "y": y, **aside, **signs, "tooltip": tooltip},
    }
    height = 34 * (len(rows) - 1) + max(34, 18 * len(present))
    return {**_base(values, height), "layer": [ticks, spread, points]}


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
