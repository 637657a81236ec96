"""A comparison of runs: on the terminal, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import fields

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from naysay.analysis.changes import Change, name_of
from naysay.analysis.comparison import ComparedTable, Comparison
from naysay.analysis.flips import Flip, flips
from naysay.core.numbers import amount
from naysay.core.records import legend
from naysay.reports.markdown import escape, titled_table
from naysay.reports.tables import NONE, TextTable, number
from naysay.reports.terminal import SOFT, safe_text, show_cells
from naysay.run.evaluation import meanings_of
from naysay.suites import SUITES

_BREAK = re.compile(r"(?<=[-/:_@])(?=\w)")
"""Where a model's name may be broken."""
EXACT = "exact p, items taken as independent"
"""The title of McNemar's p, which ignores clusters: no verdict rests on it."""


def heading(comparison: Comparison, table: ComparedTable) -> str:
    """Which runs are compared on what."""
    first, other = comparison.runs[0], comparison.runs[table.run]
    return f"{table.suite} · {other.label} against {first.label} · {first.spec.language}"


def cells(comparison: Comparison, table: ComparedTable, *, short: bool = False) -> TextTable:
    """The table's figures in both runs, with their difference, interval and p-values.

    `short` is for a terminal: models' names are shortened, and the counts of `flipped` are left
    out.
    """
    first, other = comparison.runs[0].label, comparison.runs[table.run].label
    if short:
        first, other = (_BREAK.sub(SOFT, name) for name in _short_names(first, other))
    changes = table.changes
    samples, clusters = ({f(change) for change in changes} for f in (_sample, _clusters))
    columns: dict[str, Callable[[Change], str]] = {
        "": lambda c: name_of(c, changes),
        first: lambda c: number(c.first, c.unit),
        other: lambda c: number(c.second, c.unit),
        "Δ": lambda c: number(c.difference, "points"),
        "95 % interval": interval,
        "p": lambda c: chance(c.p),
        "Holm": lambda c: chance(c.p_holm),
        EXACT: lambda c: chance(c.p_mcnemar),
        "detectable": lambda c: NONE if c.detectable is None else f"{c.detectable:.1f}",
        "newly right, wrong": lambda c: _flips(c, c.newly_right, c.newly_wrong),
        "up, down": lambda c: _flips(c, c.up, c.down, wanted=False),
    }
    for column in (EXACT, "newly right, wrong", "up, down") if short else ():
        del columns[column]
    title = table.title
    if all(change.unpaired for change in changes):
        title = f"{title}, unpaired"
    if len(samples) == 1:
        title = f"{title}: {samples.pop()}"
    elif len(clusters) == 1 and not any(change.unpaired for change in changes):
        title, columns["n"] = f"{title}, in {clusters.pop()}", lambda c: f"{c.n:,}"
    elif short:
        paired = [change for change in changes if not change.unpaired]
        kinds = dict.fromkeys(kind for change in paired for kind in change.clusters_by)
        columns[f"n in {' × '.join(kinds)}" if kinds else "n"] = _short_sample
    else:
        columns["sample"] = _sample
    made = {name: [cell(change) for change in changes] for name, cell in columns.items()}
    kept = {n: column for n, column in made.items() if n == "" or set(column) != {NONE}}
    return TextTable(title, tuple(kept), tuple(zip(*kept.values(), strict=True)))


def _short_names(first: str, other: str) -> tuple[str, str]:
    """Two models' names without their owners or folders, where that leaves them apart.

    >>> _short_names("org/one", "known:blind"), _short_names("a/model", "b/model")
    (('one', 'known:blind'), ('a/model', 'b/model'))
    """
    one, two = (label.rstrip("/").rpartition("/")[2] or label for label in (first, other))
    return (one, two) if one != two else (first, other)


def in_words(comparison: Comparison, table: ComparedTable) -> str:
    """What the labels of the table's conditions mean; empty where they are words already."""
    meanings = meanings_of(SUITES.get(table.suite), comparison.runs[0].spec)
    return legend(meanings, (change.condition for change in table.changes))


def fresh(words: str, said: set[str]) -> str:
    """The parts of a legend that have not been said yet; they are said then."""
    parts = [part for part in words.split("; ") if part not in said]
    said.update(parts)
    return "; ".join(parts)


def in_common(comparison: Comparison, table: ComparedTable) -> str:
    """How many items each run has, and how many all have."""
    counts = ", ".join(
        f"{count:,} in {run.label}" + (f" ({100 * table.common / count:.1f} %)" if count else "")
        for run, count in zip(comparison.runs, table.items, strict=True)
    )
    return f"Items: {table.common:,} in common, of {counts}."


