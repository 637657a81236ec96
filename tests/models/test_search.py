"""Best-first search over words: against scoring every word to its end, for random models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import TINY, bytelevel_tokenizer, model_request, wordpiece_tokenizer
from naysay.core.probes import Choice, ChooseWord
from naysay.models import open_model
from naysay.models.lm import search
from naysay.models.lm.engine import Engine
from naysay.models.lm.likelihood import choose_words, logprobs
from naysay.models.lm.questions import Question
from naysay.models.lm.reading import TIE
from naysay.models.lm.search import SAME, Contest
from naysay.models.lm.words import Frame, Words

KINDS = ("llama", "gpt2", "bert", "roberta")
TEXTS = (
    "Mary is an architect who likes to run. She is happy to ▢.",
    "John is a baker who doesn't like to swim. He ▢ very often indeed.",
)
WORDS = (
    "acclimatize", "acclimate", "procrastinate", "run", "running", "swim", "acquiesce", "walk",
    "walks", "walked", "reminisce", "sleep", "sleepwalk", "sing", "acclaim", "swing",
)  # fmt: skip


def loaded(kind: str, seed: int, sharp: float) -> tuple[Engine, Words]:
    """A random model whose predictions are as sharp as asked for."""
    torch.manual_seed(seed)
    masks = kind in ("bert", "roberta")
    tokenizer = wordpiece_tokenizer() if kind == "bert" else bytelevel_tokenizer(mask=masks)
    sizes: dict[str, Any] = {**TINY, "vocab_size": len(tokenizer)}
    if kind == "gpt2":
        config: Any = transformers.GPT2Config(
            vocab_size=len(tokenizer), n_embd=32, n_layer=2, n_head=2, n_positions=128
        )
        model: Any = transformers.GPT2LMHeadModel(config)
    elif kind == "llama":
        config = transformers.LlamaConfig(**sizes, num_key_value_heads=2)
        model = transformers.LlamaForCausalLM(config)
    elif kind == "bert":
        model = transformers.BertForMaskedLM(transformers.BertConfig(**sizes))
    else:
        model = transformers.RobertaForMaskedLM(transformers.RobertaConfig(**sizes))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 and "position" not in name:
                weight.mul_(sharp)
    engine = Engine(model, "cpu", "fp32", 2048, causal=not masks)
    return engine, Words(tokenizer, kind, masks=masks)


def exhaustive(engine: Engine, words: Words, probe: ChooseWord) -> Choice:
    """The choice if every token of every word is scored, one text at a time."""
    frame, spelled = words.spell(probe.text, probe.candidates)
    scores = {}
    for word, pieces in spelled.items():
        tokens = pieces if frame.mask is not None else (*pieces, *frame.after)
        scores[word] = 0.0
        for done, token in enumerate(tokens):
            place = len(frame.before) + done
            question = Question((*frame.before, *tokens[:done]), place - 1)
            if frame.mask is not None:
                masked = (frame.mask,) * (len(tokens) - done)
                ids = (*frame.before, *tokens[:done], *masked, *frame.after)
                question = Question(ids, place)
            scores[word] += logprobs(engine, {question: [(token,)]})[question][token,]
    best = max(scores.values())
    winner = next(word for word, score in scores.items() if score >= best - SAME)
    near = [word for word, score in scores.items() if score >= best - TIE]
    return Choice(winner, scores[winner], tie=len(near) > 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 1000),
    sharp=st.sampled_from([1.0, 4.0, 12.0]),
    chosen=st.lists(st.sampled_from(WORDS), min_size=1, max_size=len(WORDS), unique=True),
    text=st.sampled_from(TEXTS),
)
def test_the_winner_is_that_of_scoring_every_word(
    kind: str, seed: int, sharp: float, chosen: list[str], text: str
) -> None:
    engine, words = loaded(kind, seed, sharp)
    probe = ChooseWord(text, tuple(chosen))
    expected = exhaustive(engine, words, probe)
    other = ChooseWord(TEXTS[0], WORDS[:3])
    for found in (
        choose_words(engine, words, [probe])[0],
        choose_words(engine, words, [other, probe, other])[1],
    ):
        assert (found.best, found.tie) == (expected.best, expected.tie)
        assert found.logprob == pytest.approx(expected.logprob, abs=SAME)


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_a_causal_model_computes_each_token_of_the_tree_once(kind: str) -> None:
    engine, words = loaded(kind, 3, 4.0)
    assert engine.shares_prefixes
    probe = ChooseWord(TEXTS[1], WORDS)
    choose_words(engine, words, [probe])  # trees are tried on texts of this length before
    computed: list[int] = []
    embeddings = engine._model.get_input_embeddings()
    embeddings.register_forward_hook(lambda _, given, __: computed.append(given[0].numel()))
    choose_words(engine, words, [probe])
    frame, spelled = words.spell(probe.text, probe.candidates)
    texts = [(*frame.before, *pieces, *frame.after) for pieces in spelled.values()]
    tree = {text[:end] for text in texts for end in range(1, len(text))}
    # The text before the blank is computed once for all first tokens, and once for the rest.
    assert 0 < sum(computed) <= len(tree) + len(frame.before)
    assert sum(computed) < sum(map(len, texts)) / 2


def test_the_search_scores_what_may_win_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "_AT_ONCE", 1)
    monkeypatch.setattr(search, "_AHEAD", 1)
    frame = Frame(before=(1,), after=(9,), mask=None)
    spelled = {"ab": (2, 3), "ac": (2, 4), "b": (5,), "c": (6, 7, 8)}
    costs = {2: -1.0, 3: -0.5, 4: -3.0, 5: -2.0, 6: -5.0, 9: -1.0}
    contest = Contest.of(frame, spelled.items())
    texts = []
    while due := contest.due():
        for question, tokens in due.items():
            texts.append(question.ids)
            contest.learn(question, {token: costs[token] for token in tokens})
        contest.advance()
    assert contest.choice() == Choice("ab", -2.5)
    assert sorted(texts) == [(1,), (1, 2), (1, 2, 3), (1, 5)]


@pytest.mark.parametrize(("behind", "tie"), [(0.0, True), (TIE / 2, True), (2 * TIE, False)])
def test_the_runner_up_is_scored_to_its_end_where_it_may_tie(behind: float, tie: bool) -> None:
    frame = Frame(before=(1,), after=(), mask=7)
    contest = Contest.of(frame, [("ab", (2, 3)), ("c", (4,))])
    costs = {2: -1.0 - behind, 3: 0.0, 4: -1.0}
    while due := contest.due():
        for question, tokens in due.items():
            contest.learn(question, {token: costs[token] for token in tokens})
        contest.advance()
    choice = contest.choice()
    assert choice.tie is tie
    assert choice.best == ("ab" if behind == 0 else "c")


def test_small_batches_change_no_choice(tiny_gpt: Path) -> None:
    probes = [ChooseWord(text, WORDS) for text in TEXTS]
    choices = []
    for options in ({}, {"token_budget": 1}, {"batch_size": 2}):
        model = open_model(str(tiny_gpt), model_request(**options))
        choices.append([(choice.best, choice.tie) for choice in model.ask(probes)])
    assert choices[0] == choices[1] == choices[2]
