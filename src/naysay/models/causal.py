"""Causal language models (GPT, Llama, …) and GGUF files, asked for the next token at the blank."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.probes import FillBlank, Pieces
from naysay.transformer.adapter import TransformerAdapter
from naysay.transformer.batches import Prepared
from naysay.transformer.language_model import LanguageModel
from naysay.transformer.words import Words


class CausalModel(LanguageModel):
    """Answers by the token that follows the text before the blank, which must end the text."""

    kind = "causal"

    def place(self, words: Words, probes: Sequence[FillBlank]) -> list[Prepared]:
        """The text before the blank."""
        return words.next_questions(probes)

    def cut(self, words: Words, listed: Sequence[str], text: str) -> dict[str, Pieces]:
        """As the words continue the text."""
        return words.next_pieces(listed, text)


ADAPTER = TransformerAdapter(
    kind="causal",
    prefixes=("causal", "gguf"),
    summary="any transformers causal language model, by hub name, folder or .gguf file",
    model_type=CausalModel,
    auto_class="AutoModelForCausalLM",
)
