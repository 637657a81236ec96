"""Asking for a word at the blank, whichever way it is read out."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.probes import Choice, ChooseWord, Fill, FillBlank
from naysay.protocols import Model


def ask(model: Model, probes: Sequence[FillBlank | ChooseWord]) -> Sequence[Fill | Choice]:
    """The answers to questions that are all of one kind; either has its best word."""
    return model.ask(probes)  # type: ignore[arg-type]
