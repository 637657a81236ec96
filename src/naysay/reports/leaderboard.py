"""Printed tables and the runs among them: as tables of text, as records, and as a chart."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

from naysay.analysis.leaderboard import (
    BY_NAME,
    Board,
    BoardEntry,
    BoardFigure,
    boards_of,
    with_runs,
)
from naysay.core.numbers import plain_number
from naysay.core.records import legend
from naysay.reports.latex import latex_tables
from naysay.reports.markdown import titled_table
from naysay.reports.sections import Chart
from naysay.reports.tables import NONE, TextTable
from naysay.reports.vega import strips
from naysay.run.evaluation import Evaluation
from naysay.suites.published import papers, read_paper
from naysay.suites.report import report_of
from naysay.train.balanced import PUBLISHED

OWN = "▸"
"""Marks a run among the paper's models."""
_MANY = 20  # models that make a chart
_SCREEN = 80  # letters


def all_papers() -> dict[str, dict[str, Any]]:
    """What is printed for each suite, and for the training on the balanced corpus."""
    return {**papers(), "balanced": read_paper(PUBLISHED)}


def board_table(board: Board) -> TextTable:
    """A board as a table: models below one another, or side by side if that is narrower."""
    entries = board.by_rank()
    title = f"{board.suite} · {board.source}: {board.title}"
    meanings = report_of(board.suite).meanings(lambda option: None)
    words = legend(meanings, (condition for condition, _ in board.places))
    notes = (*([f"{words}."] if words else []), *board.notes, *_own_notes(board))
    names = [f"{OWN} {entry.model}" if entry.run else entry.model for entry in entries]
    labels = _place_labels(board)
    cells = [[_cell(entry.figures.get(place)) for place in board.places] for entry in entries]
    below = TextTable(
        title, ("", *labels), tuple((n, *c) for n, c in zip(names, cells, strict=True)), notes=notes
    )
    if any(entry.group for entry in entries):
        return _with_groups(below, entries)
    aside = TextTable(title, ("", *names), tuple(zip(labels, *cells, strict=True)), notes=notes)
    return below if _width(below) <= max(_SCREEN, _width(aside)) else aside


def _with_groups(table: TextTable, entries: Sequence[BoardEntry]) -> TextTable:
    """The table with a column that says what each model was trained for."""
    notes = table.notes
    if any(entry.group.endswith(BY_NAME) for entry in entries):
        notes = (f"{BY_NAME} by the model's name; the paper has it in no group.", *notes)
    rows = tuple((*row, entry.group) for row, entry in zip(table.rows, entries, strict=True))
    worded = frozenset({len(table.columns)})
    return replace(
        table, columns=(*table.columns, "trained for"), rows=rows, notes=notes, worded=worded
    )


def _width(table: TextTable) -> int:
    """How many letters wide the table is on a terminal."""
    lines = (table.columns, *table.rows)
    return sum(
        2 + max(len(part) for line in lines for part in line[k].split("\n"))
        for k in range(len(table.columns))
    )


def _cell(figure: BoardFigure | None) -> str:
    """A figure, and its interval on a second line."""
    if figure is None:
        return NONE
    if figure.low is None or figure.high is None:
        return figure.shown
    low, high = (plain_number(end, figure.unit) for end in (figure.low, figure.high))
    return f"{figure.shown}\n({low} to {high})"


def _place_labels(board: Board) -> list[str]:
    conditions, metrics = ({place[k] for place in board.places} for k in (0, 1))
    if len(metrics) == 1 and len(conditions) > 1:
        return [condition for condition, _ in board.places]
    if len(conditions) == 1 and len(metrics) > 1:
        return [metric for _, metric in board.places]
    return [f"{condition}: {metric}" for condition, metric in board.places]


def _own_notes(board: Board) -> list[str]:
    own = [entry for entry in board.entries if entry.run]
    notes = [f"{OWN} your runs, with 95 % intervals."] if own else []
    for entry in own:
        if board.ranked:
            best, worst = board.rank_range(entry)
            of = sum(not one.run for one in board.entries) + 1
            rank = str(best) if best == worst else f"{best} to {worst}"
            notes.append(f"{entry.model}: rank {rank} of {of}.")
    differing: dict[str, list[str]] = {}
    for entry in own:
        differing.setdefault(" ".join(entry.differs), []).append(entry.model)
    notes += [
        f"{', '.join(models)}, not as in the paper: {text}"
        for text, models in differing.items()
        if text
    ]
    return notes


