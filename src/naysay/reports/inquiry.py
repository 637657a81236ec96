"""The replies of several models to one question, side by side on the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

from rich.cells import cell_len
from rich.console import Console

from naysay.core.numbers import percentage
from naysay.reports.tables import TextTable
from naysay.reports.terminal import rich_table, safe_text, show_table
from naysay.run.inquiry import COSINE, LOGPROB, Cloze, Inquiry, ModelReply, WordChance

Column = tuple[str, list[str]]
"""A heading and the cells below it."""
_LONG_NAME = 24  # a path that is longer is shown by its last part
_SCALES = {
    COSINE: "cosine: 1 is the same direction, 0 unrelated, -1 opposite",
    LOGPROB: (
        "log-likelihood of a sentence after the first one (natural logarithm): nearer to 0 is "
        "likelier, and longer sentences have less"
    ),
    "score": "score: on the model's own scale, higher is closer; the mean of both orders",
    "likeness": "likeness: the rule's own score, from 0 to 1",
}


def show_inquiry(inquiry: Inquiry, console: Console | None = None) -> None:
    """Print the sentences, the replies, and what the negation changed."""
    console = console or Console()
    _show_sentences(inquiry, console)
    clozes = [reply for reply in inquiry if reply.clozes]
    scored = [reply for reply in inquiry if reply.scores]
    if clozes:
        _show_clozes(clozes, console)
    if scored and not inquiry.negation:
        _show_scores(inquiry.sentences, scored, console)
    for line in inquiry.conclusions:
        # A figure keeps its sign: textwrap does not break at this space.
        wrapped = textwrap.fill(line.replace(" %", "\u00a0%"), console.width)
        console.print(safe_text(wrapped, style="bold"))
    for note in _notes(clozes, scored):
        console.print(safe_text(note, style="dim"))


def _show_sentences(inquiry: Inquiry, console: Console) -> None:
    if (pair := inquiry.negation) is not None:
        console.print(safe_text(f"without: {pair.without}"))
        console.print(safe_text(f"with:    {pair.negated}"))
        console.print(safe_text(f"({pair.change})", style="dim"))
    elif len(inquiry.sentences) == 2:
        for number, sentence in enumerate(inquiry.sentences, 1):
            console.print(safe_text(f"{number}  {sentence}"))
    else:
        console.print(safe_text(inquiry.sentences[0]))
    console.print()


def _show_clozes(replies: Sequence[ModelReply], console: Console) -> None:
    ranks = [str(k + 1) for k in range(max(len(c.top) for r in replies for c in r.clozes))]
    _show_columns("", ranks, [_columns(reply, _first_words) for reply in replies], console)
    if words := [one.word for one in replies[0].clozes[0].words]:
        columns = [_columns(reply, _words_of_interest) for reply in replies]
        _show_columns("(rank)", words, columns, console)


def _columns(reply: ModelReply, cells: Callable[[Cloze], list[str]]) -> list[Column]:
    name = short_name(reply.model)
    if len(reply.clozes) == 1:
        return [(name, cells(reply.clozes[0]))]
    sides = zip(("without", "with"), reply.clozes, strict=True)
    return [(f"{name}\n{side}", cells(cloze)) for side, cloze in sides]


def short_name(model: str) -> str:
    """A model's name, the last part of a long path.

    >>> short_name("mini-aware"), short_name("/home/me/checkpoints/of/today/step-100")
    ('mini-aware', 'step-100')
    """
    return model if len(model) <= _LONG_NAME else PurePath(model).name


def _first_words(cloze: Cloze) -> list[str]:
    width = max(cell_len(one.word) for one in cloze.top)
    figures = [percentage(one.probability or 0.0) for one in cloze.top]
    return [
        f"{one.word}{' ' * (width - cell_len(one.word))} {figure:>{max(map(len, figures))}}"
        for one, figure in zip(cloze.top, figures, strict=True)
    ]


def _words_of_interest(cloze: Cloze) -> list[str]:
    return [_interest(one) for one in cloze.words]


def _interest(one: WordChance) -> str:
    """A word's probability and rank, or why it has none.

    >>> _interest(WordChance("run", 0.34, 0)), _interest(WordChance("jog", 0.00003, None))
    ('34 % (1)', '< 0.01 %')
    """
    if one.probability is None:
        return one.problem
    rank = "" if one.rank is None else f" ({one.rank + 1:,})"
    return f"{percentage(one.probability)}{rank}"


def _show_columns(
    heading: str, labels: list[str], models: Sequence[list[Column]], console: Console
) -> None:
    """Print as many models beside one another as fit, and the rest below."""
    for group in _fitting(heading, labels, models, console):
        console.print(rich_table(_text_table(heading, labels, group), console.width))
        console.print()


def _fitting(
    heading: str, labels: list[str], models: Sequence[list[Column]], console: Console
) -> Iterator[list[Column]]:
    group: list[Column] = []
    wide = console.options.update(max_width=10_000)  # else the measure ends at the console's width
    for columns in models:
        wider = rich_table(_text_table(heading, labels, [*group, *columns]), console.width)
        if group and console.measure(wider, options=wide).maximum > console.width:
            yield group
            group = []
        group = [*group, *columns]
    yield group


def _text_table(heading: str, labels: list[str], columns: Sequence[Column]) -> TextTable:
    rows = tuple(zip(labels, *(cells for _, cells in columns), strict=True))
    return TextTable("", (heading, *(name for name, _ in columns)), rows, words=True)


def _show_scores(sentences: Sequence[str], replies: Sequence[ModelReply], console: Console) -> None:
    """Print how each sentence compares with the first, by the first model's order."""
    order = sorted(range(len(sentences) - 1), key=lambda k: -replies[0].scores[k])
    if len(order) == 1:
        rows = tuple((short_name(r.model), f"{r.scores[0]:.3f}", _scale(r)) for r in replies)
        table = TextTable("similarity", ("", "", "scale"), rows, worded=frozenset({2}))
        show_table(table, console)
        return
    columns = ("sentence", *(short_name(reply.model) for reply in replies))
    ranked = tuple((sentences[k + 1], *(_ranked(reply, k) for reply in replies)) for k in order)
    show_table(TextTable("compared with it, closest first", columns, ranked), console)


def _scale(reply: ModelReply) -> str:
    return "log-likelihood" if reply.scale == LOGPROB else reply.scale


def _ranked(reply: ModelReply, k: int) -> str:
    rank = sum(other > reply.scores[k] for other in reply.scores)
    return f"{reply.scores[k]:.3f} ({rank + 1})"


def _notes(clozes: Sequence[ModelReply], scored: Sequence[ModelReply]) -> Iterator[str]:
    shown = [one.word for reply in clozes for cloze in reply.clozes for one in cloze.top]
    if any(word.startswith("##") for word in shown):
        yield "## marks a token that continues a word."
    for reply in clozes:
        if reply.continues:
            yield f"{reply.model} predicts a token, which may be the beginning of a longer word."
    for scale in dict.fromkeys(reply.scale for reply in scored):
        yield _SCALES.get(scale, f"{scale}: the probability of this label; the mean of both orders")
    for reply in scored:
        if reply.cut:
            yield f"{reply.model}: a sentence is too long, only its beginning was read."
