"""How much is learned for how much is lost, on the way from the base model to the trained one.

A model whose weights lie between the two has learned less and moved less. Which point of the way is
best depends on what an embedder is used for, so all of them are tested on the same sentences.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from naysay.train.embedder.figures import Change

STRENGTHS = (0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Tradeoff:
    """The figures of a model with a part of the learned change in its weights."""

    strength: float
    """0 is the base model, 1 all that was learned."""
    figures: dict[str, float]
    """The figures after training, by name."""

    @staticmethod
    def of(strength: float, changes: Sequence[Change]) -> Tradeoff:
        """Take the figures of the changes."""
        return Tradeoff(strength, {change.name: change.after for change in changes})

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"strength": self.strength, "figures": self.figures}


def weakened(base: Any, taught: Any, strength: float) -> None:
    """Leave so much of what a model has learned in its weights."""
    with torch.no_grad():
        for weight, start in zip(taught.parameters(), base.parameters(), strict=True):
            weight.copy_(torch.lerp(start.to(weight.device), weight, strength))


def along(base: Any, taught: Any, strength: float) -> Iterator[tuple[float, Any]]:
    """Yield models on the way from the base model to full strength, but for the trained one.

    `strength` is that of the trained model.
    """
    for other in STRENGTHS:
        if other != strength:
            model = copy.deepcopy(taught)
            weakened(base, model, other / strength)
            yield other, model
