"""Masked language models (BERT, RoBERTa, ALBERT, …): the blank is the mask token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from naysay.core.errors import ModelError
from naysay.core.probes import FillBlank, Pieces
from naysay.models.lm.language_model import LanguageModel, TransformerAdapter
from naysay.models.lm.questions import Prepared
from naysay.models.lm.words import Words


class MaskedModel(LanguageModel):
    """Answers with the word predicted for the mask."""

    kind = "masked"

    def checked(self, words: Words, tokenizer: Any) -> Words:
        """Refuse a model without a mask token."""
        if tokenizer.mask_token_id is None:
            raise ModelError(
                f"{self.name} has no mask token, so it cannot be used as a masked model; "
                f"for a causal model use -m causal:{self.name.removeprefix('masked:')}"
            )
        return words

    def place(self, words: Words, probes: Sequence[FillBlank]) -> list[Prepared]:
        """Replace the token at the blank by the mask."""
        return words.masked_questions(probes)

    def cut(self, words: Words, listed: Sequence[str], text: str) -> dict[str, Pieces]:
        """Return the tokens of each word in the middle of the sentence."""
        return words.pieces(listed, text)


ADAPTER = TransformerAdapter(
    kind="masked",
    prefixes=("masked",),
    summary="any transformers masked language model, by hub name or folder",
    model_type=MaskedModel,
    auto_class="AutoModelForMaskedLM",
    endings=("ForMaskedLM", "ForPreTraining", "WithLMHeadModel"),  # the last: XLM, FlauBERT
)
