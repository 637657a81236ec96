"""How a transformers language model is opened, the same for masked and causal ones."""

from __future__ import annotations

from dataclasses import dataclass

from naysay.protocols import Model, ModelRequest
from naysay.transformer.language_model import LanguageModel
from naysay.transformer.loading import load
from naysay.transformer.processor import prepare_precision
from naysay.weights import Weights, located


@dataclass(frozen=True)
class TransformerAdapter:
    """Opens models of one kind by hub name, folder or file."""

    kind: str
    prefixes: tuple[str, ...]
    summary: str
    model_type: type[LanguageModel]
    auto_class: str
    """The class of transformers that loads them."""
    options: tuple[str, ...] = ()

    def open(self, address: str | Weights, request: ModelRequest) -> Model:
        """The model at that address, or the one that was located already."""
        prepare_precision(request.precision, request.device)  # before anything imports torch
        weights = located(address, allow_pickle=request.allow_pickle)
        return self.model_type(
            weights.name,
            weights.digest,
            lambda: load(weights, request, self.auto_class),
            request,
            weights.revision,
        )
