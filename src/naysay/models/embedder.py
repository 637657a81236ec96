"""Sentence embedders: the nearest sentence is the one whose vector has the highest cosine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from naysay.core.errors import ModelError
from naysay.core.probes import ChooseClosest, Closest
from naysay.models.sentence.loading import EmbedderOptions, load_embedder
from naysay.models.sentence.sentence_model import (
    SentenceAdapter,
    SentenceModel,
    closest,
    equal_batches,
    forget_oldest,
)

_REMEMBERED = 50_000  # sentences
Encode = Callable[[list[str]], Any]
"""Gives an array with a vector for each text."""


class Vectors:
    """Encodes what it has not seen yet, in batches of one length, and remembers it."""

    def __init__(
        self,
        encode: Encode,
        lengths: Callable[[list[str]], Sequence[int]],
        *,
        longest: int | None,
        token_budget: int,
    ) -> None:
        """Take what encodes texts of one length, what tells lengths, and the longest that is read.

        Longer texts are cut by the model; that is told with every answer about them.
        """
        self._encode, self._lengths = encode, lengths
        self._longest, self._token_budget = longest, token_budget
        self._known: dict[str, Any] = {}
        self._cut: set[str] = set()

    def choose(self, probes: Sequence[ChooseClosest], precision: str) -> list[Closest]:
        """The cosines between each text and its options."""
        self._learn(dict.fromkeys(text for probe in probes for text in _texts(probe)))
        answers = []
        for probe in probes:
            vector = self._known[probe.text]
            cosines = [float(vector @ self._known[option]) for option in probe.options]
            cut = any(text in self._cut for text in _texts(probe))
            answers.append(closest(cosines, "cosine", precision, cut=cut))
        forget_oldest(self._known, _REMEMBERED)
        return answers

    def _learn(self, texts: Iterable[str]) -> None:
        import numpy as np

        new = [text for text in texts if text not in self._known]
        lengths = dict(zip(new, self._lengths(new), strict=True))
        if self._longest:
            self._cut.update(text for text in new if lengths[text] > self._longest)
        for batch in equal_batches(new, lengths.__getitem__, self._token_budget):
            vectors = np.asarray(self._encode(batch), dtype=np.float64)
            if vectors.ndim != 2 or len(vectors) != len(batch):
                raise ModelError(f"one vector a sentence was expected, not {vectors.shape}")
            if not np.isfinite(vectors).all():
                raise ModelError("the model gives vectors that are not numbers")
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            # A vector of zeros points nowhere: it is equally near to everything.
            self._known.update(zip(batch, vectors / np.where(norms == 0, 1, norms), strict=True))


def _texts(probe: ChooseClosest) -> tuple[str, ...]:
    return (probe.text, *probe.options)


class EmbedderModel(SentenceModel):
    """A SentenceTransformer with its own modules, pooling and prompts."""

    kind = "embedder"

    @cached_property
    def _prompt(self) -> str | None:
        """The text before each sentence: the one asked for, else the model's own default."""
        own: dict[str, str] = dict(self._model.prompts or {})
        asked: str | None = self._request.options.get("prompt")
        if asked is not None:  # an empty one takes the model's own away
            return own.get(asked, asked)
        return own.get(self._model.default_prompt_name or "")

    @cached_property
    def _vectors(self) -> Vectors:
        return Vectors(
            self._encode,
            self._lengths,
            longest=self._model.get_max_seq_length(),
            token_budget=self._request.token_budget,
        )

    def told(self) -> list[str]:
        """How sentences become vectors, and with which prompt."""
        modules = " → ".join(type(module).__name__ for module in self._model)
        lines = [f"a sentence becomes a vector by {modules}"]
        own = sorted(name for name, text in (self._model.prompts or {}).items() if text)
        if self._prompt:
            lines.append(f"before each sentence stands {self._prompt!r}")
        elif own and self._request.options.get("prompt") is None:
            lines.append(f"it has prompts ({', '.join(own)}), none by default: --prompt takes one")
        return lines

    def choose(self, probes: Sequence[ChooseClosest]) -> list[Closest]:
        """The cosines between the text and its options."""
        return self._vectors.choose(probes, self._request.precision)

    def _lengths(self, texts: list[str]) -> Sequence[int]:
        """How many tokens each text has, its prompt and special ones included."""
        tokenizer: Any = getattr(self._model, "tokenizer", None)
        if not texts or not hasattr(tokenizer, "all_special_ids"):
            return [1] * len(texts)  # it looks words up, so nothing is padded anyway
        shown = [f"{self._prompt or ''}{text}" for text in texts]
        ids = tokenizer(shown, truncation=False, verbose=False)["input_ids"]
        return [len(pieces) for pieces in ids]

    def _encode(self, texts: list[str]) -> Any:
        import torch
        from sentence_transformers.util import batch_to_device

        model = self._model
        with torch.inference_mode():
            features = batch_to_device(model.preprocess(texts, prompt=self._prompt), model.device)
            return model(features)["sentence_embedding"].float().cpu().numpy()

    def facts(self) -> dict[str, Any]:
        """As of any model, and how sentences become vectors."""
        return {
            **super().facts(),
            "modules": [type(module).__name__ for module in self._model],
            "pooling": self._request.options.get("pooling"),
            "prompt": self._prompt,
        }


ADAPTER = SentenceAdapter(
    kind="embedder",
    prefixes=("embedder", "st"),
    options_type=EmbedderOptions,
    sentence_type="SentenceTransformer",
    summary="any sentence-transformers model, or a plain encoder with --pooling",
    model_type=EmbedderModel,
    load=load_embedder,
)
