"""The result on the terminal and as a page of Markdown."""

from __future__ import annotations

from naysay.train.negation.leaks import leak_lines, leak_notice
from naysay.train.negation.result import NegationResult
from naysay.train.negation.tables import (
    compared_tables,
    loss_table,
    loss_verdict,
    training_line,
)


def show(result: NegationResult) -> None:
    """Print the first table of each suite, the verdicts, and what was lost."""
    from rich.console import Console
    from rich.text import Text

    from naysay.compare.terminal import rich_table

    console = Console()

    def say(text: str, style: str = "") -> None:
        console.print(Text(text, style=style))

    say("")
    say(training_line(result), "bold")
    say("")
    shown: set[str] = set()
    for suite, table, verdict in compared_tables(result):
        say(table.title, "italic")
        if suite not in shown:
            console.print(rich_table(table))
        shown.add(suite)
        say(verdict)
        say("")
    if result.incomparable:
        say(result.incomparable, "yellow")
        say("")
    losses = loss_table(result.changes)
    say(losses.title, "italic")
    console.print(rich_table(losses))
    for change in result.changes:
        say(loss_verdict(change))
    say("")
    notice = leak_notice(result.extraction)
    say(notice, "bold red" if result.extraction["leaks"] else "dim")
    told = f"The model is in {result.folder}, the report in {result.folder / 'report.md'}."
    for line in (told, f"naysay run -m {result.folder}"):
        console.print(Text(line, style="dim"), soft_wrap=True)


def markdown(result: NegationResult) -> str:
    """The whole report."""
    from naysay.compare.tables import as_markdown_table, safe

    def listed(lines: list[str]) -> str:
        return "\n".join(f"- {safe(line)}" for line in lines)

    parts = ["# Trained on negation", safe(training_line(result)), "## Leakage"]
    parts += [safe(leak_notice(result.extraction)), listed(leak_lines(result.extraction))]
    parts += [
        "## Before and after",
        "Which items a model is asked can depend on the model. The first figures are on the items "
        "that both were asked; “all before” and “all after” are each one's own. p is Holm's, for "
        "all figures of a table together.",
    ]
    for _, table, verdict in compared_tables(result):
        parts += [f"**{safe(table.title)}**", as_markdown_table(table), safe(verdict)]
    if result.incomparable:
        parts.append(safe(result.incomparable))
    parts += [
        "## What it cost",
        "These sentences are from the same corpus. A model that only takes on the corpus's style "
        "becomes better on them, so a loss on other text can be higher than shown here.",
        as_markdown_table(loss_table(result.changes)),
    ]
    parts.append(listed([loss_verdict(change) for change in result.changes]))
    parts += ["## Runs", listed([str(run.folder) for run in (result.before, result.after)])]
    return "\n\n".join(part for part in parts if part) + "\n"
