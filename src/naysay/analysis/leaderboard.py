"""The papers' printed tables as data, and one's own runs placed among the models in them.

A board is one table of one paper: its models, their figures as printed, and what must be said of
them. A run joins a board with the figures that it has of the same table, each with its interval. A
figure that is about something else than the paper's, such as other items, is not placed; the board
says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from naysay.core.errors import UnknownNameError
from naysay.core.measures import BY_LIKELIHOOD
from naysay.core.numbers import plain_number
from naysay.core.records import Estimate, Finding
from naysay.run.differences import differences_of
from naysay.run.evaluation import Evaluation
from naysay.suites.identity import ModelIdentity
from naysay.suites.published import PrintedFigure, measure_of, printed_name

Place = tuple[str, str]
"""Where a figure stands in a table: its condition and its metric."""
BY_NAME = "*"
"""Marks a group that is read from a model's name."""
_OF_MODEL = ("checkpoint", "weights")
"""Differences that only a model of the paper can have."""
_MANY = 9
"""How many models make a leaderboard."""
_SIZES = ("facts", "facts_used", "relations", "templates")


@dataclass(frozen=True)
class BoardFigure:
    """One figure of a model: printed, or measured in a run."""

    value: float
    unit: str
    shown: str
    """Its digits, after `≈` or a bound's sign."""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class BoardEntry:
    """A model of a paper, or a run."""

    model: str
    figures: Mapping[Place, BoardFigure]
    group: str = ""
    """What the model was trained for, if the paper says so."""
    run: str = ""
    """The key of the run; nothing for a model of the paper."""
    differs: tuple[str, ...] = ()
    """How the run differs from the paper."""


@dataclass(frozen=True)
class Board:
    """A printed table, with runs among its models or without."""

    suite: str
    table: str
    source: str
    """Where the paper has it: `Table 6`."""
    title: str
    places: tuple[Place, ...]
    entries: tuple[BoardEntry, ...]
    notes: tuple[str, ...] = ()
    selected: bool = False
    """Whether it prints some of another board's models."""

    @property
    def ranked(self) -> bool:
        """Whether it is a leaderboard: many models, each with one share of right answers."""
        printed = [entry for entry in self.entries if not entry.run]
        units = {figure.unit for entry in printed for figure in entry.figures.values()}
        metrics = {metric for _, metric in self.places}
        return len(printed) >= _MANY and metrics == {"accuracy"} and units == {"%"}

    def by_rank(self) -> list[BoardEntry]:
        """The entries, highest first if they can be ranked; else as they are printed.

        A selection keeps its order, which may be another one: Table 1's is by downloads.
        """
        if not self.ranked or self.selected:
            return list(self.entries)
        [place] = self.places
        return sorted(self.entries, key=lambda entry: -entry.figures[place].value)

    def rank_range(self, entry: BoardEntry) -> tuple[int, int]:
        """The best and the worst rank among the paper's models that the interval allows."""
        [place] = self.places
        own = entry.figures[place]
        low, high = (own.value if end is None else end for end in (own.low, own.high))
        printed = [one.figures[place].value for one in self.entries if not one.run]
        above = (sum(value > end for value in printed) for end in (high, low))
        best, worst = above
        return best + 1, worst + 1


def boards_of(suite: str, paper: Mapping[str, Any]) -> list[Board]:
    """The paper's boards, in the order of its file."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in paper.get("row", ()):
        found.setdefault((row["table"], row["source"]), []).append(row)
    boards: list[Board] = []
    for (name, source), rows in found.items():
        board = _board(suite, paper, name, source, rows)
        if not any(earlier.table == name for earlier in boards):  # else they were told before
            board = replace(board, notes=(*board.notes, *_contradictions(paper, name)))
        boards += [board, *_selections(paper, board)]
    return boards


def find_boards(
    papers: Mapping[str, Mapping[str, Any]], suite: str, table: str | None = None
) -> list[Board]:
    """The boards of a suite; or those that the suite's paper has under a number or name."""
    if suite not in papers:
        raise UnknownNameError("suite with printed figures", suite, papers)
    if table is None:
        return boards_of(suite, papers[suite])
    title = papers[suite]["paper"]["title"]
    same = [name for name in papers if papers[name]["paper"]["title"] == title]
    every = [board for name in same for board in boards_of(name, papers[name])]
    return [board for board in every if table == board.table or is_called(board.source, table)]


def is_called(source: str, name: str) -> bool:
    """Whether a user means this place in a paper: by `Table 6`, `table 6` or `6`, or `figure 1`.

    >>> is_called("Tables 8 and 9", "9"), is_called("text, section 4", "4")
    (True, False)
    >>> is_called("Figure 1", "figure1"), is_called("Figure 1", "1")
    (True, False)
    """
    wanted = "".join(name.casefold().split())
    place = "".join(source.casefold().split())
    numbers = re.findall(r"\d+", source) if source.startswith("Table") else []
    return wanted == place or wanted.removeprefix("table") in numbers


def _board(
    suite: str, paper: Mapping[str, Any], name: str, source: str, rows: Sequence[Mapping[str, Any]]
) -> Board:
    figures: dict[str, dict[Place, BoardFigure]] = {}
    for row in rows:
        for model, value in row["values"].items():
            printed = PrintedFigure.of(row, value)
            figure = BoardFigure(printed.value, str(row.get("unit", "%")), printed.shown)
            figures.setdefault(model, {})[row["condition"], measure_of(row)] = figure
    entries = tuple(BoardEntry(m, own, _group(paper, m)) for m, own in figures.items())
    places = tuple((row["condition"], measure_of(row)) for row in rows)
    return Board(
        suite,
        name,
        source,
        name,
        places,
        entries,
        tuple(_notes(rows, paper["paper"].get("counted", ()))),
    )


