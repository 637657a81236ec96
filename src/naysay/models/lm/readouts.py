"""Answers to `FillBlank`, `RankWords` and `ContrastFills`.

Ranks are computed batch by batch, so that only the ranks of each text are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from naysay.core.probes import (
    BLANK,
    Contrast,
    ContrastFills,
    Fill,
    FillBlank,
    Ranking,
    RankWords,
    WordList,
)
from naysay.models.lm.boundaries import Candidates, check_words
from naysay.models.lm.engine import Engine
from naysay.models.lm.logits import as_array, best, highest, kept
from naysay.models.lm.questions import Prepared, Question
from naysay.models.lm.reading import Reading
from naysay.models.lm.words import Words
from naysay.stats.association import centred_ranks, correlations

Keep = Callable[[Sequence[Question], Any], None]
"""Receives questions and the logits of the words that count."""
_Form = tuple[WordList | None, bool]
"""The words that count, and whether the blank begins the text, so that no space precedes it."""


_SPARE, _DEEPEST = 10, 40
"""How many more tokens of a causal model are read than words are asked for."""


def fill_blanks(
    engine: Engine,
    words: Words,
    probes: Sequence[FillBlank],
    prepared: Sequence[Prepared],
    keep: Keep | None = None,
    *,
    spare: int = _SPARE,
) -> list[Fill]:
    """Return the fills in the order of the probes; equal texts are run once.

    If a causal model is asked for words of a list, the first ones are whole words.
    """
    if words.masks:
        return _best_tokens(engine, words, probes, prepared, keep)
    deep = [p if p.among is None else replace(p, top_k=p.top_k + spare) for p in probes]
    fills = _best_tokens(engine, words, deep, prepared, keep)
    candidates: dict[int, Candidates] = {}
    for k, probe in enumerate(probes):
        if probe.among is not None:
            listed = words.listed(probe.among, begins=_form(probe)[1])
            pieces = [listed.piece[guess.word] for guess in fills[k].top]
            wanted = min(probe.whole, probe.top_k)
            candidates[k] = Candidates(prepared[k][0], fills[k], pieces, wanted, probe.top_k)
    check_words(engine, words, list(candidates.values()))
    short = []
    for k, found in candidates.items():
        fills[k] = found.answer()
        read_all = len(found.pieces) < deep[k].top_k
        if len(found.whole) < found.wanted and not read_all and spare < _DEEPEST:
            short.append(k)
    if short:
        again, at = [probes[k] for k in short], [prepared[k] for k in short]
        deeper = fill_blanks(engine, words, again, at, spare=4 * spare)
        for k, fill in zip(short, deeper, strict=True):
            fills[k] = fill
    return fills


def _best_tokens(
    engine: Engine,
    words: Words,
    probes: Sequence[FillBlank],
    prepared: Sequence[Prepared],
    keep: Keep | None,
) -> list[Fill]:
    """Return the best tokens at each blank, of the words that count."""
    asked: dict[Question, list[int]] = {}
    for k, (question, _) in enumerate(prepared):
        asked.setdefault(question, []).append(k)
    fills: dict[int, Fill] = {}
    screening = engine.screening if all(probe.only_best for probe in probes) else None
    for batch, logits in (screening or engine).passes(asked):
        forms: dict[_Form, dict[int, list[int]]] = {}
        for row, question in enumerate(batch):
            for k in asked[question]:
                forms.setdefault(_form(probes[k]), {}).setdefault(row, []).append(k)
        for (among, begins), rows in forms.items():
            listed = None if among is None else words.listed(among, begins=begins)
            part = logits if len(rows) == len(batch) else logits[list(rows)]
            numbers = list(rows.values())
            reading = Reading(
                part,
                max(probes[k].top_k for group in numbers for k in group),
                sorted(
                    {
                        (row, piece)
                        for row, group in enumerate(numbers)
                        for k in group
                        for piece in prepared[k][1]
                        if piece is not None
                    }
                ),
                None if listed is None else listed.pieces,
            )
            questions = [batch[row] for row in rows]
            engine.refuse_unless(reading.finite, questions)
            if keep is not None:
                keep(questions, reading.counted)
            read_back = words.read_back if listed is None else listed.words.__getitem__
            for row, group in enumerate(numbers):
                for k in group:
                    fills[k] = reading.fill(row, probes[k].top_k, prepared[k][1], read_back)
    return [fills[k] for k in range(len(prepared))]


def _form(probe: FillBlank) -> _Form:
    return probe.among, probe.among is not None and probe.text.lstrip().startswith(BLANK)


NEAR = {"fp32": 1e-4, "bf16": 0.25, "fp16": 0.05}
"""Logits closer than this could be swapped in another batch; far above any observed difference."""


def rank_words(
    engine: Engine, words: Words, probes: Sequence[RankWords], questions: Sequence[Question]
) -> list[Ranking]:
    """Return the rankings in the order of the probes; equal texts are run once."""
    asked: dict[Question, list[int]] = {}
    for k, question in enumerate(questions):
        asked.setdefault(question, []).append(k)
    found: dict[int, Ranking] = {}
    for batch, logits in engine.passes(asked):
        wanted = [probes[k] for question in batch for k in asked[question]]
        depth = max(rank for probe in wanted for rank in probe.ranks) + 2
        for raw in sorted({probe.raw for probe in wanted}):
            order = _Order(logits, words, depth, raw=raw)
            for row, question in enumerate(batch):
                for k in asked[question]:
                    if probes[k].raw == raw:
                        found[k] = _ranking(engine, words, order, row, question, probes[k])
    return [found[k] for k in range(len(probes))]


def _ranking(
    engine: Engine, words: Words, order: _Order, row: int, question: Question, probe: RankWords
) -> Ranking:
    if len(order) > 1 and order.is_close(row, probe.ranks, NEAR[engine.precision]):
        order = _Order(engine.logits([question]), words, max(probe.ranks) + 2, raw=probe.raw)
        row = 0
    ranked = [order.piece(row, rank) for rank in probe.ranks]
    return Ranking(
        tuple(None if piece is None else words.read_back(piece) for piece in ranked),
        words.read_back(order.first(row)),
    )


class _Order:
    """The best tokens of each row of logits, best first; ties are sorted by vocabulary index."""

    def __init__(self, logits: Any, words: Words, depth: int, *, raw: bool) -> None:
        self._first: list[int] = highest(logits)
        scores, pieces = best(logits if raw else kept(logits, words.whole_words), depth)
        places = np.lexsort((pieces, -scores), axis=-1)
        self._scores = np.take_along_axis(scores, places, axis=-1)
        self._pieces = np.take_along_axis(pieces, places, axis=-1)

    def __len__(self) -> int:
        return len(self._pieces)

    def first(self, row: int) -> int:
        """Return the best of all tokens, word or not."""
        return self._first[row]

    def piece(self, row: int, rank: int) -> int | None:
        """Return the token at a rank, None if there are no more."""
        if rank >= self._pieces.shape[1] or np.isneginf(self._scores[row, rank]):
            return None
        return int(self._pieces[row, rank])

    def is_close(self, row: int, ranks: Iterable[int], near: float) -> bool:
        """Return whether rounding could swap a requested rank with a neighbour."""
        scores = self._scores[row]
        last = len(scores) - 1
        pairs = {(k, k + 1) for rank in ranks for k in (rank - 1, rank) if 0 <= k < last}
        return any(scores[k] - scores[other] < near for k, other in pairs)


AT_ONCE = 256
"""Number of probes per batch, whose ranks are in memory at the same time."""


def blanks_of(probes: Sequence[ContrastFills]) -> list[FillBlank]:
    """Return the two questions of each probe, one after the other."""
    return [
        FillBlank(text, words, probe.top_k, among=probe.among)
        for probe in probes
        for text, words in ((probe.first, probe.words), (probe.second, probe.second_words))
    ]


def contrast_fills(
    engine: Engine,
    words: Words,
    probes: Sequence[ContrastFills],
    prepared: Sequence[Prepared],
) -> list[Contrast]:
    """Return the contrasts in the order of the probes; equal texts are run once."""
    found: list[Contrast] = []
    for start in range(0, len(probes), AT_ONCE):
        part = probes[start : start + AT_ONCE]
        found += _contrasts(engine, words, part, prepared[2 * start : 2 * (start + len(part))])
    return found


def _contrasts(
    engine: Engine, words: Words, probes: Sequence[ContrastFills], prepared: Sequence[Prepared]
) -> list[Contrast]:
    ranks: dict[Question, Any] = {}

    def keep(batch: Sequence[Question], logits: Any) -> None:
        ranks.update(zip(batch, centred_ranks(as_array(logits)), strict=True))

    fills = fill_blanks(engine, words, blanks_of(probes), prepared, keep)
    questions = [question for question, _ in prepared]
    first, second = (np.stack([ranks[q] for q in questions[k::2]]) for k in (0, 1))
    rhos = correlations(first, second).tolist()
    sides: list[tuple[Fill, Fill]] = list(zip(fills[::2], fills[1::2], strict=True))
    return [
        Contrast(None if math.isnan(rho) else rho, one, other)
        for rho, (one, other) in zip(rhos, sides, strict=True)
    ]
