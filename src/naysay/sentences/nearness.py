"""From scores to an answer: which option is nearest, and whether rounding could have decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from naysay.probes import Closest

# How far a score can move with the batch it is computed in.
ROUNDING = {"fp32": 1e-6, "bf16": 2e-3}
_DIGITS = 6


def closest(
    shown: Sequence[float],
    scale: str,
    precision: str,
    *,
    decisive: Sequence[float] | None = None,
    cut: bool = False,
) -> Closest:
    """The answer with these scores.

    `decisive` are the same before they were squeezed between 0 and 1; near the ends of that range
    scores look equal that are not.
    """
    best, second = sorted(shown if decisive is None else decisive, reverse=True)[:2]
    scores = tuple(round(float(score), _DIGITS) for score in shown)
    return Closest(scores, scale, tie=best - second <= ROUNDING[precision], cut=cut)


def forget_oldest(memory: dict[Any, Any], keep: int) -> None:
    """Let a memory not grow beyond what is kept."""
    while len(memory) > keep:
        memory.pop(next(iter(memory)))
