"""The result of training on negation, on the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from naysay.reports.markdown import bullets, escape, plain_table, titled_table
from naysay.reports.tables import NONE, TextTable, number
from naysay.run.evaluation import Evaluation
from naysay.train.negation.procedure import NegationResult, leak_lines, leak_notice
from naysay.train.negation.texts import LossChange

if TYPE_CHECKING:
    from naysay.analysis import Change, ComparedTable
    from naysay.analysis.unpaired import OwnItemsTable


_OWN = ("", "before", "after", "difference", "95 % interval", "p")
_COLUMNS = (*_OWN, "all before", "all after")


def training_line(result: NegationResult) -> str:
    """A sentence about the training."""
    trained = result.trained
    losses = [entry["loss"] for entry in trained.history if "loss" in entry]
    kept = ""
    if trained.kept_step != trained.steps:
        kept = f"; the weights of step {trained.kept_step:,} were kept, the best"
    return (
        f"{result.model} ({result.kind}) was trained on {result.sentences:,} sentences in "
        f"{trained.steps:,} steps; its loss went from {losses[0]:.3f} to {trained.loss:.3f}{kept}."
    )


def compared_tables(result: NegationResult) -> list[tuple[str, TextTable, str]]:
    """Each table before and after, with its suite and its verdict in plain words."""
    if result.comparison is None:
        return []
    tables = result.comparison.tables
    return [
        (table.suite, _compared(result, table), f"{table.verdict} {table.note}".strip())
        for table in tables
    ]


def _compared(result: NegationResult, table: ComparedTable) -> TextTable:
    before, after = table.items
    title = (
        f"{table.suite} · {table.title}: on {table.common:,} items that both were asked "
        f"({before:,} before, {after:,} after)"
    )
    several = len({change.metric for change in table.changes}) > 1
    rows = tuple(
        (
            f"{change.condition}: {change.metric}" if several else change.condition,
            number(change.first, change.unit),
            number(change.second, change.unit),
            number(change.difference, "points"),
            _bounds(change.low, change.high),
            number(change.p_holm, "p"),
            _own(result.before, change),
            _own(result.after, change),
        )
        for change in table.changes
    )
    return TextTable(title, _COLUMNS, rows)


OWN_ITEMS = (
    "Each figure is on the items that the model itself was asked, as in the paper, so a difference "
    "may come from the items instead of the model."
)


def own_items_tables(result: NegationResult) -> list[tuple[TextTable, str]]:
    """Each table on each one's own items, with its verdict in plain words."""
    return [(_on_own_items(table), table.verdict) for table in result.own_items]


def _on_own_items(table: OwnItemsTable) -> TextTable:
    rows = tuple(
        (
            change.condition,
            number(change.first, change.unit),
            number(change.second, change.unit),
            number(change.difference, "points"),
            _bounds(change.low, change.high),
            number(change.p_holm, "p"),
        )
        for change in table.changes
    )
    return TextTable(f"{table.suite} · {table.title}: on each one's own items", _OWN, rows)


def _own(evaluation: Evaluation, change: Change) -> str:
    """The run's own figure on all of its items, which depend on the model."""
    wanted = (change.suite, change.table, change.condition, change.metric)
    for estimate in evaluation:
        if (estimate.suite, estimate.table, estimate.condition, estimate.metric) == wanted:
            return number(estimate.value, estimate.unit)
    return NONE


def loss_table(changes: Sequence[LossChange]) -> TextTable:
    """The loss and the perplexity of sentences that were not trained on."""
    columns = ("", "sentences", "tokens", "before", "after", "loss", "95 % interval")
    rows = tuple(
        (
            change.text,
            f"{change.sentences:,}",
            f"{change.tokens:,}",
            *(f"{perplexity:,.2f}" for perplexity in change.perplexities),
            f"{change.change:+.3f}",
            _bounds(change.low, change.high, ".3f"),
        )
        for change in changes
    )
    title = "Perplexity on held-out sentences, and the change of the loss"
    return TextTable(title, columns, rows)


def loss_verdict(change: LossChange) -> str:
    """The change of perplexity on one kind of sentences, in words."""
    ratio, low, high = change.ratio
    percent, sure = 100 * (ratio - 1), low is not None and high is not None
    if not sure or (low or 0) <= 1 <= (high or 0):
        return f"No significant change of perplexity on sentences {change.text} ({percent:+.1f} %)."
    bounds = sorted(abs(100 * (bound - 1)) for bound in (low, high) if bound is not None)
    way = "rose" if ratio > 1 else "fell"
    return (
        f"On sentences {change.text} the perplexity {way} by {abs(percent):.1f} % "
        f"({bounds[0]:.1f} to {bounds[1]:.1f})."
    )


def _bounds(low: float | None, high: float | None, form: str = ".1f") -> str:
    if low is None or high is None:
        return NONE
    return f"{low:+{form}} to {high:+{form}}"


def show(result: NegationResult) -> None:
    """Print the first table of each suite, the verdicts, own items, and the perplexities."""
    from rich.console import Console

    from naysay.reports.terminal import safe_text, show_cells

    console = Console()

    def say(text: str, style: str = "") -> None:
        console.print(safe_text(text, style=style))

    say("")
    say(training_line(result), "bold")
    say("")
    shown: set[str] = set()
    for suite, table, verdict in compared_tables(result):
        say(table.title, "italic")
        if suite not in shown:
            show_cells(table, console)
        shown.add(suite)
        say(verdict)
        say("")
    if result.incomparable:
        say(result.incomparable, "yellow")
        say("")
    for table, verdict in own_items_tables(result):
        say(table.title, "italic")
        show_cells(table, console)
        say(verdict)
        say("")
    losses = loss_table(result.changes)
    say(losses.title, "italic")
    show_cells(losses, console)
    for change in result.changes:
        say(loss_verdict(change))
    say("")
    notice = leak_notice(result.extraction)
    say(notice, "bold red" if result.extraction["leaks"] else "dim")
    place = f"The model is in {result.folder}, the report in {result.folder / 'report.md'}."
    for line in (place, f"naysay run -m {result.folder}"):
        console.print(safe_text(line, style="dim"), soft_wrap=True)


def markdown(result: NegationResult) -> str:
    """The whole report."""
    parts = ["# Trained on negation", escape(training_line(result)), "## Leakage"]
    parts += [escape(leak_notice(result.extraction)), bullets(leak_lines(result.extraction))]
    parts += [
        "## Before and after",
        "Which items a model is asked can depend on the model. The first figures are on the items "
        "that both were asked; “all before” and “all after” are each one's own. p is Holm's, for "
        "all figures of a table together.",
    ]
    for _, table, verdict in compared_tables(result):
        parts += [titled_table(table), escape(verdict)]
    if result.incomparable:
        parts.append(escape(result.incomparable))
    if result.own_items:
        parts += ["### On each one's own items", OWN_ITEMS]
    for table, verdict in own_items_tables(result):
        parts += [titled_table(table), escape(verdict)]
    parts += [
        "## Loss on held-out text",
        "These sentences are from the same corpus. A model that only adapts to the corpus's "
        "style improves on them, so the loss on other text can be higher than shown here.",
        plain_table(loss_table(result.changes)),
    ]
    parts.append(bullets([loss_verdict(change) for change in result.changes]))
    parts += ["## Runs", bullets([str(run.folder) for run in (result.before, result.after)])]
    return "\n\n".join(part for part in parts if part) + "\n"