def flipped(table: ComparedTable) -> str:
    """How many items flipped each way, with McNemar's exact p; empty where not applicable."""
    parts = []
    counts: dict[str, Callable[[Change], str]] = {
        "newly right, newly wrong": lambda c: _flips(c, c.newly_right, c.newly_wrong),
        "up, down": lambda c: _flips(c, c.up, c.down, wanted=False),
    }
    for ways, count in counts.items():
        found = [
            f"{name_of(c, table.changes)} {count(c)} ({chance(c.p_mcnemar)})"
            for c in table.changes
            if count(c) != NONE and (c.up or c.down)
        ]
        if found:
            parts.append(f"{ways} ({EXACT}): {'; '.join(found)}")
    return f"Flipped {'; '.join(parts)}." if parts else ""


def chance(p: float | None) -> str:
    """A p-value as it is shown.

    >>> chance(0.00001), chance(0.0312), chance(None)
    ('< 0.001', '0.031', '–')
    """
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def interval(change: Change) -> str:
    """The bounds of the difference."""
    if change.low is None or change.high is None:
        return NONE
    return f"{change.low:+.1f} to {change.high:+.1f}"


def as_csv(comparison: Comparison) -> str:
    """All changes as comma-separated values, with full precision."""
    names = [field.name for field in fields(Change) if field.name != "clusters_by"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["first_run", "other_run", *(name for name in names if name != "run")])
    for change in comparison:
        labels = comparison.runs[0].label, comparison.runs[change.run].label
        writer.writerow([*labels, *(getattr(change, name) for name in names if name != "run")])
    return text.getvalue()


def as_markdown(comparison: Comparison) -> str:
    """A page with all tables."""
    parts = ["# naysay: runs compared"]
    parts += [f"> Warning: {escape(warning)}." for warning in comparison.warnings]
    parts += [f"> {escape(note)}." for note in comparison.notes]
    last = ""
    for table in comparison.tables:
        if (head := heading(comparison, table)) != last:
            parts.append(f"## {escape(head)}")
            last = head
        shown = cells(comparison, table)
        parts.append(titled_table(shown))
        if words := in_words(comparison, table):
            parts.append(escape(words))
        said = f"{escape(in_common(comparison, table))} **{escape(table.verdict)}**"
        parts.append(f"{said} {escape(table.note)}".rstrip())
    return "\n\n".join(parts) + "\n"


def _sample(change: Change) -> str:
    if not change.n:
        return NONE
    if change.unpaired:
        return f"n = {change.n_first:,} and {change.n_second:,}, unpaired"
    return f"n = {change.n:,} in {_clusters(change)}"


def _short_sample(change: Change) -> str:
    if change.unpaired:
        same = change.n_first == change.n_second
        return f"{change.n_first:,}" if same else f"{change.n_first:,}/{change.n_second:,}"
    counts = " × ".join(f"{count:,}" for count in change.clusters_by.values())
    return f"{change.n:,} in {counts}" if change.n else NONE


def _clusters(change: Change) -> str:
    return " × ".join(amount(count, kind) for kind, count in change.clusters_by.items())


def _flips(change: Change, one: int | None, other: int | None, *, wanted: bool = True) -> str:
    """Two counts of flips; none where the column is not about them."""
    if one is None or other is None or wanted != (change.wanted is not None):
        return NONE
    return f"{one:,}, {other:,}"


def show(comparison: Comparison, examples: int, console: Console | None = None) -> None:
    """Print all tables; text from models and files is never read as markup."""
    console = console or Console()
    for warning in comparison.warnings:
        console.print(safe_text(f"Warning: {warning}.", style="yellow"))
    for note in comparison.notes:
        console.print(safe_text(f"{note}.", style="dim"))
    last = noted = ""
    worded: set[str] = set()
    for table in comparison.tables:
        if (head := heading(comparison, table)) != last:
            console.print()
            console.print(safe_text(head, style="bold"))
            last, noted, worded = head, "", set()
        shown = cells(comparison, table, short=True)
        console.print(safe_text(shown.title, style="italic"))
        show_cells(shown, console)
        if words := fresh(in_words(comparison, table), worded):
            console.print(safe_text(words))
        console.print(safe_text(in_common(comparison, table), style="dim"))
        if counts := flipped(table):
            console.print(safe_text(counts, style="dim"))
        console.print(safe_text(table.verdict, style=f"bold {_colour(table)}"))
        if table.note and table.note != noted:  # once, where it is the same for many tables
            console.print(safe_text(table.note, style="yellow"))
            noted = table.note
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
        _indented(safe_text(f"{flip.change} ({named}): {flip.sentence}"), 2, console)
        answers = f"{flip.first_run}: {flip.first_answer}   {flip.other_run}: {flip.other_answer}"
        _indented(safe_text(answers, style="dim"), 6, console)


def _indented(text: Text, by: int, console: Console) -> None:
    """Print a text, all of whose lines are indented."""
    console.print(Padding(text, (0, 0, 0, by)))
