"""Whole words of causal models: a token whose word goes on is no answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import bytelevel_tokenizer
from naysay.core.probes import ContrastFills, Fill, FillBlank, Guess, WordList
from naysay.core.protocols import ModelRequest
from naysay.models import open_model
from naysay.models.lm.boundaries import Candidates
from naysay.models.lm.questions import Question
from naysay.models.lm.words import Words

LETTERS = tuple("BCDEFGHIJKLMNOPQRSTUVWXYZbcdefgh")
PIECES = (
    "[UNK]",
    "[EOS]",
    "the",
    "city",
    "is",
    "not",
    "to",
    ".",
    "Rome",
    "Oslo",
    "##rno",
    *LETTERS,
)
PLACE = {piece: place for place, piece in enumerate(PIECES)}
AMONG = WordList(("B", "C", "Rome", "Oslo"))
ENDS = {"Rome": {".": 2.0}, "Oslo": {".": 2.0}}


def tokenizer() -> Any:
    """Pieces of words, in which "B" is a word and the beginning of "Brno"."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.WordPiece(vocab=PLACE, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece(prefix="##", cleanup=False)
    return PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="[UNK]", eos_token="[EOS]", pad_token="[EOS]"
    )


def bigrams(folder: Path, scores: Any) -> str:
    """A model whose next piece depends on the last one alone; `scores` are by next and last."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    size = len(PIECES)
    config = GPT2Config(
        vocab_size=size, n_embd=size, n_layer=1, n_head=1, n_positions=32,
        tie_word_embeddings=False, bos_token_id=1, eos_token_id=1,
    )  # fmt: skip
    model = GPT2LMHeadModel(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.transformer.wte.weight.copy_(torch.eye(size))
        model.transformer.ln_f.weight.fill_(1.0)
        model.lm_head.weight.copy_(torch.as_tensor(scores))
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return str(folder)


def opened(folder: Path, after: Mapping[str, Mapping[str, float]]) -> Any:
    scores = np.zeros((len(PIECES), len(PIECES)), dtype=np.float32)
    for last, following in after.items():
        for piece, score in following.items():
            scores[PLACE[piece], PLACE[last]] = score
    return open_model(bigrams(folder, scores), ModelRequest())


def test_a_letter_that_goes_on_is_no_answer(tmp_path: Path) -> None:
    says = {"is": {"B": 3.0, "Rome": 2.0, "Oslo": 1.0}, "B": {"##rno": 2.0}, **ENDS}
    model = opened(tmp_path, says)
    [free] = model.ask([FillBlank("the city is ▢.")])
    assert free.best == "B"  # the most probable token
    [fill] = model.ask([FillBlank("the city is ▢.", ("B",), among=AMONG)])
    assert fill.best == "Rome" and not fill.tie
    assert fill.scores[0] > fill.top[0].logprob  # the score of a word stays that of its token


def test_a_letter_that_ends_there_is_one(tmp_path: Path) -> None:
    says = {"is": {"B": 3.0, "Rome": 2.0}, "B": {".": 2.0}, **ENDS}
    [fill] = opened(tmp_path, says).ask([FillBlank("the city is ▢.", among=AMONG)])
    assert fill.best == "B"


def test_all_guesses_are_whole_words_in_their_order(tmp_path: Path) -> None:
    says = {
        "is": {"B": 3.0, "Oslo": 2.0, "C": 1.5, "Rome": 1.0},
        "B": {"##rno": 2.0}, "C": {"##rno": 2.0}, **ENDS,
    }  # fmt: skip
    model = opened(tmp_path, says)
    [fill] = model.ask([FillBlank("the city is ▢.", top_k=4, among=AMONG, whole=4)])
    assert [guess.word for guess in fill.top] == ["Oslo", "Rome"]
    assert fill.top[0].logprob > fill.top[1].logprob
    [first] = model.ask([FillBlank("the city is ▢.", top_k=4, among=AMONG)])
    assert [guess.word for guess in first.top] == ["Oslo", "Rome"]


def test_as_many_letters_as_there_are_may_come_first(tmp_path: Path) -> None:
    likely = {letter: 3.0 - place / 20 for place, letter in enumerate(LETTERS)}
    go_on = {letter: {"##rno": 9.0} for letter in LETTERS}
    model = opened(tmp_path, {"is": {**likely, "Rome": 0.5}, **go_on, **ENDS})
    among = WordList((*LETTERS, "Rome"))
    [fill] = model.ask([FillBlank("the city is ▢.", among=among)])
    assert fill.best == "Rome"
    [none] = model.ask([FillBlank("the city is ▢.", among=WordList(LETTERS))])
    assert (none.top, none.best) == ((), "")


@pytest.mark.parametrize(
    ("scores", "odds", "best", "tie"),
    [
        ((-1.0, -2.0, -3.0), (1.0,), "a", False),
        ((-1.0, -1.0001, -3.0), (1.0,), "a", True),  # the next one was not checked
        ((-1.0, -1.0001, -3.0), (-1.0, 1.0), "b", False),
        ((-1.0, -2.0, -3.0), (1e-4,), "a", True),
        ((-1.0, -2.0, -3.0), (-1e-4, 1.0), "b", True),
        ((-1.0, -1.0001, -3.0), (1.0, -1.0), "a", False),  # the next one is no word
        ((-1.0, -2.0, -3.0), (-1.0, -1.0, -1.0), "", False),
    ],
)
def test_a_tie_is_where_rounding_decides(
    scores: Sequence[float], odds: Sequence[float], best: str, tie: bool
) -> None:
    guesses = tuple(Guess(word, score) for word, score in zip("abc", scores, strict=True))
    found = Candidates(Question((1,), 0), Fill(guesses), (5, 6, 7), 1, 1, list(odds)).answer()
    assert (found.best, found.tie) == (best, tie)


def test_the_ranking_of_all_words_is_that_of_the_tokens(tmp_path: Path) -> None:
    says = {
        "is": {"B": 3.0, "Rome": 2.0, "Oslo": 1.0}, "not": {"B": 3.0, "Rome": 2.0, "Oslo": 1.0},
        "B": {"##rno": 2.0}, **ENDS,
    }  # fmt: skip
    model = opened(tmp_path, says)
    [found] = model.ask([ContrastFills("the city is ▢.", "the city is not ▢.", AMONG)])
    assert found.rho == pytest.approx(1.0)
    assert (found.first.best, found.second.best) == ("Rome", "Rome")


def test_tokens_that_begin_anew() -> None:
    words = Words(bytelevel_tokenizer(mask=False), "tiny", masks=False)
    anew = set(words.begins_anew)
    [run], [inside], [sign] = (
        words.tokenizer(text, add_special_tokens=False)["input_ids"] for text in (" run", "s", ".")
    )
    assert run in anew and sign in anew and inside not in anew
    assert words.tokenizer.eos_token_id in anew
    assert set(words.whole_words) <= anew


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), top_k=st.integers(1, 6))
def test_the_first_are_the_best_of_all_whole_words(
    seed: int, top_k: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Checked by brute force: every word of the list, and what may follow it."""
    scores = np.random.default_rng(seed).normal(size=(len(PIECES), len(PIECES)))
    scores[PLACE["##rno"]] += 1.5
    model = open_model(
        bigrams(tmp_path_factory.mktemp("bigrams"), scores.astype(np.float32)), ModelRequest()
    )
    shown = np.eye(len(PIECES)) - 1 / len(PIECES)
    logits = scores @ (shown / np.sqrt((shown**2).mean(axis=0) + 1e-5))
    among = WordList(("Rome", "Oslo", *LETTERS))

    def ends(word: str) -> bool:
        following = np.exp(logits[:, PLACE[word]])
        inside = following[PLACE["##rno"]]
        return bool(inside < following.sum() - inside)

    ranked = sorted(among.words, key=lambda word: -logits[PLACE[word], PLACE["is"]])
    [fill] = model.ask([FillBlank("the city is ▢.", top_k=top_k, among=among, whole=top_k)])
    assert [g.word for g in fill.top] == [word for word in ranked if ends(word)][:top_k]
