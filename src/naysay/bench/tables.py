"""The results of a benchmark as tables, for the terminal, the page and the docs."""

from __future__ import annotations

from collections.abc import Iterator

from naysay.bench.results import (
    BenchReport,
    Comparison,
    Growth,
    PartReport,
    Quantities,
    Quantity,
    Result,
    Timing,
)
from naysay.reports.markdown import escape, plain_table
from naysay.reports.tables import NONE, TextTable


def table_of(result: Result) -> TextTable:
    """The table of one result."""
    if isinstance(result, Comparison):
        return _comparison(result)
    return _quantities(result) if isinstance(result, Quantities) else _growth(result)


def _comparison(result: Comparison) -> TextTable:
    first = result.timings[0]
    columns = ("way", result.passes, "timed", "seconds", "a second", "× first", "same answers")
    rows = tuple(_timing(timing, result.ratio(timing.way, first.way)) for timing in result.timings)
    notes = (*result.notes, *(f"{t.way}: {t.missing}." for t in result.timings if t.missing))
    return TextTable(result.title, columns, rows, notes=notes)


def _timing(timing: Timing, ratio: float | None) -> tuple[str, ...]:
    if timing.seconds is None:
        return (timing.way, *[NONE] * 6)
    return (
        timing.way,
        f"{timing.passes:,}",
        f"{timing.timed:,}",
        digits(timing.seconds),
        digits(timing.per_second),
        digits(ratio),
        f"{timing.same:,} of {timing.compared:,}",
    )


def _quantities(result: Quantities) -> TextTable:
    rows = tuple(
        (one.name, with_unit(one.value, one.unit), _bound(one), _holds(one.holds))
        for one in result.quantities
    )
    bounded = any(one.holds is not None for one in result.quantities)
    columns = ("", "measured", "target", "met")[: 4 if bounded else 2]
    return TextTable(
        result.title, columns, tuple(row[: len(columns)] for row in rows), notes=result.notes
    )


def _growth(result: Growth) -> TextTable:
    measured = any(point.megabytes is not None for point in result.points)
    columns = (result.along, "seconds", "a second", "MB")[: 4 if measured else 3]
    rows = tuple(
        (
            f"{point.size:,.0f}",
            digits(point.seconds),
            digits(point.size / point.seconds),
            NONE if point.megabytes is None else f"{point.megabytes:,.0f}",
        )[: len(columns)]
        for point in result.points
    )
    fitted = f"Fitted exponent: {NONE if result.exponent is None else f'{result.exponent:.2f}'}."
    return TextTable(result.title, columns, rows, notes=(fitted, *result.notes))


def targets_of(report: BenchReport) -> TextTable | None:
    """All targets with what was measured; None if nothing has one."""
    rows = tuple(row for part in report.parts for row in _targets(part))
    notes = ("Sizes are those of a quick run: its figures say little.",) if report.quick else ()
    columns = ("", "measured", "target", "met")
    return TextTable("Targets", columns, rows, notes=notes) if rows else None


def _targets(part: PartReport) -> Iterator[tuple[str, ...]]:
    for result in part.results:
        if isinstance(result, Comparison):
            for target in result.targets:
                ratio = result.ratio(target.way, target.over)
                measured = NONE if ratio is None else f"{digits(ratio)} ×"
                holds = None if ratio is None else ratio >= target.least
                name = f"{result.name}: {target.way} / {target.over}"
                yield name, measured, f"≥ {target.least:g} ×", _holds(holds)
        elif isinstance(result, Quantities):
            for one in result.quantities:
                if one.most is not None or one.least is not None:
                    measured = with_unit(one.value, one.unit)
                    yield f"{result.name}: {one.name}", measured, _bound(one), _holds(one.holds)
        elif result.wanted is not None:
            low, high = result.wanted
            value = result.exponent
            holds = None if value is None else low <= value <= high
            measured = NONE if value is None else f"{value:.2f}"
            yield f"{result.name}: exponent", measured, f"{low:g} to {high:g}", _holds(holds)


def _bound(one: Quantity) -> str:
    if one.most is not None:
        return f"≤ {one.most:g} {one.unit}".rstrip()
    return NONE if one.least is None else f"≥ {one.least:g} {one.unit}".rstrip()


def _holds(holds: bool | None) -> str:
    return NONE if holds is None else "yes" if holds else "no"


def digits(value: float | None) -> str:
    """A figure with three significant digits, and none of the whole ones lost.

    >>> digits(0.01234), digits(1.2345), digits(12.345), digits(12345.6), digits(None)
    ('0.0123', '1.23', '12.3', '12,346', '–')
    """
    if value is None:
        return NONE
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}".rstrip(".")


def with_unit(value: float | None, unit: str) -> str:
    """A figure with its unit."""
    return NONE if value is None else f"{digits(value)} {unit}".rstrip()


def in_docs(report: BenchReport, name: str) -> str:
    """A result as Markdown, by its name; `machine` and `targets` are what all have in common."""
    if name == "machine":
        facts = (f"{title}: {value}" for title, value in report.machine.items())
        return escape(f"{'; '.join(facts)}; best of {report.rounds}.")
    found = {one.name: table_of(one) for part in report.parts for one in part.results}
    if (targets := targets_of(report)) is not None:
        found["targets"] = targets
    table = found[name]
    parts = [f"**{escape(table.title)}**", plain_table(table), *map(escape, table.notes)]
    return "\n\n".join(parts)
