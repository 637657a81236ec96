"""Items on the terminal: sentences beneath one another, and the first words side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from naysay.core.console import visible
from naysay.core.examples import PROBABILITY, TOP, Example, ExampleSide
from naysay.core.numbers import percentage
from naysay.core.probes import BLANK
from naysay.reports.tables import TextTable
from naysay.run.triplet import TripletAnswers

_COLOURS = {True: "green", False: "red", None: "yellow"}
_MARKS = {True: "✓", False: "✗", None: "·"}
_LONGEST = 240  # a text with more signs is shortened in its middle
_LONG_WORD = 24  # what is longer is a sentence, and stands on a line of its own


def show_item(
    item: Example,
    heading: str,
    console: Console,
    pointed: Callable[[ExampleSide], bool] | None = None,
) -> None:
    """Print an item; text from models and files is never read as markup."""
    console.print()
    console.print(Text(visible(f"{heading} · {item.title}"), style="bold"))
    console.print(_conditions(item, pointed or (lambda side: False)))
    scored = [side for side in item.sides if side.top]
    if not scored:
        return
    console.print()
    if any(len(word) > _LONG_WORD for side in scored for word, _ in side.top):
        console.print(_options(item, scored))
    else:
        console.print(_first_words(item, scored))


def triplet_table(suite: str, answers: Sequence[TripletAnswers]) -> TextTable:
    """One triplet, several models: their first word in each condition, and whether it is kept."""
    first = answers[0].examples[0]
    labels = [side.label for side in first.sides]
    columns = ["", labels[0], "retained", *labels[1:]]
    rows = []
    for one in answers:
        words = [side.answer for side in one.examples[0].sides]
        rows.append([one.model, words[0], "✓" if one.retained else "no", *words[1:]])
    if any(one.published for one in answers):
        columns.append(f"published {labels[0]}")
        rows = [[*row, one.published or "–"] for row, one in zip(rows, answers, strict=True)]
    title = f"{suite} · {first.title}: the first word of each model"
    notes = tuple(
        f"{one.model}: the verb cannot be its first word ({one.problem}); this shows nothing."
        for one in answers
        if one.problem
    )
    return TextTable(title, tuple(columns), tuple(map(tuple, rows)), words=True, notes=notes)


def _table() -> Table:
    return Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))


def _conditions(item: Example, pointed: Callable[[ExampleSide], bool]) -> Table:
    """One line for each condition: its text with the answer at the blank, and the verdict."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    table.add_column()
    for side in item.sides:
        verdict = f"{_MARKS[side.right]} {side.verdict}" if side.verdict else ""
        if side.tie and side.verdict != "tie":
            verdict += " (tie)"
        table.add_row(
            Text("▸" if pointed(side) else " "),
            Text(visible(side.label), style="dim"),
            _sentence(side),
            Text(visible(verdict), style=_COLOURS[side.right]),
        )
    return table


def _sentence(side: ExampleSide) -> Text:
    """The text with the answer in brackets at the blank; else the answer after it.

    >>> _sentence(ExampleSide("CpTp", "She is happy to ▢.", "run", "repeats")).plain
    'She is happy to [run].'
    """
    before, blank, after = visible(shortened(side.text)).partition(BLANK)
    answer = visible(side.answer)
    style = f"bold {_COLOURS[side.right]}"
    if not side.answer:
        return Text(before + blank + after)
    if not blank:
        return Text.assemble(before, " → ", (answer, style))
    return Text.assemble(before, (f"[{answer}]", style), after)


def shortened(text: str) -> str:
    """The text, with a mark in place of its middle if it is too long; the end has the blank.

    >>> shortened("Talk? " + 30 * "It is late. " + "Birds can ▢.").count("It is late.")
    17
    """
    if len(text) <= _LONGEST:
        return text
    begin, end = text[: _LONGEST // 4], text[-(_LONGEST - _LONGEST // 4) :]
    return f"{begin.rpartition(' ')[0]} … {end.partition(' ')[2]}"


def _first_words(item: Example, scored: list[ExampleSide]) -> Table:
    """The first words of each condition by rank, and beneath them the words that matter."""
    table = _table()
    table.add_column("")
    for side in scored:
        table.add_column(Text(visible(side.label)))
    for rank in range(min(TOP, max(len(side.top) for side in scored))):
        cells = [side.top[rank] if rank < len(side.top) else None for side in scored]
        table.add_row(
            str(rank + 1),
            *(
                Text("") if cell is None else _word(side, *cell, item.scale)
                for side, cell in zip(scored, cells, strict=True)
            ),
        )
    further = [_further(side) for side in scored]
    for k in range(max(map(len, further))):
        table.add_row(
            "…",
            *(
                _word(side, *words[k], item.scale) if k < len(words) else Text("")
                for side, words in zip(scored, further, strict=True)
            ),
        )
    return table


def _further(side: ExampleSide) -> list[tuple[str, float]]:
    """The words that matter and are not among the first ones."""
    first = {word for word, _ in side.top}
    return [(word, score) for word, score in side.scores.items() if word not in first]


def _word(side: ExampleSide, word: str, value: float, scale: str) -> Text:
    style = ""
    if side.wanted and word in side.wanted.split(", "):
        style = "green"
    if side.unwanted and word in side.unwanted.split(", "):
        style = "red"
    return Text.assemble((visible(word), style), " ", (number(value, scale), "dim"))


def _options(item: Example, scored: list[ExampleSide]) -> Table:
    """The options in lines, best first, with their score in each condition."""
    table = _table()
    for side in scored:
        table.add_column(Text(visible(side.label)), justify="right")
    table.add_column("")
    by_side = [dict(side.top) for side in scored]
    for word, _ in scored[0].top:
        table.add_row(
            *(Text(number(one[word], item.scale) if word in one else "") for one in by_side),
            Text(visible(word), style="green" if word == scored[0].wanted else ""),
        )
    return table


def number(value: float, scale: str) -> str:
    """A score as it is shown.

    >>> number(0.42, "probability"), number(0.00002, "probability"), number(-3.5, "logprob")
    ('42 %', '< 0.01 %', '-3.500')
    """
    return percentage(value) if scale == PROBABILITY else f"{value:.3f}"
