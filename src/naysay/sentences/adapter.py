"""How embedders and cross-encoders are opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from naysay.protocols import Model, ModelRequest
from naysay.sentences.sentence_model import SentenceModel
from naysay.transformer.processor import prepare_precision
from naysay.weights import Weights, located


@dataclass(frozen=True)
class SentenceAdapter:
    """Opens models of one kind by hub name, folder or alias."""

    kind: str
    prefixes: tuple[str, ...]
    options: tuple[str, ...]
    summary: str
    model_type: type[SentenceModel]
    load: Callable[[Weights, ModelRequest], Any]

    def open(self, address: str | Weights, request: ModelRequest) -> Model:
        """The model at that address, or the one that was located already."""
        prepare_precision(request.precision, request.device)  # before anything imports torch
        weights = located(address, allow_pickle=request.allow_pickle)
        return self.model_type(
            weights.name,
            weights.digest,
            lambda: self.load(weights, request),
            request,
            weights.revision,
        )