def group_table(board: Board) -> TextTable | None:
    """The mean and the spread of a board's models by the paper's groups, as in a chart of its."""
    if not board.ranked:
        return None
    [place] = board.places
    groups: dict[str, list[float]] = {}
    for entry in board.entries:
        if entry.group and not entry.group.endswith(BY_NAME):
            groups.setdefault(entry.group, []).append(entry.figures[place].value)
    if not groups:
        return None
    rows = tuple(
        (
            group, str(len(values)), f"{fmean(values):.1f}",
            f"{stdev(values):.1f}" if len(values) > 1 else NONE,
            f"{min(values)}", f"{max(values)}",
        )
        for group, values in groups.items()
    )  # fmt: skip
    return TextTable(
        f"{board.suite} · {board.source} by what the models were trained for",
        ("trained for", "models", "mean", "standard deviation", "lowest", "highest"),
        rows,
        notes=("Computed from the printed figures of the models that the paper groups.",),
    )


def sources(papers: Mapping[str, Mapping[str, Any]], suite: str) -> list[str]:
    """Where the suite's paper prints figures."""
    title = papers[suite]["paper"]["title"]
    same = [name for name in papers if papers[name]["paper"]["title"] == title]
    return [board.source for name in same for board in boards_of(name, papers[name])]


def other_tables(
    papers: Mapping[str, Mapping[str, Any]], suite: str, *, whole_paper: bool = False
) -> dict[str, list[TextTable]]:
    """What is printed of single items, and whatever else, by where it stands.

    Other suites of the same paper are included with `whole_paper`.
    """
    title = papers[suite]["paper"]["title"]
    found: dict[str, list[TextTable]] = {}
    for name, paper in papers.items():
        if paper["paper"]["title"] != title or (name != suite and not whole_paper):
            continue
        statements: dict[str, list[tuple[str, ...]]] = {}
        for one in paper.get("statement", ()):
            statements.setdefault(one["source"], []).append((one["what"], str(one["says"])))
        for source, lines in statements.items():
            table = TextTable(f"{name} · {source}", ("", "printed"), tuple(lines), words=True)
            found.setdefault(source, []).append(table)
        for one in paper.get("example", ()):
            about = f"{name} · {one['source']}: {', '.join(one['triplet'])}, {one['condition']}"
            rows = tuple((model, str(word)) for model, word in one["values"].items())
            table = TextTable(about, ("", "first word"), rows, words=True)
            found.setdefault(one["source"], []).append(table)
        settings = paper.get("settings", {})
        if listed := settings.get("example"):
            source = settings["examples"]
            shown = tuple(
                (one["query"].replace("[MASK]", "▢"), one.get("gold", ""), _guesses(one))
                for one in listed
            )
            table = TextTable(f"{name} · {source}", ("", "right", "first words"), shown, words=True)
            found.setdefault(source, []).append(table)
    return found


def _guesses(example: Mapping[str, Any]) -> str:
    """Words with their probabilities or log-probabilities, as printed."""
    return ", ".join(
        f"{guess['token']} {getattr(score, 'text', score)}"
        for guess in example["top3"]
        for score in (guess.get("p", guess.get("logprob")),)
    )


def shown(boards: Sequence[Board], *, every: bool) -> list[TextTable]:
    """The boards as tables; selections from other boards only if `every` one is asked for."""
    tables = []
    for board in boards:
        if board.selected and not every:
            continue
        tables.append(board_table(board))
        if not board.selected and (groups := group_table(board)) is not None:
            tables.append(groups)
    return tables


_BRIEF = 12
"""How many lines of a table the first screen has, besides those of one's own runs."""


def first_screen(boards: Sequence[Board]) -> tuple[list[TextTable], str]:
    """The board that decides, cut where it is long, and what else there is."""
    named = [board for board in boards if not board.selected] or list(boards)
    if not named:
        return [], ""
    main = max(named, key=_weight)
    table = board_table(main)
    rest = [row for row in table.rows if not row[0].startswith(OWN)]
    more = rest[_BRIEF:] if len(rest) > _BRIEF + 3 else []
    if more:
        cut = f"{len(more)} more lines are not shown here."
        rows = tuple(row for row in table.rows if row not in more)
        table = replace(table, rows=rows, notes=(cut, *table.notes))
    others = [f"{board.source} ({board.title})" for board in boards if board is not main]
    return [table], f"Also printed: {'; '.join(others)}." if others else ""


