"""Findings as tables in LaTeX, to be put into a paper with \\input."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from naysay.reports.tables import TextTable, heading, provenance, tables_of
from naysay.run.evaluation import Evaluation

_LONG = 40  # rows that fit on a page
_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "–": "--", "“": "``", "”": "''", "…": r"\ldots{}", "·": r"\textperiodcentered{}",
    "≥": r"$\geq$", "ρ": r"$\rho$", "×": r"$\times$", "Δ": r"$\Delta$", "→": r"$\to$",
    "▢": r"\_\_\_", "≤": r"$\leq$", "−": "$-$", "≈": r"$\approx$",
}  # fmt: skip
_OPENING = r"""% Tables made by naysay. In the preamble:
%   \usepackage[T1]{fontenc}
%   \usepackage{booktabs}
%   \usepackage{longtable}
"""


def latex(evaluations: Sequence[Evaluation]) -> str:
    """All tables of all evaluations, ready for \\input."""
    parts = [_OPENING]
    for evaluation in evaluations:
        for finding in evaluation.findings:
            parts.append(f"% {_comment(heading(evaluation, finding))}")
            parts.append(f"% {_comment(evaluation.model)} {_comment(finding.verdict)}")
            about = f"{evaluation.model}, {finding.suite}"
            parts += [_table(table, about) for table in tables_of(finding)]
        parts.append("\n".join(f"% {_comment(line)}" for line in provenance(evaluation)))
    return "\n\n".join(parts) + "\n"


def _table(table: TextTable, about: str) -> str:
    aligned = "".join("r" if table.is_figure(k) else "l" for k in range(len(table.columns)))
    head = f"{' & '.join(map(escape, table.columns))} \\\\"
    rows = "\n".join(f"{' & '.join(map(escape, row))} \\\\" for row in table.rows)
    caption = f"\\caption{{{escape(f'{table.title} ({about})')}}}"
    notes = [f"\\par\\footnotesize {escape(note)}" for note in table.notes]
    if len(table.rows) > _LONG:
        return "\n".join(
            [
                f"\\begin{{longtable}}{{{aligned}}}", f"{caption} \\\\", "\\toprule", head,
                "\\midrule", "\\endhead", "\\bottomrule", "\\endfoot", rows, "\\end{longtable}",
                *(f"{{{note}\\par}}" for note in notes),
            ]
        )  # fmt: skip
    return "\n".join(
        [
            "\\begin{table}", "\\centering", caption, f"\\begin{{tabular}}{{{aligned}}}",
            "\\toprule", head, "\\midrule", rows, "\\bottomrule", "\\end{tabular}", *notes,
            "\\end{table}",
        ]
    )  # fmt: skip


def escape(text: str) -> str:
    """Text that LaTeX prints as it is; marks that only steer the writing are dropped.

    >>> escape("58.4 % of a_b")
    '58.4 \\\\% of a\\\\_b'
    """
    visible = (sign for sign in text if unicodedata.category(sign) not in ("Cf", "Cc"))
    return "".join(_ESCAPES.get(sign, sign) for sign in visible)


def _comment(text: str) -> str:
    """Text that stays on the line of its comment."""
    return " ".join(text.split())