def _contradictions(paper: Mapping[str, Any], table: str) -> list[str]:
    """Where the paper contradicts itself in a table; what is about none belongs to the first."""
    first = paper["row"][0]["table"]
    return [
        f"{one['source']}: {one['says']}"
        for one in paper.get("contradiction", ())
        if one.get("table", first) == table
    ]


def _notes(rows: Sequence[Mapping[str, Any]], counted: Sequence[str]) -> Iterator[str]:
    """What the file says of the rows beside their figures; what is said of all rows only once."""
    said: dict[str, list[str]] = {}
    for row in rows:
        where = f"{row['condition']}, {measure_of(row)}"
        if "note" in row:
            said.setdefault(str(row["note"]), []).append(where)
        if "printed" in row:
            quotes = [row["printed"]] if isinstance(row["printed"], str) else row["printed"]
            printed = " and ".join(f"“{quote}”" for quote in quotes)
            said.setdefault(f"printed as {printed}", []).append(where)
    for text, places in said.items():
        about = "" if len(places) == len(rows) else f"{'; '.join(places)}: "
        yield f"{about}{text}."
    for size in _SIZES:
        counts = {row["condition"]: f"{row[size]:,}" for row in rows if size in row}
        if counts:
            listed = ", ".join(f"{condition} {count}" for condition, count in counts.items())
            how = " (not printed, but counted in the released files)" if size in counted else ""
            yield f"Number of {size.replace('_', ' ')}{how}: {listed}."


def _selections(paper: Mapping[str, Any], board: Board) -> Iterator[Board]:
    """Tables that print some of a board's models."""
    for one in paper.get("selection", ()):
        if one["table"] != board.table:
            continue
        chosen = {entry.model: entry for entry in board.entries}
        entries = [chosen[name] for name in one["models"]]
        for name, value in one.get("digits", {}).items():
            [place] = board.places
            digits = PrintedFigure.of({}, value)
            own = replace(chosen[name].figures[place], value=digits.value, shown=digits.shown)
            entries[one["models"].index(name)] = replace(chosen[name], figures={place: own})
        yield replace(
            board, source=one["source"], title=one["title"], entries=tuple(entries),
            notes=tuple(note for note in board.notes if one["source"] in note), selected=True,
        )  # fmt: skip


def _group(paper: Mapping[str, Any], model: str) -> str:
    for one in paper.get("selection", ()):
        if model in one["models"] and "group" in one:
            return str(one["group"])
    for one in paper.get("group", ()):
        if re.search(one["pattern"], model):
            return f"{one['name']}{BY_NAME}"
    return ""


def with_runs(board: Board, runs: Sequence[tuple[str, Evaluation]]) -> Board:
    """The board with the runs that have figures of its table, and why others are not placed."""
    placed: list[BoardEntry] = []
    absent: dict[str, list[str]] = {}
    for label, evaluation in runs:
        for finding in evaluation.findings:
            if finding.suite != board.suite or not _belongs(board, evaluation):
                continue
            entry, left_out = _placed(board, label, evaluation, finding)
            placed += [entry] if entry.figures else []
            for why, places in left_out.items():
                absent.setdefault(f"{_named(places, board)}. {why}", []).append(label)
    notes = [f"{', '.join(labels)}, not placed: {text}" for text, labels in absent.items()]
    return replace(board, entries=(*board.entries, *placed), notes=(*board.notes, *notes))


def _belongs(board: Board, evaluation: Evaluation) -> bool:
    """Whether a run may join: to a selection of a board's models only those that are in it."""
    if not board.selected:
        return True
    name = printed_name(board.suite, ModelIdentity.of(evaluation.manifest.model))
    return any(entry.model == name for entry in board.entries)


def _named(places: Sequence[Place], board: Board) -> str:
    """The metrics of the places, after their conditions if there are others on the board."""
    metrics = ", ".join(dict.fromkeys(metric for _, metric in places))
    conditions = dict.fromkeys(condition for condition, _ in places)
    if {condition for condition, _ in board.places} <= conditions.keys():
        return metrics
    return f"{', '.join(conditions)}: {metrics}"


def _placed(
    board: Board, label: str, evaluation: Evaluation, finding: Finding
) -> tuple[BoardEntry, dict[str, list[Place]]]:
    """A run's figures of the board's table; by reason, those that are about something else."""
    in_paper = printed_name(board.suite, ModelIdentity.of(evaluation.manifest.model)) is not None
    figures: dict[Place, BoardFigure] = {}
    differs: dict[str, None] = {}
    left_out: dict[str, list[Place]] = {}
    for estimate in finding.estimates:
        place = estimate.condition, estimate.metric
        same = estimate.table.removesuffix(BY_LIKELIHOOD) == board.table and place in board.places
        if not same or estimate.value is None:
            continue
        if (why := finding.why_not(estimate)) is not None:
            left_out.setdefault(why, []).append(place)
            continue
        figures[place] = _measured(estimate)
        found = differences_of(finding, estimate)
        differs |= dict.fromkeys(one.text for one in found if in_paper or one.tag not in _OF_MODEL)
    entry = BoardEntry(label, figures, run=evaluation.run, differs=tuple(differs))
    return entry, left_out


def _measured(estimate: Estimate) -> BoardFigure:
    assert estimate.value is not None
    if estimate.unit == "count":
        shown = f"{estimate.value:,.0f}"
    else:
        shown = plain_number(estimate.value, estimate.unit)
    return BoardFigure(estimate.value, estimate.unit, shown, estimate.low, estimate.high)
