"""A comparison on the terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from naysay.compare.comparison import ComparedTable, Comparison
from naysay.compare.flips import Flip, flips
from naysay.compare.tables import cells, flipped, heading, in_common
from naysay.report.tables import TextTable


def show(comparison: Comparison, examples: int, console: Console | None = None) -> None:
    """Print all tables; text from models and files is never read as markup."""
    console = console or Console()
    for warning in comparison.warnings:
        console.print(Text(f"Careful: {warning}.", style="yellow"))
    told = ""
    for table in comparison.tables:
        if (head := heading(comparison, table)) != told:
            console.print()
            console.print(Text(head, style="bold"))
            told = head
        shown = cells(comparison, table, short=True)
        console.print(Text(shown.title, style="italic"))
        console.print(rich_table(shown))
        console.print(Text(in_common(comparison, table), style="dim"))
        if flips_told := flipped(table):
            console.print(Text(flips_told, style="dim"))
        console.print(Text(table.verdict, style=f"bold {_colour(table)}"))
        if examples:
            _show_flips(list(flips(comparison, table, examples)), console)
        console.print()


def _colour(table: ComparedTable) -> str:
    gains = [change.gain for change in table.changes if change.shown and change.gain is not None]
    if not gains:
        return "yellow"
    return "green" if min(gains) > 0 else "red" if max(gains) < 0 else "yellow"


def _show_flips(found: list[Flip], console: Console) -> None:
    for flip in found:
        named = flip.condition if flip.condition != "all" else flip.metric
        console.print(Text(f"  {flip.change} ({named}): {flip.sentence}"))
        answers = f"{flip.first_run}: {flip.first_answer}   {flip.other_run}: {flip.other_answer}"
        console.print(Text(f"      {answers}", style="dim"))


def rich_table(table: TextTable) -> Table:
    """The table as rich shows it."""
    rich = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for k, column in enumerate(table.columns):
        if table.is_figure(k):
            rich.add_column(Text(column), justify="right", no_wrap=True)
        else:
            rich.add_column(Text(column))
    for row in table.rows:
        rich.add_row(*map(Text, row))
    return rich
