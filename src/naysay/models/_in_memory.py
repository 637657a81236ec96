"""A transformers model that the user has loaded, as a naysay model."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np

from naysay.core.errors import ModelError
from naysay.core.probes import ChooseClosest, Closest
from naysay.core.protocols import Model, ModelRequest
from naysay.models import ADAPTERS, check_options
from naysay.models.causal import CausalModel
from naysay.models.cross_encoder import CrossEncoderModel
from naysay.models.embedder import EmbedderModel, Vectors
from naysay.models.lm.loading import weights_content
from naysay.models.masked import MaskedModel
from naysay.models.sentence.sentence_model import SentenceModel


def wrap_sentences(model: Any, name: str, request: ModelRequest) -> Model | None:
    """The model as one that reads sentences, None if it does not."""
    if request.options.get("pooling") and callable(getattr(model, "encode", None)):
        raise ModelError(f"{name} has its own pooling: leave pooling out")
    bases = {base.__name__ for base in type(model).__mro__}
    kinds = {"SentenceTransformer": EmbedderModel, "CrossEncoder": CrossEncoderModel}
    kind = next((kind for base, kind in kinds.items() if base in bases), None)
    if kind is not None:
        content = weights_content(model, getattr(model, "tokenizer", None), str(model))
        # A copy: precision and device are ours, and the user's model stays as it is.
        return kind(name, content, lambda: copy.deepcopy(model), request)
    if callable(getattr(model, "encode", None)):
        return EncodingModel(model, name, request)
    return None


class EncodingModel(SentenceModel):
    """Anything with `encode(sentences)` that gives a vector for each.

    What it depends on cannot be told from outside. Unless it has a `digest`, each of its runs is
    therefore a run of its own, and none is taken up again.
    """

    kind = "embedder"

    def __init__(self, encoder: Any, name: str, request: ModelRequest) -> None:
        content = str(getattr(encoder, "digest", None) or uuid.uuid4().hex)
        super().__init__(name, content, lambda: encoder, request)
        self._encoder = encoder
        self._vectors = Vectors(
            lambda texts: np.asarray(encoder.encode(texts)),
            lambda texts: [1] * len(texts),
            longest=None,
            token_budget=request.token_budget,
        )

    def prepare(self) -> None:
        """It is there already."""

    def told(self) -> list[str]:
        """Nothing is known of it."""
        return []

    def choose(self, probes: Sequence[ChooseClosest]) -> list[Closest]:
        """The cosines between the text and its options."""
        return self._vectors.choose(probes, self._request.precision)

    def facts(self) -> dict[str, Any]:
        """Nothing is known of it but its class."""
        return {"device": "its own", "parameters": None, "class": type(self._encoder).__name__}


def wrap(model: Any, name: str, tokenizer: Any, request: ModelRequest) -> Model:
    """The model as it is in memory; its digest is that of its weights."""

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
