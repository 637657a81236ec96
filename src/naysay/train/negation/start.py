"""The model that a training starts from, as plain weights in fp32."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from naysay.errors import ModelError
from naysay.models import ADAPTERS
from naysay.protocols import ModelRequest
from naysay.transformer.adapter import TransformerAdapter
from naysay.transformer.devices import choose_device
from naysay.transformer.loading import load
from naysay.weights import Weights, locate
from naysay.weights.kind import kind_of


@dataclass(frozen=True)
class Start:
    """Where the weights are, and how they are asked."""

    weights: Weights
    adapter: TransformerAdapter

    @property
    def kind(self) -> str:
        """Masked or causal."""
        return self.adapter.kind

    def load(self, request: ModelRequest) -> tuple[Any, Any]:
        """The model and its tokenizer."""
        model, tokenizer = load(self.weights, request, self.adapter.auto_class)
        if self.kind == "masked" and tokenizer.mask_token_id is None:
            raise ModelError(
                f"{self.weights.name} has no mask token, so it cannot be trained as a masked "
                f"model; as a causal one it is -m causal:{self.weights.name}"
            )
        plain = unquantised(model) if self.weights.gguf else model
        return plain.to(choose_device(request.device)), tokenizer


def find_start(name: str, request: ModelRequest) -> Start:
    """The model of that name: `KIND:ADDRESS`, or an address whose kind its files tell."""
    prefix, colon, address = name.partition(":")
    named = {p: a for a in ADAPTERS.all() for p in a.prefixes} if colon else {}
    adapter: Any
    if prefix in named:
        adapter = named[prefix]
        if not isinstance(adapter, TransformerAdapter):
            raise _untrainable(name, adapter.kind)
        weights = locate(address, allow_pickle=request.allow_pickle)
    else:
        weights = locate(name, allow_pickle=request.allow_pickle)
        adapter = ADAPTERS.get(kind_of(weights))
    if not isinstance(adapter, TransformerAdapter):
        raise _untrainable(name, adapter.kind)
    return Start(weights, adapter)


def _untrainable(name: str, kind: str) -> ModelError:
    return ModelError(
        f"{name} is of kind {kind}, and only masked and causal language models with weights can "
        "be trained on sentences"
    )


def unquantised(model: Any) -> Any:
    """The same weights, which are numbers in fp32 by now, in a model that does not know of GGUF.

    The library marks what it read from GGUF as quantised, and refuses to train or to save it plain.
    """
    config = copy.deepcopy(model.config)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    plain = type(model)(config)
    plain.load_state_dict(model.state_dict())
    plain.tie_weights()
    plain.generation_config = model.generation_config
    return plain.eval()


def longest(model: Any) -> int | None:
    """How many tokens a text may have, if the model has a limit."""
    limit = getattr(model.config, "max_position_embeddings", None)
    if not isinstance(limit, int) or limit < 1:
        return None
    embeddings = getattr(model.base_model, "embeddings", None)
    padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    # RoBERTa and its kin count positions from behind their padding index.
    return limit if padding is None else limit - padding - 1
