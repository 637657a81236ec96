"""Ways to ask a masked model for the word at a blank."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from naysay.bench.turns import Round, Way, attempt, spread_out
from naysay.core.probes import BLANK, FillBlank
from naysay.core.protocols import Model, ModelRequest
from naysay.models import open_model

LOOP = "one sentence at a time, whole head"
PIPELINE = "transformers' fill-mask pipeline"
CLOZE = "minicons' cloze"
FP32, AUTO = "naysay, fp32", "naysay, auto"
BATCH = 64
"""Texts in a batch of the other libraries."""

Asked = Sequence[FillBlank]
WordAnswer = tuple[str | None, float | None]
"""The first word, and the log-probability of the question's own word."""


def over(
    name: str, answer: Callable[[Asked], Sequence[WordAnswer]], probes: Asked, timed: int | None
) -> Way:
    """Return a way over these questions, timed on some of them in each round."""

    def run(number: int) -> Round:
        part = probes if timed is None else spread_out(probes, timed, number)
        words = answer(part)
        return Round(len(part), {p.text: word for p, word in zip(part, words, strict=True)})

    return Way(name, run, whole=len(probes))


def others(
    model: Any, tokenizer: Any, probes: Asked, *, loop: int, batched: int | None
) -> list[Way]:
    """Return the ways of others; `loop` and `batched` say on how many questions they are timed."""
    return [
        over(LOOP, whole_head(model, tokenizer), probes, loop),
        attempt(PIPELINE, lambda: over(PIPELINE, pipeline(model, tokenizer), probes, batched)),
        attempt(CLOZE, lambda: over(CLOZE, cloze(model, tokenizer), probes, batched)),
    ]


def whole_head(model: Any, tokenizer: Any) -> Callable[[Asked], list[WordAnswer]]:
    """Return the way of much released code: one text at a time, the head at all positions."""
    import torch

    def answer(probe: FillBlank) -> WordAnswer:
        inputs = tokenizer(probe.text.replace(BLANK, tokenizer.mask_token), return_tensors="pt")
        with torch.no_grad():
            logits = model(**inputs).logits
        place = int((inputs["input_ids"][0] == tokenizer.mask_token_id).nonzero()[0])
        scores = logits[0, place].log_softmax(dim=0)
        word = tokenizer.convert_tokens_to_ids(probe.words[0])
        return str(tokenizer.convert_ids_to_tokens(int(scores.argmax()))), float(scores[word])

    return lambda probes: [answer(probe) for probe in probes]


def pipeline(model: Any, tokenizer: Any) -> Callable[[Asked], list[WordAnswer]]:
    """Return transformers' own way, in batches; it gives the first word only."""
    import transformers

    ready = transformers.pipeline(
        "fill-mask", model=model, tokenizer=tokenizer, batch_size=BATCH, top_k=1, device="cpu"
    )

    def answer(probes: Asked) -> list[WordAnswer]:
        found = ready([probe.text.replace(BLANK, tokenizer.mask_token) for probe in probes])
        ids = [(guesses if len(probes) > 1 else found)[0]["token"] for guesses in found]
        return [(str(word), None) for word in tokenizer.convert_ids_to_tokens(ids)]

    return answer


def cloze(model: Any, tokenizer: Any) -> Callable[[Asked], list[WordAnswer]]:
    """Return minicons' way, in batches; it gives the log-probability of the question's word only.

    It masks every occurrence of that word, so the word must not be elsewhere in the text.
    """
    from minicons import scorer

    ready = scorer.MaskedLMScorer(model, "cpu", tokenizer=tokenizer)

    def answer(probes: Asked) -> list[WordAnswer]:
        found: list[float] = []
        for start in range(0, len(probes), BATCH):
            part = probes[start : start + BATCH]
            found += ready.cloze([(p.text.replace(BLANK, p.words[0]), p.words[0]) for p in part])
        return [(None, score) for score in found]

    return answer


def opened(folder: Path | str, precision: str = "fp32") -> Any:
    """Open a folder's model as `naysay run` does."""
    model = open_model(str(folder), ModelRequest(precision=precision, device="cpu"))
    with contextlib.redirect_stderr(io.StringIO()):  # that it is being loaded
        model.prepare()
    return model


def naysay_ways(folder: Path, probes: Asked) -> list[Way]:
    """Return the ways of `naysay run`, in fp32 and in the precision that pays here."""
    exact, fast = opened(folder), opened(folder, "auto")
    only_best = [replace(probe, only_best=True) for probe in probes]
    return [
        over(FP32, lambda asked: _scored(exact, asked), probes, None),
        over(AUTO, lambda asked: _first(fast, asked), only_best, None),
    ]


def _scored(model: Model, probes: Asked) -> list[WordAnswer]:
    return [(fill.best, fill.scores[0]) for fill in model.ask(probes)]


def _first(model: Model, probes: Asked) -> list[WordAnswer]:
    return [(fill.best, None) for fill in model.ask(probes)]
