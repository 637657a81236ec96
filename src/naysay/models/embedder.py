"""Sentence embedders: the closest sentence is the one with the highest cosine similarity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from naysay.core.errors import ModelError
from naysay.core.probes import ChooseClosest, Closest
from naysay.models.lm.batch_sizes import BatchSizes
from naysay.models.lm.finite import diverged, first_fault
from naysay.models.sentence.loading import EmbedderOptions, load_embedder
from naysay.models.sentence.sentence_model import (
    SentenceAdapter,
    SentenceModel,
    closest,
    equal_lengths,
    forget_oldest,
)

_REMEMBERED = 50_000  # sentences
Encode = Callable[[list[str]], Any]
"""Returns an array with a vector for each text."""


class Vectors:
    """Encodes texts in batches of equal length and caches the vectors."""

    def __init__(
        self,
        encode: Encode,
        lengths: Callable[[list[str]], Sequence[int]],
        *,
        longest: int | None,
        token_budget: int,
        refused: Callable[[str], ModelError],
        batch_size: int | None = None,
        device: str = "cpu",
    ) -> None:
        """Take an encoder of texts of equal length, a length function, and the maximum length.

        The model truncates longer texts; answers about them are marked as cut. `refused` returns
        the error for a text whose vector is not finite.
        """
        self._encode, self._lengths = encode, lengths
        self._longest, self._sizes = longest, BatchSizes(token_budget, batch_size, device)
        self._refused = refused
        self._known: dict[str, Any] = {}
        self._cut: set[str] = set()

    def choose(self, probes: Sequence[ChooseClosest], precision: str) -> list[Closest]:
        """Return the cosines between each text and its options."""
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
        groups = equal_lengths(new, lengths.__getitem__)
        for batch, encoded in self._sizes.batches(groups, self._encode):
            vectors = np.asarray(encoded, dtype=np.float64)
            if vectors.ndim != 2 or len(vectors) != len(batch):
                raise ModelError(
                    f"expected one vector per sentence, found an array of {vectors.shape}"
                )
            bad = [k for k, vector in enumerate(vectors) if not np.isfinite(vector).all()]
            if bad:
                raise self._refused(batch[bad[0]])
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            if not norms.all():
                text = batch[int(np.argmin(norms))]
                raise ModelError(
                    f"the vector of {text!r} is zero: it has no direction, so how similar the "
                    "sentence is to others is not defined, and nothing is measured"
                )
            self._known.update(zip(batch, vectors / norms, strict=True))


def _texts(probe: ChooseClosest) -> tuple[str, ...]:
    return (probe.text, *probe.options)


class EmbedderModel(SentenceModel):
    """A SentenceTransformer with its own modules, pooling and prompts."""

    kind = "embedder"

    @cached_property
    def _prompt(self) -> str | None:
        """The text before each sentence: the requested prompt, else the model's default."""
        own: dict[str, str] = dict(self._model.prompts or {})
        asked: str | None = self._request.options.get("prompt")
        if asked is not None:  # an empty prompt disables the model's default
            return own.get(asked, asked)
        return own.get(self._model.default_prompt_name or "")

    @cached_property
    def _vectors(self) -> Vectors:
        return Vectors(
            self._encode,
            self._lengths,
            longest=self._model.get_max_seq_length(),
            token_budget=self._request.token_budget,
            batch_size=self._request.batch_size,
            device=str(self._model.device),
            refused=self._refused,
        )

    def _refused(self, text: str) -> ModelError:
        part = first_fault(self._model, lambda: self._encode([text]))
        return diverged(self.name, text, part, self._request.precision)

    def notes(self) -> list[str]:
        """Return how sentences are encoded, and with which prompt."""
        modules = " → ".join(type(module).__name__ for module in self._model)
        lines = [f"encoding: {modules}"]
        own = sorted(name for name, text in (self._model.prompts or {}).items() if text)
        if self._prompt:
            lines.append(f"prompt before each sentence: {self._prompt!r}")
        elif own and self._request.options.get("prompt") is None:
            lines.append(
                f"prompts available ({', '.join(own)}), none by default: choose with --prompt"
            )
        return lines

    def choose(self, probes: Sequence[ChooseClosest]) -> list[Closest]:
        """Return the cosines between the text and its options."""
        return self._vectors.choose(probes, self._request.precision)

    def _lengths(self, texts: list[str]) -> Sequence[int]:
        """Return the number of tokens of each text, including its prompt and special tokens."""
        tokenizer: Any = getattr(self._model, "tokenizer", None)
        if not texts or not hasattr(tokenizer, "all_special_ids"):
            return [1] * len(texts)  # a bag of word vectors, which needs no padding
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
        """Return the facts of any sentence model, and how sentences are encoded."""
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
