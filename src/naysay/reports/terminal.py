"""Findings on the terminal: a summary that fits a screen, or all tables."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from naysay.core.console import visible
from naysay.core.records import Finding
from naysay.reports.tables import (
    NONE,
    TextTable,
    deciding,
    heading,
    interval,
    lead_in,
    number,
    printed,
    provenance,
    tables_of,
    tally,
)
from naysay.run.evaluation import Evaluation

SOFT = "\u200b"
"""Where a heading of figures may be broken, besides between words; nothing is seen of it."""
_WORD = 24  # letters of a word that is not broken
_GAP = 2  # between columns
_COLOURS = {"passes": "green", "fails": "red", "no effect": "red"}


def summarise(evaluation: Evaluation, console: Console | None = None) -> None:
    """Print the verdict of each test with the figures that decide, and where the rest is."""
    console = console or Console()
    console.print()
    title = f"{evaluation.model} · {tally(evaluation.findings)}"
    console.print(safe_text(title, style="bold"))
    for finding in evaluation.findings:
        console.print()
        console.print(_verdict(finding))
        if text := lead_in(evaluation, finding):
            console.print(safe_text(f"{text}:"))
        console.print(_figures(finding))
        if finding.advice:
            console.print(safe_text(finding.advice))
    console.print()
    made, where, _ = provenance(evaluation)
    runs = evaluation.folder.parent
    place = "" if runs == Path("runs") else f" --runs {shlex.quote(str(runs))}"
    for line in (
        made,
        where,
        f"All tables and notes: naysay judge {evaluation.run[:8]} --full{place}",
        f"Charts and single answers on one page: naysay open{place}",
    ):
        console.print(safe_text(line, style="dim"))


def _verdict(finding: Finding) -> Text:
    """The suite, its outcome and the reason."""
    text = safe_text(f"{finding.suite} ", style="bold")
    text.append(visible(finding.outcome), style=f"bold {_colour(finding)}")
    text.append(visible(f": {finding.why}"))
    return text


def _figures(finding: Finding) -> Table:
    """The figures that decide, with their meaning, their intervals and the published ones."""
    figures = deciding(finding)
    beside = any(one.estimate.published is not None for one in figures)
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=0)
    for justify in _COLUMNS if beside else _COLUMNS[:-1]:
        grid.add_column(justify=justify)
    for one in figures:
        e = one.estimate
        bounds = interval(e)
        cells = [
            one.name,
            one.words,
            number(e.value, e.unit),
            "" if bounds == NONE else f"({bounds})",
            *(["" if e.published is None else f"published {printed(e)}"] if beside else []),
        ]
        grid.add_row("", *map(safe_text, cells))
    return grid


_COLUMNS: tuple[JustifyMethod, ...] = ("left", "left", "right", "right", "left")


def show(evaluation: Evaluation, console: Console | None = None) -> None:
    """Print all tables of an evaluation; text from models and files is never read as markup."""
    console = console or Console()
    for finding in evaluation.findings:
        console.print()
        console.print(safe_text(heading(evaluation, finding), style="bold"))
        for table in tables_of(finding, details=False):
            show_table(table, console)
        for name in sorted(finding.details):
            console.print(safe_text(f"{finding.titles[name]}: in {evaluation.folder}/report.md"))
        for appendix in finding.appendix:
            console.print(safe_text(f"{appendix.title}: in {evaluation.folder}/report.md"))
        for note in finding.notes:
            console.print(safe_text(note, style="dim"))
        console.print()
        style = f"bold {_colour(finding)}"
        console.print(safe_text(f"{evaluation.model} · {finding.verdict}", style=style))
    console.print()
    *lines, command = provenance(evaluation)
    for line in (*lines, *folded(command, console.width)):
        console.print(safe_text(line, style="dim"), soft_wrap=True)


def folded(command: str, width: int) -> list[str]:
    """A command over several lines, so that it can be copied from any terminal.

    >>> print(*folded("naysay run -m some/model --limit all", 30), sep="\\n")
    naysay run -m some/model \\
      --limit all
    """
    chunks: list[str] = []
    for word in map(shlex.quote, shlex.split(command)):
        if chunks and not word.startswith("-"):
            chunks[-1] += f" {word}"
        else:
            chunks.append(word)
    lines = chunks[:1]
    for chunk in chunks[1:]:
        if len(lines[-1]) + len(chunk) + len("  \\") <= width:
            lines[-1] += f" {chunk}"
        else:
            lines.append(f"  {chunk}")
    return [*(f"{line} \\" for line in lines[:-1]), *lines[-1:]]


def _colour(finding: Finding) -> str:
    return _COLOURS.get(finding.outcome, "yellow")


def safe_text(text: str, style: str = "") -> Text:
    """Text that is never read as markup, and that does not steer the terminal."""
    return Text(visible(text), style=style)


def show_table(table: TextTable, console: Console | None = None) -> None:
    """Print one table under its title."""
    console = console or Console()
    console.print(safe_text(table.title, style="italic"))
    show_cells(table, console)
    for note in table.notes:
        console.print(safe_text(note, style="dim"))
    console.print()


def show_cells(table: TextTable, console: Console) -> None:
    """Print a table's cells; columns that have no room follow below the others."""
    for k, part in enumerate(parts_of(table, console.width)):
        if k:
            console.print()
        console.print(rich_table(part, console.width))


