"""Causal language models (GPT, Llama, …) and GGUF files: the blank is the next token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from naysay.core.probes import Answer, Complete, FillBlank, Pieces, Probe
from naysay.models.lm.engine import Prepared
from naysay.models.lm.language_model import LanguageModel, TransformerAdapter
from naysay.models.lm.likelihood import chats, complete
from naysay.models.lm.words import Words


class CausalModel(LanguageModel):
    """Answers with the token that follows the text; the blank must be at the end."""

    kind = "causal"
    answers = LanguageModel.answers | {Complete}

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Answer as any language model, and also compute likelihoods of whole sentences."""
        prompts = [probe for probe in probes if isinstance(probe, Complete)]
        if not prompts or len(prompts) < len(probes):
            return super().ask(probes)
        return complete(*self._loaded, prompts)  # type: ignore[return-value]

    def facts(self) -> dict[str, Any]:
        """Return the facts of any language model, and whether it has a chat template."""
        return {**super().facts(), "chat_template": chats(self._loaded[1])}

    def place(self, words: Words, probes: Sequence[FillBlank]) -> list[Prepared]:
        """Tokenize the text before the blank."""
        return words.next_questions(probes)

    def cut(self, words: Words, listed: Sequence[str], text: str) -> dict[str, Pieces]:
        """Return the tokens of each word as a continuation of the text."""
        return words.next_pieces(listed, text)


ADAPTER = TransformerAdapter(
    kind="causal",
    prefixes=("causal", "gguf"),
    summary="any transformers causal language model, by hub name, folder or .gguf file",
    model_type=CausalModel,
    auto_class="AutoModelForCausalLM",
    endings=("ForCausalLM", "LMHeadModel"),
    but=("WithLMHeadModel",),
    gguf=True,
)
