"""Findings as tables in LaTeX, to be put into a paper with \\input.

One table for each suite, models by conditions; all tables of all runs on request. They fit classes
with two columns: tables span both, and none uses longtable, which these classes refuse.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from naysay.reports.side_by_side import side_by_side
from naysay.reports.suite_tables import SuiteRow, SuiteTable, suite_tables
from naysay.reports.tables import TextTable, heading, provenance, tables_of
from naysay.run.evaluation import Evaluation
from naysay.suites import SUITES

_LONG = 40  # rows that fit on a page
_WIDE = 88  # letters of the usual size that fit on a line over both columns
_WIDE_SMALL = 84  # the same in small type
_LEAST = 12  # letters of a column whose words are broken
_SHORT = 14  # letters of a column that is never broken
_FLOATS = 15  # tables that may wait for a page; LaTeX gives up at 18, or at 52 since 2015
_LATIN = 0x17F  # the last letter of Latin Extended-A
_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "–": "--", "—": "---", "“": "``", "”": "''", "‘": "`", "’": "'", "…": r"\ldots{}",
    "·": r"\textperiodcentered{}", "•": r"\textbullet{}", "\u00a0": "~",
    "≥": r"$\geq$", "ρ": r"$\rho$", "×": r"$\times$", "Δ": r"$\Delta$", "→": r"$\to$",
    "▢": r"\_\_\_", "▸": r"$\triangleright$", "≤": r"$\leq$", "−": "$-$", "≈": r"$\approx$",
    "±": r"$\pm$", "√": r"$\surd$", "²": r"$^2$", "✓": "yes", "✗": "no",
}  # fmt: skip
OPENING = r"""% Tables made by naysay. In the preamble:
%   \usepackage[T1]{fontenc}
%   \usepackage{booktabs}
%   \usepackage{graphicx}
"""


def latex(evaluations: Sequence[Evaluation], *, full: bool = False) -> str:
    """One table for each suite, ready for \\input; if `full`, all tables of all runs, too."""
    tables = suite_tables(evaluations)
    parts = [OPENING, *map(suite_table, tables)]
    if full:
        parts += _every(evaluations)
    for evaluation in evaluations:
        parts.append("\n".join(f"% {_comment(line)}" for line in provenance(evaluation)))
    entries = dict.fromkeys(SUITES.get(table.suite).card.citation.strip() for table in tables)
    parts += ["\n".join(f"% {line}" for line in entry.splitlines()) for entry in entries]
    return _joined(parts)


def _every(evaluations: Sequence[Evaluation]) -> Iterator[str]:
    """The tables of several models, then all tables of each run."""
    yield "\\clearpage"
    yield from map(latex_table, side_by_side(evaluations))
    for evaluation in evaluations:
        for finding in evaluation.findings:
            yield f"% {_comment(heading(evaluation, finding))}"
            yield f"% {_comment(evaluation.model)} {_comment(finding.verdict)}"
            about = f"{evaluation.model}, {finding.suite}"
            yield from (latex_table(table, about) for table in tables_of(finding))


def suite_table(table: SuiteTable) -> str:
    """One suite: its models, rule-based controls, and the rows of its paper below."""
    groups = [
        ("", [row for row in table.rows if not row.rule_based]),
        ("Rule-based controls", [row for row in table.rows if row.rule_based]),
        (f"As published \\cite{{{table.citation}}}", list(table.published)),
    ]
    beside = _letters(table) <= _WIDE
    each = 2 if beside else 1  # a figure and its interval, which are aligned apart
    lines: list[str] = []
    for title, rows in groups:
        if not rows:
            continue
        lines.append("\\midrule")
        if title and rows != list(table.rows):
            width = 1 + each * len(table.columns)
            lines.append(f"\\multicolumn{{{width}}}{{l}}{{\\emph{{{title}}}}} \\\\")
        lines += [line for row in rows for line in _row(row, beside=beside)]
    names = [
        f"\\multicolumn{{{each}}}{{{'c' if beside else 'r'}}}{{{escape(column.name)}}}"
        for column in table.columns
    ]
    aligned = ("r@{ }l" if beside else "r") * len(table.columns)
    return "\n".join(
        [
            "\\begin{table*}", "\\centering", "\\small",
            f"\\begin{{tabular}}{{{_first([row.model for row in table.rows])}{aligned}}}",
            "\\toprule", f"{' & '.join(['Model', *names])} \\\\", *lines, "\\bottomrule",
            "\\end{tabular}", *(f"\\par\\footnotesize {escape(note)}" for note in table.notes),
            f"\\caption{{{_caption(table)}}}", f"\\label{{tab:naysay-{table.name}}}",
            "\\end{table*}",
        ]
    )  # fmt: skip


def _caption(table: SuiteTable) -> str:
    """What is measured, and what the columns mean."""
    meanings = [f"{column.name}: {column.words}" for column in table.columns if column.words]
    shares = any(column.unit == "%" for column in table.columns)
    differences = any(column.unit == "points" for column in table.columns)
    units = {
        (True, True): "Shares in %, differences in points",
        (True, False): "In %",
        (False, True): "In points",
    }.get((shares, differences), "Figures")
    bounded = any(any(row.intervals) for row in table.rows)
    quantity = table.quantity[:1].lower() + table.quantity[1:]
    parts = [
        f"{table.title}, {quantity}." if quantity else f"{table.title}.",
        *(["Answers by likelihood."] if table.by_likelihood else []),
        *([f"{'; '.join(meanings)}."] if meanings else []),
        f"{units}{', with 95 % intervals' if bounded else ''}.",
    ]
    return escape(" ".join(parts))


def _row(row: SuiteRow, *, beside: bool) -> Iterator[str]:
    """A model's line; its intervals in small type beside the figures, or on a second line."""
    intervals = [
        f"{{\\scriptsize {_number(f'[{text}]')}}}" if text else ""
        for text in row.intervals or [""] * len(row.figures)
    ]
    figures = [_number(text) for text in row.figures]
    if beside:
        pairs = zip(figures, intervals, strict=True)
        figures = [cell for pair in pairs for cell in pair]
    yield f"{' & '.join([_breakable(row.model), *figures])} \\\\"
    if not beside and any(intervals):
        yield f"{' & '.join(['', *intervals])} \\\\[2pt]"


