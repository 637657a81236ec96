"""The order of all words at two blanks: that of the plain model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from conftest import Outcome
from naysay.core.probes import BLANK, ContrastFills, FillBlank, WordList
from naysay.core.protocols import ModelRequest
from naysay.models import open_model

Naysay = Callable[..., Outcome]
WORDS = ("run", "swim", "walk", "sing", "dance", "sleep", "read", "write", "talk", "work")


class TestProbe:
    def plain_logits(self, folder: Path, text: str) -> Any:
        """The logits at the blank, the plain way."""
        import torch
        from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(folder)
        masked = tokenizer.mask_token is not None
        kind = AutoModelForMaskedLM if masked else AutoModelForCausalLM
        if masked:
            ids = tokenizer(text.replace(BLANK, tokenizer.mask_token), return_tensors="pt")
            place = int((ids["input_ids"][0] == tokenizer.mask_token_id).nonzero()[0])
        else:
            ids = tokenizer(text.partition(BLANK)[0].rstrip(), return_tensors="pt")
            place = -1
        with torch.inference_mode():
            return kind.from_pretrained(folder)(**ids).logits[0, place].log_softmax(dim=-1)

    def usable(self, model: Any) -> WordList:
        cuts = model.single_pieces(WORDS, f"to {BLANK}.")
        return WordList(tuple(word for word in WORDS if cuts[word].single))

    # With a mask written into the text SentencePiece would cut what stands around it otherwise.
    @pytest.mark.parametrize("tiny_model", ["tiny_bert", "tiny_roberta", "tiny_gpt"], indirect=True)
    def test_it_is_the_plain_way(self, tiny_model: Path) -> None:
        from transformers import AutoTokenizer

        model = open_model(str(tiny_model), ModelRequest())
        among = self.usable(model)
        assert len(among.words) > 3
        texts = [
            f"She likes to {BLANK}.",
            f"She doesn't like to {BLANK}.",
            f"He is here to {BLANK}.",
        ]
        probes = [
            ContrastFills(one, other, among, among.words[:1], among.words[:1], 3)
            for one in texts
            for other in texts
        ]
        answers = model.ask(probes)
        tokenizer = AutoTokenizer.from_pretrained(tiny_model)
        ids = [tokenizer(f"to {w}", add_special_tokens=False)["input_ids"][-1] for w in among.words]
        logits = {text: self.plain_logits(tiny_model, text)[ids].numpy() for text in texts}
        for probe, answer in zip(probes, answers, strict=True):
            first, second = logits[probe.first], logits[probe.second]
            assert answer.rho == pytest.approx(spearmanr(first, second).statistic, abs=1e-6)
            assert answer.first.scores == pytest.approx((float(first[0]),), abs=1e-4)
            if model.kind == "causal":
                continue  # a first token counts only if a word ends there: test_boundaries.py
            assert answer.first.best == among.words[int(first.argmax())]
            assert [g.word for g in answer.second.top] == [
                among.words[k] for k in np.argsort(-second)[:3]
            ]
            assert answer.first.top[0].logprob == pytest.approx(float(first.max()), abs=1e-4)

    def test_one_equals_many(self, tiny_model: Path) -> None:
        model = open_model(str(tiny_model), ModelRequest())
        among = self.usable(model)
        texts = [f"{name} likes to {BLANK}." for name in ("Mary", "John", "Ann", "Peter")]
        probes = [ContrastFills(a, b, among) for a in texts for b in texts]
        together = model.ask(probes)
        alone = [model.ask([probe])[0] for probe in probes]
        assert [c.rho for c in together] == pytest.approx([c.rho for c in alone], abs=1e-6)
        assert [c.first.best for c in together] == [c.first.best for c in alone]

    def test_only_listed_words_count(self, tiny_bert: Path) -> None:
        model = open_model(str(tiny_bert), ModelRequest())
        text = f"She likes to {BLANK}."
        among = self.usable(model)
        [everything] = model.ask([FillBlank(text, top_k=3)])
        [some] = model.ask([FillBlank(text, top_k=3, among=among)])
        [mixed, plain] = model.ask([FillBlank(text, among=among), FillBlank(text)])
        assert {guess.word for guess in some.top} <= set(among.words)
        assert (mixed.best, plain.best) == (some.best, everything.best)
        assert some.top[0].logprob <= everything.top[0].logprob

    def test_at_the_beginning_words_have_no_space(self, tiny_roberta: Path) -> None:
        model = open_model(str(tiny_roberta), ModelRequest())
        among = self.usable(model)
        text = f"{BLANK} is happy."
        [fill] = model.ask([FillBlank(text, top_k=len(among.words), among=among)])
        assert sorted(guess.word for guess in fill.top) == sorted(among.words)
