"""Answers to `FillBlank`: the best words at the blank, and the scores of the asked ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from naysay.probes import BLANK, Fill, FillBlank, WordList
from naysay.transformer.batches import Prepared, Question
from naysay.transformer.engine import Engine
from naysay.transformer.reading import Reading
from naysay.transformer.words import Words

Keep = Callable[[Sequence[Question], Any], None]
"""Is shown some questions and the logits of the words that count."""
_Form = tuple[WordList | None, bool]
"""The words that count, and whether the blank begins the text: there words have no space before."""


def fill_blanks(
    engine: Engine,
    words: Words,
    probes: Sequence[FillBlank],
    prepared: Sequence[Prepared],
    keep: Keep | None = None,
) -> list[Fill]:
    """The fills in the order of the probes; equal texts are run once."""
    asked: dict[Question, list[int]] = {}
    for k, (question, _) in enumerate(prepared):
        asked.setdefault(question, []).append(k)
    fills: dict[int, Fill] = {}
    for batch, logits in engine.passes(asked):
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
            if keep is not None:
                keep([batch[row] for row in rows], reading.counted)
            read_back = words.read_back if listed is None else listed.words.__getitem__
            for row, group in enumerate(numbers):
                for k in group:
                    fills[k] = reading.fill(row, probes[k].top_k, prepared[k][1], read_back)
    return [fills[k] for k in range(len(prepared))]


def _form(probe: FillBlank) -> _Form:
    return probe.among, probe.among is not None and probe.text.lstrip().startswith(BLANK)
