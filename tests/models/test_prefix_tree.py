"""Causal models compute what texts share once: in trees, with the answers of the plain way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import TINY, model_request
from naysay.core.errors import ModelError
from naysay.core.probes import ChooseClosest, Complete
from naysay.models import open_model
from naysay.models.lm import engine as engines
from naysay.models.lm import prefix_tree
from naysay.models.lm.engine import Engine
from naysay.models.lm.questions import Question, shares_much

VOCABULARY = 60
PROMPTS = ("Mary is a nurse who likes to run. She", "Mary is a nurse who runs. She", "She")
OPTIONS = ("is happy to run.", "is happy to swim very often.", "isn't happy.", "is happy to run.")


def llama(**more: Any) -> Any:
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        **{**TINY, "vocab_size": VOCABULARY}, num_key_value_heads=2, initializer_range=0.3, **more
    )
    return transformers.LlamaForCausalLM(config).eval()


@cache
def tiny_engine() -> Engine:
    engine = Engine(llama(), "cpu", "fp32", 2048, causal=True)
    engine._tried = (1000, 1000)  # so that nothing but the questions is computed
    return engine


@contextmanager
def counted_tokens(engine: Engine) -> Iterator[list[int]]:
    """The numbers of tokens of the passes."""
    seen: list[int] = []
    table = engine._model.get_input_embeddings()
    hook = table.register_forward_hook(lambda _, given, __: seen.append(given[0].numel()))
    try:
        yield seen
    finally:
        hook.remove()


def rows(engine: Engine, questions: Sequence[Question]) -> dict[Question, Any]:
    passes = engine.passes(questions)
    return {q: row for batch, found in passes for q, row in zip(batch, found, strict=True)}


TEXTS = st.lists(
    st.lists(st.integers(0, 3), min_size=1, max_size=7).map(tuple), min_size=1, max_size=30
)


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.integers(1, 40), st.none() | st.integers(1, 5))
def test_each_token_is_computed_once_and_answers_are_the_plain_ones(
    texts: list[tuple[int, ...]], budget: int, most: int | None
) -> None:
    engine = tiny_engine()
    questions = [Question(text, len(text) - 1) for text in texts]
    if not shares_much(questions):
        return
    assert engine.grows_tree(questions)
    sizes = engine._sizes
    sizes.tokens, sizes.texts = budget, most
    try:
        with counted_tokens(engine) as tokens:
            found = rows(engine, questions)
    finally:
        sizes.tokens, sizes.texts = 2048, None
    assert found.keys() == set(questions)
    for question, row in found.items():
        assert float((row - engine._plain_logits([question])[0]).abs().max()) < 1e-4
    distinct = {text[:end] for text in texts for end in range(1, len(text) + 1)}
    assert sum(tokens) == len(distinct)
    longest = max(map(len, texts))
    assert all(number <= max(budget, longest) for number in tokens)


def test_what_comes_after_the_place_does_not_count() -> None:
    engine = tiny_engine()
    questions = [Question((1, 2, 3, 4, end, end), 3) for end in range(5, 15)]
    with counted_tokens(engine) as tokens:
        found = rows(engine, questions)
    assert sum(tokens) == 4
    plain = engine._plain_logits(questions[:1])[0]
    assert all(torch.allclose(row, plain, atol=1e-4) for row in found.values())


def test_texts_that_share_little_are_run_as_they_are() -> None:
    engine = tiny_engine()
    questions = [Question((start, *range(20)), 20) for start in range(20)]
    assert not engine.grows_tree(questions)
    with counted_tokens(engine) as tokens:
        rows(engine, questions)
    assert tokens == [20 * 21]


def test_memory_is_bounded_and_keeps_what_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefix_tree, "_MOST_TOKENS", 12)
    engine = tiny_engine()
    questions = [Question((1, 2, 3, 4, a, b), 5) for a in range(5, 9) for b in range(5, 9)]
    passes = engine.remembering()
    with counted_tokens(engine) as tokens:
        batches = list(passes(questions))
    assert sum(tokens) == 4 + 4 + 16  # the beginning, once
    assert all(number <= 12 for number in tokens)
    for batch, found in batches:
        for question, row in zip(batch, found, strict=True):
            assert torch.allclose(row, engine._plain_logits([question])[0], atol=1e-4)


def test_a_pass_has_no_more_tokens_than_the_model_is_wide(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "_FEWEST_AT_ONCE", 1)
    engine = Engine(llama(), "cpu", "fp32", 2048, causal=True)
    engine._tried = (1000, 1000)
    questions = [Question((1, 2, a, b), 3) for a in range(10) for b in range(20)]
    with counted_tokens(engine) as tokens:
        rows(engine, questions)
    assert max(tokens) == TINY["hidden_size"] == 32


def windowed(kind: str, window: int) -> Any:
    """A model that looks back over a window: by positions, or by places in what it is given."""
    torch.manual_seed(0)
    if kind == "mistral":
        config: Any = transformers.MistralConfig(
            **{**TINY, "vocab_size": VOCABULARY}, num_key_value_heads=2, sliding_window=window,
            initializer_range=0.3,
        )  # fmt: skip
        return transformers.MistralForCausalLM(config).eval()
    config = transformers.GPTNeoConfig(
        vocab_size=VOCABULARY, hidden_size=32, num_layers=2, num_heads=2, window_size=window,
        attention_types=[[["global", "local"], 1]], max_position_embeddings=96,
        initializer_range=0.3,
    )  # fmt: skip
    return transformers.GPTNeoForCausalLM(config).eval()


SHORT = [Question((1, 2, 3, 4, k), 4) for k in range(6)]
LONG = [Question((*range(30), k), 30) for k in range(20)]
MANY = [Question((1, 2, 3, a, b), 4) for a in range(9) for b in range(9)]


@pytest.mark.parametrize(("kind", "questions"), [("mistral", LONG), ("gpt_neo", MANY)])
def test_a_window_is_noticed_where_texts_or_trees_are_larger(
    kind: str, questions: list[Question], capsys: pytest.CaptureFixture[str]
) -> None:
    engine = Engine(windowed(kind, 12), "cpu", "fp32", 2048, causal=True)
    rows(engine, SHORT)
    assert engine.grows_tree(SHORT)
    remembering = engine.remembering()
    found = rows(engine, questions)
    assert not engine.grows_tree(SHORT)
    assert "computed one by one from now on" in capsys.readouterr().err
    again = {q: r for batch, got in remembering(questions) for q, r in zip(batch, got, strict=True)}
    assert found.keys() == again.keys() == set(questions)
    for question in questions:
        plain = engine._plain_logits([question])[0]
        assert torch.allclose(found[question], plain, atol=1e-4)
        assert torch.allclose(again[question], plain, atol=1e-4)


class NoMasks(transformers.LlamaForCausalLM):  # type: ignore[misc]
    """A model that takes no mask but one per text."""

    def forward(self, *args: Any, attention_mask: Any = None, **named: Any) -> Any:
        if attention_mask is not None and attention_mask.dim() == 4:
            raise ValueError("a mask has two dimensions")
        return super().forward(*args, attention_mask=attention_mask, **named)


class OwnPositions(transformers.LlamaForCausalLM):  # type: ignore[misc]
    """A model that counts positions itself, whatever it is given."""

    def forward(self, *args: Any, position_ids: Any = None, **named: Any) -> Any:
        return super().forward(*args, **named)


@pytest.mark.parametrize("kind", [NoMasks, OwnPositions])
def test_a_model_that_takes_no_trees_is_asked_the_plain_way(kind: Any) -> None:
    model = llama()
    strange = kind(model.config).eval()
    strange.load_state_dict(model.state_dict())
    engine = Engine(strange, "cpu", "fp32", 2048, causal=True)
    questions = [Question((1, 2, 3, 4, k), 4) for k in range(20)]
    assert not engine.shares_prefixes and not engine.grows_tree(questions)
    wanted = rows(tiny_engine(), questions)
    found = rows(engine, questions)
    assert all(torch.allclose(found[q], wanted[q], atol=1e-4) for q in questions)


def test_a_tree_without_memory_is_halved(capsys: pytest.CaptureFixture[str]) -> None:
    model = llama()
    engine = Engine(model, "cpu", "fp32", 2048, causal=True)
    questions = [Question((1, 2, 3, a, b), 4) for a in range(8) for b in range(8)]
    wanted = rows(engine, questions)
    layer = model.model.layers[-1]  # the one before is in memory when this one fails

    def crowded(_: Any, given: Any, named: Any) -> None:
        if given[0].shape[1] > 20:
            raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")

    hook = layer.register_forward_pre_hook(crowded, with_kwargs=True)
    found = rows(engine, questions)
    assert all(torch.allclose(found[q], wanted[q], atol=1e-4) for q in questions)
    assert capsys.readouterr().err.count("not enough memory") == 2  # 75 tokens, 37, 18
    hook.remove()

    def full(*_: Any) -> None:
        raise RuntimeError("not enough memory: you tried to allocate everything")

    layer.register_forward_pre_hook(full)
    with pytest.raises(ModelError, match="not enough memory on cpu for one text"):
        rows(engine, questions)


def test_other_errors_are_not_taken_for_a_lack_of_memory() -> None:
    model = llama()
    engine = Engine(model, "cpu", "fp32", 2048, causal=True)

    def broken(*_: Any) -> None:
        raise RuntimeError("index out of range")

    model.register_forward_pre_hook(broken)
    with pytest.raises(RuntimeError, match="index out of range"):
        rows(engine, [Question((1, k), 1) for k in range(9)])


def plain_scores(folder: Path, prompt: str, options: Sequence[str]) -> list[float]:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    begin, found = len(tokenizer(prompt)["input_ids"]), []
    for option in options:
        ids = torch.tensor([tokenizer(f"{prompt} {option}")["input_ids"]])
        with torch.inference_mode():
            scores = model(input_ids=ids).logits[0, begin - 1 : -1].log_softmax(-1)
        found.append(float(scores.gather(1, ids[0, begin:, None]).sum()))
    return found


@pytest.mark.parametrize("options", [{}, {"token_budget": 20}, {"batch_size": 2}])
def test_likelihoods_of_sentences_are_those_of_each_alone(
    tiny_gpt: Path, options: dict[str, int]
) -> None:
    model: Any = open_model(str(tiny_gpt), model_request(**options))
    probes = [Complete(prompt, OPTIONS, ChooseClosest(prompt, OPTIONS)) for prompt in PROMPTS]
    model._loaded[0]._tried = (1000, 1000)
    with counted_tokens(model._loaded[0]) as tokens:
        answers = model.ask(probes)
    for prompt, answer in zip(PROMPTS, answers, strict=True):
        assert answer.logprobs == pytest.approx(plain_scores(tiny_gpt, prompt, OPTIONS), abs=1e-4)
    encoded = model._loaded[1].tokenizer([f"{p} {o}" for p in PROMPTS for o in OPTIONS])
    texts = [tuple(ids)[:-1] for ids in encoded["input_ids"]]
    distinct = {text[:end] for text in texts for end in range(1, len(text) + 1)}
    assert sum(tokens) == len(distinct)


def test_likelihoods_are_the_same_where_no_tree_can_be_grown(tiny_gpt: Path) -> None:
    fast: Any = open_model(str(tiny_gpt), model_request())
    plain: Any = open_model(str(tiny_gpt), model_request())
    plain._loaded[0].shares_prefixes = False
    probes = [Complete(prompt, OPTIONS, ChooseClosest(prompt, OPTIONS)) for prompt in PROMPTS]
    for one, other in zip(fast.ask(probes), plain.ask(probes), strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)
