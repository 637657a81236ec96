"""Charts as files: PNG and SVG, in light colours, with the legend inside."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from naysay.core.console import counted
from naysay.core.paths import write_text, write_whole
from naysay.reports.page import missing_library
from naysay.reports.sections import Chart

_WIDTH = 640
_TEXT, _QUIET, _LINE = "#1b1d22", "#5a6070", "#e4e5e8"
PALETTE = [
    "#2450b8", "#c4500b", "#0b7f62", "#9b3d8f", "#77680a", "#0f7d94", "#b02a4c", "#5d5f68",
]  # fmt: skip
_CONFIG: dict[str, Any] = {
    "background": "#ffffff",
    "font": "Helvetica, Arial, Liberation Sans, sans-serif",
    "padding": 16,
    "range": {"category": PALETTE},
    "style": {
        "zero": {"color": _QUIET, "strokeWidth": 1},
        "published": {"color": _TEXT},
        "bound": {"color": _QUIET, "strokeWidth": 1.2},
        "bound-name": {"color": _QUIET},
    },
    "view": {"stroke": None},
    "title": {
        "anchor": "start", "fontSize": 15, "color": _TEXT, "offset": 14, "subtitleColor": _QUIET,
        "subtitleFontSize": 12, "subtitlePadding": 5, "frame": "group",
    },
    "legend": {
        "orient": "top", "labelFontSize": 12, "labelColor": _TEXT, "labelLimit": 240, "columns": 3,
        "symbolStrokeWidth": 2, "symbolOpacity": 1,
    },
    "axis": {
        "domain": False, "ticks": False, "gridColor": _LINE, "labelColor": _QUIET,
        "labelFontSize": 12, "labelPadding": 8, "titleColor": _QUIET, "titleFontSize": 12,
        "titleFontWeight": "normal", "titlePadding": 10,
    },
    "axisY": {"labelLimit": 260, "labelLineHeight": 14},
    "axisYBand": {"labelColor": _TEXT},
}  # fmt: skip


def write_pictures(charts: Sequence[Chart], folder: Path) -> list[Path]:
    """Write each chart as PNG and SVG; returns the files."""
    try:
        import vl_convert
    except ImportError as error:
        raise missing_library(error) from error
    written = []
    for chart in counted(charts, "drawing charts"):
        spec = _standing_alone(chart)
        picture: bytes = vl_convert.vegalite_to_png(spec, config=_CONFIG, scale=2)
        drawing: str = vl_convert.vegalite_to_svg(spec, config=_CONFIG)
        png, svg = folder / f"{chart.name}.png", folder / f"{chart.name}.svg"
        write_whole(png, lambda beside, data=picture: _write(beside, data))  # type: ignore[misc]
        write_text(svg, drawing)
        written += [png, svg]
    return written


def _standing_alone(chart: Chart) -> dict[str, Any]:
    """The chart's specification with a width and a title of its own."""
    spec = copy.deepcopy(dict(chart.spec))
    if spec.get("width") == "container":
        spec["width"] = _WIDTH
        spec.pop("autosize", None)
    for encoding in (layer.get("encoding", {}) for layer in spec.get("layer", [])):
        if "strokeDash" in encoding:  # short lines would not show their dashes
            encoding["strokeDash"]["legend"] = {"symbolSize": 600}
        for sign in (encoding[name] for name in ("color", "shape") if name in encoding):
            # Each model keeps its colour in all charts; the legend has those that are in this one.
            sign["legend"] = {"values": list(chart.models)} if len(chart.models) > 1 else None
    parts = [chart.context] if chart.context else []
    parts += [f"vertical line: {mark}" for mark in chart.marks]
    return {**spec, "title": {"text": chart.title, "subtitle": "; ".join(parts)}}


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
