"""Findings as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.evaluation import Evaluation
from naysay.report.tables import TextTable, heading, provenance, tables_of
from naysay.suites import SUITES


def markdown(evaluations: Sequence[Evaluation]) -> str:
    """A page with all tables of all evaluations."""
    parts = ["# naysay: does the model understand *not*?"]
    for evaluation in evaluations:
        for finding in evaluation.findings:
            parts.append(f"## {_safe(heading(evaluation, finding))}")
            parts.append(f"**{_safe(evaluation.model)}** {_safe(finding.verdict)}")
            parts += [_table(table) for table in tables_of(finding)]
            parts.append("\n".join(f"- {_safe(note)}" for note in finding.notes))
            parts.append(f"Test: {_safe(SUITES.get(finding.suite).card.paper)}.")
        first, second, command = provenance(evaluation)
        parts.append(f"{_safe(first)} {_safe(second)}\n\n    {command}")
    return "\n\n".join(parts) + "\n"


def _table(table: TextTable) -> str:
    columns = [_safe(column) or " " for column in table.columns]
    aligned = ["---:" if table.is_figure(k) else "---" for k in range(len(columns))]
    lines = [columns, aligned, *([_safe(cell) for cell in row] for row in table.rows)]
    rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"**{_safe(table.title)}**\n\n{rows}"


def _safe(text: str) -> str:
    """Text that Markdown shows as it is, whatever a model or a file is called."""
    for sign in "\\`*_<>|[]#":
        text = text.replace(sign, "\\" + sign)
    return text.replace("\n", " ")
