"""Causal language models (GPT, Llama, …) and GGUF files: the blank is the next token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from naysay.core.probes import Answer, AnswerQuestion, Complete, FillBlank, Pieces, Probe
from naysay.models.lm.decoding import answer_questions
from naysay.models.lm.engine import Engine
from naysay.models.lm.language_model import LanguageModel, TransformerAdapter
from naysay.models.lm.likelihood import chats, complete
from naysay.models.lm.loading import PERMUTATION
from naysay.models.lm.questions import Prepared
from naysay.models.lm.words import Words


class CausalModel(LanguageModel):
    """Answers with the token that follows the text; the blank must be at the end."""

    kind = "causal"
    masks = False
    answers = LanguageModel.answers | {Complete, AnswerQuestion}

    def answered(
        self, engine: Engine, words: Words, probes: Sequence[Probe[Answer]]
    ) -> list[Answer]:
        """Answer as any language model, and also complete prompts and answer in words."""
        prompts = [probe for probe in probes if isinstance(probe, Complete)]
        if prompts and len(prompts) == len(probes):
            return complete(engine, words, prompts)  # type: ignore[return-value]
        questions = [probe for probe in probes if isinstance(probe, AnswerQuestion)]
        if questions and len(questions) == len(probes):
            return answer_questions(engine, words, questions)  # type: ignore[return-value]
        return super().answered(engine, words, probes)

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
    but=("WithLMHeadModel", PERMUTATION),
    gguf=True,
)
