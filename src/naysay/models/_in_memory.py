"""Models that the user has already loaded, wrapped as naysay models."""

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
from naysay.models.lm.finite import diverged
from naysay.models.lm.language_model import LanguageModel
from naysay.models.lm.loading import PERMUTATION, weights_content
from naysay.models.masked import MaskedModel
from naysay.models.permutation import PermutationModel
from naysay.models.sentence.sentence_model import SentenceModel


def wrap_sentences(model: Any, name: str, request: ModelRequest) -> Model | None:
    """Wrap a model that reads sentences; return None if it does not."""
    if request.options.get("pooling") and callable(getattr(model, "encode", None)):
        raise ModelError(f"{name} has its own pooling: drop the option pooling")
    bases = {base.__name__ for base in type(model).__mro__}
    kinds = {"SentenceTransformer": EmbedderModel, "CrossEncoder": CrossEncoderModel}
    kind = next((kind for base, kind in kinds.items() if base in bases), None)
    if kind is not None:
        content = weights_content(model, getattr(model, "tokenizer", None), str(model))
        # A copy: we change precision and device, and the user's model must not change.
        inner = getattr(model, "transformers_model", None)
        return kind(name, content, lambda: copy.deepcopy(model), request, _origin(inner, name))
    if callable(getattr(model, "encode", None)):
        return EncodingModel(model, name, request)
    return None


class EncodingModel(SentenceModel):
    """Any object whose `encode(sentences)` returns a vector for each sentence.

    Its content is unknown. Unless it has a `digest`, every evaluation is therefore a new run, and
    none can be resumed.
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
            batch_size=request.batch_size,
            refused=lambda text: diverged(name, text, "its vector has not finite numbers"),
        )

    def prepare(self) -> None:
        """Do nothing; the model is already loaded."""

    def notes(self) -> list[str]:
        """Return no notes; nothing is known about the model."""
        return []

    def choose(self, probes: Sequence[ChooseClosest]) -> list[Closest]:
        """Return the cosines between the text and its options."""
        return self._vectors.choose(probes, self._request.precision)

    def facts(self) -> dict[str, Any]:
        """Return the class of the object; nothing else is known."""
        return {"device": "its own", "parameters": None, "class": type(self._encoder).__name__}


def wrap(model: Any, name: str, tokenizer: Any, request: ModelRequest) -> Model:
    """Wrap a model in memory; its digest is that of its weights."""

    if (reader := wrap_sentences(model, name, request)) is not None:
        check_options(ADAPTERS.get(reader.kind), request)
        return reader
    if not hasattr(model, "state_dict") or not hasattr(model, "config"):
        raise ModelError(
            f"cannot evaluate a {type(model).__name__}: give a name, a folder, a transformers "
            "model with its tokenizer, a SentenceTransformer, a CrossEncoder, an object with "
            "encode(), or an object with ask() and digest"
        )
    if tokenizer is None:
        raise ModelError(f"{name}: the tokenizer is missing; use evaluate(model, tokenizer=…)")
    kind: type[LanguageModel] = CausalModel
    if tokenizer.mask_token_id is not None:
        permutes = type(model).__name__ == PERMUTATION
        kind = PermutationModel if permutes else MaskedModel
    check_options(ADAPTERS.get(kind.kind), request)
    return kind(
        name,
        weights_content(model, tokenizer),
        # A copy: we change precision, device and hooks, and the user's model must not change.
        lambda: (copy.deepcopy(model), tokenizer),
        request,
        _origin(model, name),
    )


def _origin(model: Any, name: str) -> dict[str, Any]:
    """Return the commit on the hub that a transformers model was loaded from, if it was."""
    commit = getattr(getattr(model, "config", None), "_commit_hash", None)
    return {"revision": commit, "hub": name if commit else None, "in_memory": True}
