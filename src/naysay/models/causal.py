"""Causal language models (GPT, Llama, …) and GGUF files, asked for the next token at the blank."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.probes import FillBlank, Pieces
from naysay.protocols import Model, ModelRequest
from naysay.transformer.engine import Prepared
from naysay.transformer.language_model import LanguageModel
from naysay.transformer.loading import load
from naysay.transformer.words import Words
from naysay.weights import locate


class CausalModel(LanguageModel):
    """Answers by the token that follows the text before the blank, which must end the text."""

    kind = "causal"

    def place(self, words: Words, probes: Sequence[FillBlank]) -> list[Prepared]:
        """The text before the blank."""
        return words.next_questions(probes)

    def cut(self, words: Words, listed: Sequence[str], text: str) -> dict[str, Pieces]:
        """As the words continue the text."""
        return words.next_pieces(listed, text)


class CausalAdapter:
    """Opens any transformers causal language model, and GGUF files through transformers."""

    kind = "causal"
    prefixes = ("causal", "gguf")
    summary = "any transformers causal language model, by hub name, folder or .gguf file"

    def open(self, address: str, request: ModelRequest) -> Model:
        """The model at that address."""
        weights = locate(address, allow_pickle=request.allow_pickle)
        return CausalModel(
            address,
            weights.digest,
            lambda: load(weights, request, "AutoModelForCausalLM"),
            request,
            weights.revision,
        )


ADAPTER = CausalAdapter()