def _weight(board: Board) -> tuple[bool, bool, int, int]:
    """Whether own runs are in a board, and figures that decide, then its models and figures."""
    figures = sum(len(entry.figures) for entry in board.entries)
    decides = any(figure.table == board.table for figure in report_of(board.suite).figure)
    return any(entry.run for entry in board.entries), decides, len(board.entries), figures


def listing(boards: Sequence[Board], papers: Mapping[str, Mapping[str, Any]]) -> list[TextTable]:
    """What is printed where: a table for each paper, oldest first."""
    by_paper: dict[tuple[int, str], list[Board]] = {}
    for board in boards:
        paper = papers[board.suite]["paper"]
        by_paper.setdefault((int(paper["year"]), f"{paper['authors']} {paper['year']}"), []).append(
            board
        )
    return [
        TextTable(
            about,
            ("suite", "source", "what", "models", "figures"),
            tuple(
                (
                    board.suite, board.source, board.title, str(len(board.entries)),
                    str(sum(len(entry.figures) for entry in board.entries)),
                )
                for board in found
            ),
            worded=frozenset({1, 2}),
        )
        for (_, about), found in sorted(by_paper.items(), key=lambda pair: pair[0])
    ]  # fmt: skip


def written(boards: Sequence[Board], papers: Mapping[str, Mapping[str, Any]], form: str) -> str:
    """The boards as the text of a file: `.csv`, `.json`, `.md` or `.tex`."""
    if form == ".csv":
        return as_csv(boards, papers)
    if form == ".json":
        found = records(boards, papers)
        return json.dumps(found, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    tables = shown(boards, every=True)
    if form == ".tex":
        return latex_tables(tables)
    return "\n\n".join(titled_table(table) for table in tables) + "\n"


def records(
    boards: Sequence[Board], papers: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """A record for each figure of each board."""
    by_suite = {name: f"{p['paper']['authors']} {p['paper']['year']}" for name, p in papers.items()}
    return [
        {
            "paper": by_suite[board.suite],
            "suite": board.suite,
            "source": board.source,
            "table": board.table,
            "condition": place[0],
            "metric": place[1],
            "unit": figure.unit,
            "model": entry.model,
            "value": figure.value,
            "shown": figure.shown,
            "low": figure.low,
            "high": figure.high,
            "group": entry.group,
            "run": entry.run,
        }
        for board in boards
        for entry in board.by_rank()
        for place, figure in entry.figures.items()
    ]  # fmt: skip


def as_csv(boards: Sequence[Board], papers: Mapping[str, Mapping[str, Any]]) -> str:
    """The records as CSV, with a line of names."""
    text = io.StringIO()
    lines = records(boards, papers)
    writer = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def among_published(
    suite: str, runs: Sequence[tuple[str, Evaluation]], models: Sequence[str]
) -> tuple[list[Chart], list[TextTable]]:
    """The boards of a suite that the runs are placed on, for the page; a chart for a long one."""
    charts, tables = [], []
    for printed in boards_of(suite, papers().get(suite, {})):
        board = with_runs(printed, runs)
        if len(board.entries) == len(printed.entries) or printed.selected:
            continue  # no run is on it, or it only repeats some of another board's models
        if board.ranked and len(printed.entries) >= _MANY:
            charts.append(_chart(board, models))
        tables.append(board_table(board))
    return charts, tables


def _chart(board: Board, models: Sequence[str]) -> Chart:
    """A tick for each of the paper's models by group, and the runs with their intervals."""
    [place] = board.places
    values = []
    for entry in board.by_rank():
        figure = entry.figures[place]
        values.append(
            {
                "model": entry.model if entry.run else "",
                "of": entry.model,
                "row": "your runs" if entry.run else entry.group.removesuffix(BY_NAME) or "models",
                "value": figure.value,
                "figure": _cell(figure).replace("\n", " "),
            }
            | ({} if figure.low is None else {"low": figure.low, "high": figure.high})
        )
    own = tuple(entry.model for entry in board.entries if entry.run)
    printed = len(board.entries) - len(own)
    return Chart(
        f"leaderboard-{board.suite}",
        "Among the published models",
        strips(values, models, f"{place[1]}, %"),
        f"Strip chart: the {place[1]} of {printed} published models by what they were trained for, "
        f"and above them {', '.join(own)} with intervals. The table has all of them.",
        own,
    )
