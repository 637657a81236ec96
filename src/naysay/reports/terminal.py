"""Findings on the terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from naysay.reports.tables import TextTable, heading, provenance, tables_of
from naysay.run.evaluation import Evaluation

_COLOURS = {"passes": "green", "fails": "red", "no effect": "red"}


def show(evaluation: Evaluation, console: Console | None = None) -> None:
    """Print all tables of an evaluation; text from models and files is never read as markup."""
    console = console or Console()
    for finding in evaluation.findings:
        console.print()
        console.print(Text(heading(evaluation, finding), style="bold"))
        for table in tables_of(finding, details=False):
            show_table(table, console)
        for name in sorted(finding.details):
            console.print(Text(f"{finding.titles[name]}: in {evaluation.folder}/report.md"))
        for appendix in finding.appendix:
            console.print(Text(f"{appendix.title}: in {evaluation.folder}/report.md"))
        for note in finding.notes:
            console.print(Text(note, style="dim"))
        console.print()
        colour = _COLOURS.get(finding.outcome, "yellow")
        console.print(Text(f"{evaluation.model} · {finding.verdict}", style=f"bold {colour}"))
    console.print()
    for line in provenance(evaluation):
        console.print(Text(line, style="dim"), soft_wrap=True)


def show_table(table: TextTable, console: Console | None = None) -> None:
    """Print one table under its title."""
    console = console or Console()
    console.print(Text(table.title, style="italic"))
    console.print(rich_table(table))
    console.print()


def rich_table(table: TextTable) -> Table:
    """The table as rich draws it, without its title; figures are never broken over lines."""
    rich = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for k, column in enumerate(table.columns):
        if table.is_figure(k):
            rich.add_column(Text(column), justify="right", no_wrap=True)
        else:
            rich.add_column(Text(column))
    for row in table.rows:
        rich.add_row(*map(Text, row))
    return rich