def _letters(table: SuiteTable) -> int:
    """How wide the table is with intervals beside the figures; small type counts for less."""
    letters = max(len(row.model) for row in (*table.rows, *table.published))
    for k, column in enumerate(table.columns):
        cells = [len(row.figures[k]) for row in (*table.rows, *table.published)]
        bounds = [len(row.intervals[k]) for row in table.rows]
        letters += max(len(column.name), max(cells) + round(0.75 * (max(bounds) + 3))) + 2
    return letters


def _number(text: str) -> str:
    """A figure with true minus signs, and bounds with a dash between them."""
    return escape(text.replace(" to ", ", ").replace("-", "−"))


def latex_tables(tables: Sequence[TextTable]) -> str:
    """Tables that say themselves what they are about, ready for \\input."""
    return _joined([OPENING, *(latex_table(table) for table in tables)])


def _joined(parts: Sequence[str]) -> str:
    """The parts as one text, in which tables are put on their pages before they are too many."""
    text, waiting = [], 0
    for part in parts:
        text.append(part)
        waiting += part.count("\\begin{table*}")
        if waiting >= _FLOATS:
            text.append("\\clearpage")
            waiting = 0
    return "\n\n".join(text) + "\n"


def latex_table(table: TextTable, about: str = "") -> str:
    """One table with its caption; a long one in pieces."""
    pieces = [table.rows[start : start + _LONG] for start in range(0, len(table.rows), _LONG)]
    title = f"{table.title} ({about})" if about else table.title
    shown = [title, *(f"{title}, continued" for _ in pieces[1:])]
    last = len(pieces) - 1
    return "\n\n".join(
        _piece(replace(table, title=shown[k], rows=rows, notes=table.notes if k == last else ()))
        for k, rows in enumerate(pieces)
    )


def _piece(table: TextTable) -> str:
    aligned, fits = _aligned(table)
    rows = [
        f"\\begin{{tabular}}{{{aligned}}}", "\\toprule", _line(table.columns), "\\midrule",
        *map(_line, table.rows), "\\bottomrule", "\\end{tabular}",
    ]  # fmt: skip
    return "\n".join(
        [
            "\\begin{table*}", "\\centering", "\\footnotesize",
            f"\\caption{{{escape(table.title)}}}",
            "\n".join(rows) if fits else f"\\resizebox{{\\textwidth}}{{!}}{{{chr(10).join(rows)}}}",
            *(f"\\par {escape(note)}" for note in table.notes), "\\end{table*}",
        ]
    )  # fmt: skip


def _line(cells: Sequence[str]) -> str:
    first, *others = cells
    return f"{' & '.join([_breakable(first), *map(escape, others)])} \\\\"


def _aligned(table: TextTable) -> tuple[str, bool]:
    """The columns, and whether they fit: figures to the right; words are broken if need be."""
    lines = (table.columns, *table.rows)
    letters = [max(len(line[k]) for line in lines) + 2 for k in range(len(table.columns))]
    words = [k for k in range(len(letters)) if not table.is_figure(k) and letters[k] > _SHORT]
    wide = sum(letters[k] for k in words)
    left = _WIDE_SMALL - (sum(letters) - wide)  # what the other columns leave
    share = max(left, _LEAST * len(words)) / wide if wide > left and words else None
    aligned = [
        f"p{{{(share * letters[k] - 3) / _WIDE_SMALL:.2f}\\textwidth}}" if share and k in words
        else "r" if table.is_figure(k) else "l"
        for k in range(len(letters))
    ]  # fmt: skip
    return "".join(aligned), left >= (_LEAST * len(words) if share else 0)


def _first(names: Sequence[str]) -> str:
    """The column of the models' names; long names are broken."""
    return "l" if max(map(len, names)) <= _WIDE // 2 else "p{0.35\\textwidth}"


def _breakable(text: str) -> str:
    """A name that may be broken after its dashes, slashes and underscores."""
    name = escape(text)
    if " " in text or len(text) <= _WIDE // 2:
        return name
    return "".join(f"{sign}\\allowbreak{{}}" if sign in "-/_" else sign for sign in name)


def escape(text: str) -> str:
    """Text that LaTeX prints as it is; marks that only steer the writing are dropped.

    >>> escape("58.4 % of a_b")
    '58.4 \\\\% of a\\\\_b'
    """
    line = text.replace("\n", " ")
    visible = (sign for sign in line if unicodedata.category(sign) not in ("Cf", "Cc"))
    return "".join(_ESCAPES.get(sign) or _known(sign) for sign in visible)


def _known(sign: str) -> str:
    """A sign that LaTeX's usual fonts have, or its number."""
    return sign if ord(sign) <= _LATIN else f"U+{ord(sign):04X}"


def _comment(text: str) -> str:
    """Text that stays on the line of its comment."""
    return " ".join(text.split())
