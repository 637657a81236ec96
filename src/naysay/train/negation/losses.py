"""What a training changed in the loss on given sentences: what was learned, and what was lost.

Masked models are asked for the same masked tokens before and after, all of them shown as the mask;
causal models for every token after those before it. The mean loss over tokens is the logarithm of
the perplexity, which for masked models is a pseudo-perplexity. Tokens of a sentence belong
together, so whole sentences are drawn for the interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from naysay.stats.bootstrap import Codes
from naysay.stats.difference import paired_difference
from naysay.stats.intervals import Floats
from naysay.train.collation import IGNORED, CausalCollator, MaskedCollator
from naysay.train.schedule import Item

_BATCH = 8  # the scores of a whole vocabulary for each token: more would take much memory


@dataclass(frozen=True)
class LossChange:
    """The mean loss of a token before and after, and the difference with its interval."""

    text: str
    """What the sentences are."""
    before: float
    after: float
    change: float
    low: float | None
    high: float | None
    tokens: int
    sentences: int

    @property
    def perplexities(self) -> tuple[float, float]:
        """Before and after."""
        return math.exp(self.before), math.exp(self.after)

    @property
    def ratio(self) -> tuple[float, float | None, float | None]:
        """How many times as high the perplexity is after, with the bounds."""
        low, high = (None if b is None else math.exp(b) for b in (self.low, self.high))
        return math.exp(self.change), low, high

    def as_dict(self) -> dict[str, Any]:
        """The change as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class TokenLosses:
    """The loss of each token that was asked for, with the number of its sentence."""

    values: Floats
    sentences: Codes


def token_losses(
    model: Any, tokenizer: Any, texts: Sequence[str], kind: str, max_length: int, seed: int
) -> TokenLosses:
    """Ask the model, in fp32 and without dropout, for the tokens of all texts."""
    import torch
    from torch.nn.functional import cross_entropy

    collate = (
        MaskedCollator(tokenizer, max_length, seed, only_masks=True)
        if kind == "masked"
        else CausalCollator(tokenizer, max_length)
    )
    model.eval()
    values, sentences = [], []
    for start in range(0, len(texts), _BATCH):
        items = [Item(t, start + k, -1) for k, t in enumerate(texts[start : start + _BATCH])]
        batch = {name: tensor.to(model.device) for name, tensor in collate(items).items()}
        labels = batch.pop("labels")
        with torch.inference_mode():
            logits = model(**batch).logits.float()
        if kind == "causal":
            logits, labels = logits[:, :-1], labels[:, 1:]
        rows, places = torch.nonzero(labels != IGNORED, as_tuple=True)
        losses = cross_entropy(logits[rows, places], labels[rows, places], reduction="none")
        values.append(losses.cpu().numpy().astype(np.float64))
        sentences.append(rows.cpu().numpy().astype(np.int64) + start)
    return TokenLosses(np.concatenate(values), np.concatenate(sentences))


def loss_change(text: str, before: TokenLosses, after: TokenLosses) -> LossChange:
    """The paired difference on the same tokens, with sentences as clusters."""
    differences = after.values - before.values
    found = None
    if np.ptp(differences) > 0:  # a training that changed nothing leaves nothing to draw
        found = paired_difference(differences, {"sentences": before.sentences}, bound=math.inf)
    return LossChange(
        text=text,
        before=float(before.values.mean()),
        after=float(after.values.mean()),
        change=float(differences.mean()),
        low=found.low if found else None,
        high=found.high if found else None,
        tokens=len(differences),
        sentences=len(np.unique(before.sentences)),
    )
