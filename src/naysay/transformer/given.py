"""A transformers model that the user has loaded, as a naysay model."""

from __future__ import annotations

import copy
import hashlib
from typing import Any

from naysay.errors import ModelError
from naysay.keys import content_key
from naysay.models.causal import CausalModel
from naysay.models.masked import MaskedModel
from naysay.protocols import Model, ModelRequest


def wrap(model: Any, tokenizer: Any, request: ModelRequest) -> Model:
    """The model as it is in memory; its digest is that of its weights."""
    if not hasattr(model, "state_dict") or not hasattr(model, "config"):
        raise ModelError(
            f"cannot evaluate a {type(model).__name__}: give a name, a folder, a transformers "
            "model with its tokenizer, or an object with ask() and digest"
        )
    name = str(getattr(model, "name_or_path", "")) or type(model).__name__
    if tokenizer is None:
        raise ModelError(f"{name}: give its tokenizer too, evaluate(model, tokenizer=…)")
    kind = MaskedModel if tokenizer.mask_token_id is not None else CausalModel
    return kind(
        name,
        _content(model, tokenizer),
        # A copy: precision, device and hooks are ours, and the user's model stays as it is.
        lambda: (copy.deepcopy(model), tokenizer),
        request,
        revision=None,
    )


def _content(model: Any, tokenizer: Any) -> str:
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(str(tensor.dtype).encode())
        digest.update(tensor.detach().cpu().contiguous().view(-1).float().numpy().tobytes())
    return content_key([digest.hexdigest(), sorted(tokenizer.get_vocab().items())])
