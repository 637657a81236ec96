"""A benchmark as one page: the targets first, then each part with its tables and charts."""

from __future__ import annotations

from naysay.bench.results import BenchReport, Comparison, Growth, PartReport, Quantities, Result
from naysay.bench.tables import digits, table_of, targets_of
from naysay.reports.page import page
from naysay.reports.sections import Chart, FactList, Part, Prose, Section
from naysay.reports.vega import SCHEMA, Axis, Spec, dots

_ABOUT = (
    "All ways of a comparison ask the same questions in one run, in turns; the best round of each "
    "counts. The answers of each are compared with those of the ways above it. Seconds apply to "
    "this machine only: compare the ratios.",
    "Where a way would take hours, a part of its passes was timed, spread evenly over all of them, "
    "and the seconds multiplied; the tables say how many.",
)


def bench_page(report: BenchReport) -> str:
    """The page as one string of HTML."""
    targets = targets_of(report)
    first: list[Part] = [Prose(_ABOUT)]
    if targets is not None:
        first.append(targets)
    sections = [
        Section("At a glance", tuple(first), "glance"),
        *(Section(part.title, tuple(_parts(part)), part.name) for part in report.parts),
        Section("The machine", (FactList("Machine", tuple(report.machine.items())),), "machine"),
    ]
    lead = f"Best of {report.rounds}. " + ("A quick run: its figures say little." * report.quick)
    return page("How fast is naysay?", sections, lead=lead.strip())


def _parts(part: PartReport) -> list[Part]:
    found: list[Part] = []
    for result in part.results:
        if (chart := _chart(part.name, result)) is not None:
            found.append(chart)
        else:
            found.append(table_of(result))
        found.append(Prose((), table_of(result).notes, quiet=True))
    return found


def _chart(part: str, result: Result) -> Chart | None:
    """The result as a chart with its table; figures that stand for themselves have none."""
    if isinstance(result, Quantities):
        return None
    table = table_of(result)
    spec = _ratios(result) if isinstance(result, Comparison) else _growth(result)
    rows = "; ".join(f"{row[0]} {row[-2]}" for row in table.rows)
    return Chart(
        name=f"{part}-{result.name}",
        title=result.title,
        spec=spec,
        summary=f"{result.title}: {rows}",
        models=("speed",),
        table=table,
    )


def _ratios(result: Comparison) -> Spec:
    """A bar for each way: how many times as fast as the first."""
    first = result.timings[0].way
    ratios = {timing.way: result.ratio(timing.way, first) for timing in result.timings}
    values = [
        {"model": "speed", "row": way, "value": ratio, "figure": f"{digits(ratio)} ×"}
        for way, ratio in ratios.items()
        if ratio is not None
    ]
    return dots(values, Axis("times as fast as the first way", "~g", None), ["speed"], bars=True)


def _growth(result: Growth) -> Spec:
    """Seconds along the sizes, both on a logarithmic scale."""
    values = [
        {"model": "speed", "size": point.size, "seconds": point.seconds} for point in result.points
    ]
    x, y = (
        {"field": field, "type": "quantitative", "title": title, "scale": {"type": "log"}}
        for field, title in (("size", result.along), ("seconds", "seconds"))
    )
    tooltip = [
        {"field": field, "title": title, "type": "nominal"}
        for field, title in (("size", result.along), ("seconds", "seconds"))
    ]
    color = {"field": "model", "type": "nominal", "legend": None, "scale": {"domain": ["speed"]}}
    at = {"x": x, "y": y, "color": color, "tooltip": tooltip}
    return {
        "$schema": SCHEMA,
        "width": "container",
        "height": 280,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": values},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": at},
            {"mark": {"type": "point", "filled": True, "size": 60}, "encoding": at},
        ],
    }
