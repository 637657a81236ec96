"""Answers to `FillBlank`: the best words at the blank, and the scores of the asked ones."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.probes import Fill, FillBlank
from naysay.transformer.batches import Prepared, Question
from naysay.transformer.engine import Engine
from naysay.transformer.reading import Reading
from naysay.transformer.words import Words


def fill_blanks(
    engine: Engine, words: Words, probes: Sequence[FillBlank], prepared: Sequence[Prepared]
) -> list[Fill]:
    """The fills in the order of the probes; equal texts are run once."""
    asked: dict[Question, list[int]] = {}
    for k, (question, _) in enumerate(prepared):
        asked.setdefault(question, []).append(k)
    fills: dict[int, Fill] = {}
    for batch, logits in engine.passes(asked):
        depth = max(probes[k].top_k for question in batch for k in asked[question])
        wanted = {
            (row, piece)
            for row, question in enumerate(batch)
            for k in asked[question]
            for piece in prepared[k][1]
            if piece is not None
        }
        reading = Reading(logits, depth, sorted(wanted))
        for row, question in enumerate(batch):
            for k in asked[question]:
                fills[k] = reading.fill(row, probes[k].top_k, prepared[k][1], words.read_back)
    return [fills[k] for k in range(len(prepared))]
