"""Three methods of querying a masked model: a loop, transformers' pipeline, and naysay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers

from naysay.core.probes import BLANK, FillBlank
from naysay.core.protocols import Model, ModelRequest
from naysay.models import open_model

Way = Callable[[Sequence[FillBlank]], list[str]]
"""Answers each question with one word."""


def loop(model: Any, tokenizer: Any) -> Way:
    """Return the method of much research code: one text at a time, the head at all positions."""

    def answer(probe: FillBlank) -> str:
        text = probe.text.replace(BLANK, tokenizer.mask_token)
        inputs = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            logits = model(**inputs).logits
        place = int((inputs["input_ids"][0] == tokenizer.mask_token_id).nonzero()[0])
        return str(tokenizer.convert_ids_to_tokens(int(logits[0, place].argmax())))

    return lambda probes: [answer(probe) for probe in probes]


def pipeline(model: Any, tokenizer: Any) -> Way:
    """Return transformers' own method, in batches."""
    ready = transformers.pipeline(
        "fill-mask", model=model, tokenizer=tokenizer, batch_size=64, top_k=1, device="cpu"
    )

    def answer(probes: Sequence[FillBlank]) -> list[str]:
        found = ready([probe.text.replace(BLANK, tokenizer.mask_token) for probe in probes])
        return [str(tokenizer.convert_ids_to_tokens(guesses[0]["token"])) for guesses in found]

    return answer


def opened(folder: Path, precision: str = "fp32") -> Any:
    """Open the folder's model as `naysay run` does."""
    model = open_model(str(folder), ModelRequest(precision=precision, device="cpu"))
    model.prepare()
    return model


def naysay_way(model: Model) -> Way:
    """Return the method of `naysay run`."""
    return lambda probes: [fill.best for fill in model.ask(probes)]
