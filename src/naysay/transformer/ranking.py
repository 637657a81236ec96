"""Answers to `RankWords`: which words stand at given ranks of the vocabulary.

Deep in the vocabulary words lie so close that rounding, which depends on the batch, could swap
them; and what is asked next depends on the word that is found. So where a neighbour of an asked
rank is near, the text is run once more, alone: what decides is then the same in every batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from naysay.probes import Ranking, RankWords
from naysay.transformer.batches import Question
from naysay.transformer.engine import Engine
from naysay.transformer.words import Words

NEAR = {"fp32": 1e-4, "bf16": 0.25}
"""Logits nearer than this could be swapped by another batch; by far above what was ever seen."""


def rank_words(
    engine: Engine, words: Words, probes: Sequence[RankWords], questions: Sequence[Question]
) -> list[Ranking]:
    """The rankings in the order of the probes; equal texts are run once."""
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
    """The best pieces of each row of logits, best first; equals go by their place."""

    def __init__(self, logits: Any, words: Words, depth: int, *, raw: bool) -> None:
        import torch

        self._first: list[int] = logits.argmax(dim=-1).tolist()
        if not raw:
            size = logits.shape[-1]
            keep = torch.zeros(size, dtype=torch.bool)
            keep[[piece for piece in words.whole_words if piece < size]] = True
            logits = logits.masked_fill(~keep.to(logits.device), float("-inf"))
        best = torch.topk(logits, min(depth, logits.shape[-1]), dim=-1)
        scores, pieces = best.values.cpu().numpy(), best.indices.cpu().numpy()
        places = np.lexsort((pieces, -scores), axis=-1)
        self._scores = np.take_along_axis(scores, places, axis=-1)
        self._pieces = np.take_along_axis(pieces, places, axis=-1)

    def __len__(self) -> int:
        return len(self._pieces)

    def first(self, row: int) -> int:
        """The best of all pieces, word or not."""
        return self._first[row]

    def piece(self, row: int, rank: int) -> int | None:
        """The piece at a rank, None where there are no more."""
        if rank >= self._pieces.shape[1] or np.isneginf(self._scores[row, rank]):
            return None
        return int(self._pieces[row, rank])

    def is_close(self, row: int, ranks: Iterable[int], near: float) -> bool:
        """Whether a neighbour of an asked rank is so near that rounding could swap them."""
        scores = self._scores[row]
        last = len(scores) - 1
        pairs = {(k, k + 1) for rank in ranks for k in (rank - 1, rank) if 0 <= k < last}
        return any(scores[k] - scores[other] < near for k, other in pairs)
