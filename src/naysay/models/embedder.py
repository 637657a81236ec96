"""Sentence embedders: the nearest sentence is the one whose vector has the highest cosine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from naysay.probes import ChooseClosest, Closest
from naysay.sentences.adapter import SentenceAdapter
from naysay.sentences.loading import load_embedder
from naysay.sentences.sentence_model import SentenceModel
from naysay.sentences.vectors import Vectors


class EmbedderModel(SentenceModel):
    """A SentenceTransformer with its own modules, pooling and prompts."""

    kind = "embedder"

    @cached_property
    def _prompt(self) -> str | None:
        """The text before each sentence: the one asked for, else the model's own default."""
        own: dict[str, str] = dict(self._model.prompts or {})
        asked = self._request.prompt
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
        elif own and self._request.prompt is None:
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
            "pooling": self._request.pooling,
            "prompt": self._prompt,
        }


ADAPTER = SentenceAdapter(
    kind="embedder",
    prefixes=("embedder", "st"),
    options=("pooling", "prompt"),
    summary="any sentence-transformers model, or a plain encoder with --pooling",
    model_type=EmbedderModel,
    load=load_embedder,
)
