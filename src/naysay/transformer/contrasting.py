"""Answers to `ContrastFills`: whether two blanks rank the same words in the same order.

Ranks are made beside the model, batch by batch, so that of each text no more is kept than they.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from naysay.probes import Contrast, ContrastFills, Fill, FillBlank
from naysay.stats.correlation import centred_ranks, correlations
from naysay.transformer.batches import Prepared, Question
from naysay.transformer.engine import Engine
from naysay.transformer.filling import fill_blanks
from naysay.transformer.words import Words

AT_ONCE = 256
"""So many probes are taken together: their ranks are in memory at one time."""


def blanks_of(probes: Sequence[ContrastFills]) -> list[FillBlank]:
    """The two questions of each probe, one after the other."""
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
    """The contrasts in the order of the probes; equal texts are run once."""
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
        ranks.update(zip(batch, centred_ranks(logits.cpu().numpy()), strict=True))

    fills = fill_blanks(engine, words, blanks_of(probes), prepared, keep)
    questions = [question for question, _ in prepared]
    first, second = (np.stack([ranks[q] for q in questions[k::2]]) for k in (0, 1))
    rhos = correlations(first, second).tolist()
    sides: list[tuple[Fill, Fill]] = list(zip(fills[::2], fills[1::2], strict=True))
    return [
        Contrast(None if math.isnan(rho) else rho, one, other)
        for rho, (one, other) in zip(rhos, sides, strict=True)
    ]