def parts_of(table: TextTable, width: int) -> list[TextTable]:
    """The table cut into tables of that width, each with the first column; no figure is cut off."""
    [first, *rest] = [_width_of(table, k) for k in range(len(table.columns))]
    groups: list[list[int]] = [[]]
    used = first
    for k, wide in enumerate(rest, 1):
        if groups[-1] and used + _GAP + wide > width:
            groups.append([])
            used = first
        groups[-1].append(k)
        used += _GAP + wide
    if len(groups) == 1:
        return [table]
    return [
        replace(
            table,
            columns=tuple(table.columns[k] for k in (0, *group)),
            rows=tuple(tuple(row[k] for k in (0, *group)) for row in table.rows),
            worded=frozenset(n for n, k in enumerate((0, *group)) if k in table.worded),
        )
        for group in groups
    ]


def _width_of(table: TextTable, column: int, *, whole: bool = False) -> int:
    """The least width of a column, whose texts and heading may be broken between words.

    With `whole` the width without breaks; figures are never broken.
    """
    heading, cells = table.columns[column], [row[column] for row in table.rows]
    figure = table.is_figure(column)
    lines = [line for cell in cells for line in cell.splitlines()]
    if not whole:
        lines = lines if figure else [word for line in lines for word in line.split()]
    parts = [heading] if whole else [part.rstrip() for part in _pieces(heading)]
    longest = max(map(cell_len, (*parts, *lines)), default=0)
    return longest if figure or whole else min(longest, _WORD)


def rich_table(table: TextTable, width: int) -> Table:
    """The table as rich draws it, without its title.

    Figures keep to their line, and so do words; where a table is too wide, headings are broken.
    """
    rich = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for k, wide in enumerate(_widths(table, width)):
        heading = table.columns[k]
        if not table.is_figure(k):
            rich.add_column(safe_text(heading), overflow="fold", width=wide)
            continue
        heading = "\n".join(_folded(heading, wide))
        rich.add_column(safe_text(heading), justify="right", no_wrap=True, width=wide)
    for row in table.rows:
        rich.add_row(*(safe_text(cell) for cell in row))
    return rich


def _pieces(heading: str) -> list[str]:
    """The parts of a heading between which it may be broken, with the spaces behind them.

    >>> _pieces("95 % interval"), _pieces(f"known:{SOFT}blind")
    (['95 ', '% ', 'interval'], ['known:', 'blind'])
    """
    return [piece for part in heading.split(SOFT) for piece in re.findall(r"\S+\s*", part)]


def _folded(heading: str, width: int) -> list[str]:
    """The heading on as many lines as its pieces need."""
    lines = [""]
    for piece in _pieces(heading):
        if lines[-1] and cell_len(f"{lines[-1]}{piece}".rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _widths(table: TextTable, width: int) -> list[int]:
    """The width of each column; if a table is too wide, words get what its figures leave.

    Rich would also take from columns that have nothing to give.
    """
    columns = range(len(table.columns))
    whole = [_width_of(table, k, whole=True) for k in columns]
    left = width - _GAP * (len(whole) - 1)
    if sum(whole) <= left:
        return whole
    widths = [_width_of(table, k) for k in columns]
    for _ in range(left - sum(widths)):
        narrow = [k for k in columns if widths[k] < whole[k] and not table.is_figure(k)]
        if narrow:
            widths[min(narrow, key=widths.__getitem__)] += 1
    return widths
