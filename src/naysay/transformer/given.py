"""A transformers model that the user has loaded, as a naysay model."""

from __future__ import annotations

import copy
from typing import Any

from naysay.errors import ModelError
from naysay.models import ADAPTERS, check_options
from naysay.models.causal import CausalModel
from naysay.models.masked import MaskedModel
from naysay.protocols import Model, ModelRequest
from naysay.transformer.digests import weights_content


def wrap(model: Any, name: str, tokenizer: Any, request: ModelRequest) -> Model:
    """The model as it is in memory; its digest is that of its weights."""
    from naysay.sentences.given import wrap_sentences

    if (reader := wrap_sentences(model, name, request)) is not None:
        check_options(ADAPTERS.get(reader.kind), request)
        return reader
    if not hasattr(model, "state_dict") or not hasattr(model, "config"):
        raise ModelError(
            f"cannot evaluate a {type(model).__name__}: give a name, a folder, a transformers "
            "model with its tokenizer, a SentenceTransformer, a CrossEncoder, or an object with "
            "encode(), or with ask() and digest"
        )
    if tokenizer is None:
        raise ModelError(f"{name}: give its tokenizer too, evaluate(model, tokenizer=…)")
    kind = MaskedModel if tokenizer.mask_token_id is not None else CausalModel
    check_options(ADAPTERS.get(kind.kind), request)
    return kind(
        name,
        weights_content(model, tokenizer),
        # A copy: precision, device and hooks are ours, and the user's model stays as it is.
        lambda: (copy.deepcopy(model), tokenizer),
        request,
        revision=None,
    )
