"""Findings as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.reports.side_by_side import side_by_side
from naysay.reports.tables import TextTable, heading, provenance, tables_of
from naysay.run.evaluation import Evaluation
from naysay.suites import SUITES


def markdown(evaluations: Sequence[Evaluation]) -> str:
    """A page with all tables of all evaluations."""
    parts = ["# naysay: does the model understand *not*?"]
    if together := side_by_side(evaluations):
        parts += ["## All models", *map(titled_table, together)]
    for evaluation in evaluations:
        for finding in evaluation.findings:
            parts.append(f"## {escape(heading(evaluation, finding))}")
            parts.append(f"**{escape(evaluation.model)}** {escape(finding.verdict)}")
            parts += [titled_table(table) for table in tables_of(finding)]
            parts.append(bullets(finding.notes))
            parts.append(f"Test: {escape(SUITES.get(finding.suite).card.paper)}.")
        first, second, command = provenance(evaluation)
        parts.append(f"{escape(first)} {escape(second)}\n\n    {command}")
    return "\n\n".join(parts) + "\n"


def titled_table(table: TextTable) -> str:
    """A table under its title, with its notes below."""
    parts = [f"**{escape(table.title)}**", plain_table(table), *map(escape, table.notes)]
    return "\n\n".join(parts)


def plain_table(table: TextTable) -> str:
    """A table without its title."""
    columns = [escape(column) or " " for column in table.columns]
    aligned = ["---:" if table.is_figure(k) else "---" for k in range(len(columns))]
    lines = [columns, aligned, *([escape(cell) for cell in row] for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bullets(lines: Sequence[str]) -> str:
    """A list."""
    return "\n".join(f"- {escape(line)}" for line in lines)


def escape(text: str) -> str:
    """Text that Markdown shows as it is, whatever a model or a file is called."""
    for sign in "\\`*_<>|[]#":
        text = text.replace(sign, "\\" + sign)
    return text.replace("\n", " ")
