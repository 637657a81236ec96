"""Embedders and cross-encoders that the user has in memory, as naysay models."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np

from naysay.errors import ModelError
from naysay.models.cross_encoder import CrossEncoderModel
from naysay.models.embedder import EmbedderModel
from naysay.probes import ChooseClosest, Closest
from naysay.protocols import Model, ModelRequest
from naysay.sentences.sentence_model import SentenceModel
from naysay.sentences.vectors import Vectors
from naysay.transformer.digests import weights_content


def wrap_sentences(model: Any, name: str, request: ModelRequest) -> Model | None:
    """The model as one that reads sentences, None if it does not."""
    if request.pooling and callable(getattr(model, "encode", None)):
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
