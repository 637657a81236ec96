"""Low precision answers first, and the answers are those of fp32."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import torch
import transformers

from naysay import evaluate
from naysay.core.probes import FillBlank
from naysay.core.protocols import ModelRequest
from naysay.models.lm import processor, screening
from naysay.models.lm.engine import Engine
from naysay.models.lm.finite import NotFiniteError
from naysay.models.lm.questions import Question
from naysay.models.lm.screening import Screening

WORDS, LENGTH = 100, 12


@pytest.fixture(scope="module", params=["bert", "llama"])
def engines(request: pytest.FixtureRequest) -> tuple[Engine, Engine]:
    """The same random weights in bf16 and in fp32; logits spread widely, so that some are sure."""
    torch.manual_seed(0)
    size: dict[str, Any] = {
        "vocab_size": WORDS, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
        "intermediate_size": 64, "initializer_range": 0.1,
    }  # fmt: skip
    masked = request.param == "bert"
    model = (
        transformers.BertForMaskedLM(transformers.BertConfig(**size))
        if masked
        else transformers.LlamaForCausalLM(transformers.LlamaConfig(**size))
    )
    low = Engine(copy.deepcopy(model), "cpu", "bf16", 2048, causal=not masked)
    return low, Engine(model, "cpu", "fp32", 2048, causal=not masked)


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    generator = torch.Generator().manual_seed(1)
    texts = torch.randint(5, WORDS, (1000, LENGTH), generator=generator).tolist()
    return [Question(tuple(text), LENGTH - 1) for text in texts]


def firsts(passed: Iterator[tuple[list[Question], Any]]) -> dict[Question, int]:
    """The best token of each question; of a question that comes twice, the last one."""
    return {
        question: int(row.argmax())
        for batch, logits in passed
        for question, row in zip(batch, logits, strict=True)
    }


def test_answers_are_those_of_fp32(
    engines: tuple[Engine, Engine], questions: list[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    low, exact = engines
    monkeypatch.setattr(screening, "WORTHWHILE", 0.0)  # whatever the speed of bf16 here
    screen = Screening(low, exact, "model")
    wanted = firsts(exact.passes(questions))
    asked: list[Question] = []
    plain = exact.passes

    def counted(given: Sequence[Question]) -> Iterator[tuple[list[Question], Any]]:
        asked.extend(given)
        return plain(given)

    monkeypatch.setattr(exact, "passes", counted)
    assert firsts(screen.passes(questions)) == wanted
    assert firsts(low.passes(questions)) != wanted  # or nothing would be shown here
    assert screen.pays and screen.bound
    assert len(asked) < 0.9 * len(questions)
    # From the second time on nothing is tried out, and the answers stay.
    assert firsts(screen.passes(questions[:50])) == {q: wanted[q] for q in questions[:50]}


def test_a_wrong_answer_widens_the_bound(
    engines: tuple[Engine, Engine],
    questions: list[Question],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    low, exact = engines
    monkeypatch.setattr(screening, "_EVERY", 1)  # all are checked
    screen = Screening(low, exact, "model")
    screen.pays, screen.bound = True, 0.0  # nothing is close enough to be asked again
    assert firsts(screen.passes(questions)) == firsts(exact.passes(questions))
    assert screen.bound > 0
    assert "otherwise than fp32" in capsys.readouterr().err


def test_slow_low_precision_is_given_up(
    engines: tuple[Engine, Engine], questions: list[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    low, exact = engines
    monkeypatch.setattr(screening, "WORTHWHILE", 1e9)
    screen = Screening(low, exact, "model")
    assert firsts(screen.passes(questions)) == firsts(exact.passes(questions))
    assert screen.pays is False and not hasattr(screen, "_low")


def test_numbers_too_large_for_16_bits_are_asked_in_fp32(
    engines: tuple[Engine, Engine], questions: list[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    low, exact = engines

    def overflows(given: Sequence[Question]) -> Iterator[tuple[list[Question], Any]]:
        raise NotFiniteError(questions[0].ids, "a layer")
        yield [], None

    with monkeypatch.context() as patched:
        patched.setattr(low, "passes", overflows)
        for known in (None, True):
            screen = Screening(low, exact, "model")
            screen.pays, screen.bound = known, 0.1
            assert firsts(screen.passes(questions)) == firsts(exact.passes(questions))
            assert screen.pays is False


def test_auto_has_the_digest_of_fp32() -> None:
    request = ModelRequest(precision="auto")
    assert request.precision == "fp32" and request.screens
    assert not ModelRequest(precision="fp32").screens


def test_runs_in_auto_and_fp32_are_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the whole way of `naysay run`, with a processor that is said to gain by bf16."""
    monkeypatch.setattr(processor, "low_precision", lambda _="": processor.LowPrecision(None, 3.0))
    for name in ("naysay.models.lm.language_model.LARGE", "naysay.models.lm.screening.WORTHWHILE"):
        monkeypatch.setattr(name, 0)
    runs = [
        evaluate("mini-aware", "scnt", limit=5, precision=precision, out=tmp_path / precision)
        for precision in ("fp32", "auto")
    ]
    assert "answered in bf16" in capsys.readouterr().err
    one, other = (run.manifest for run in runs)
    assert one.key == other.key
    shards = [{f: s["sha256"] for f, s in m.shards.items()} for m in (one, other)]
    assert shards[0] == shards[1]


def test_only_first_words_are_screened() -> None:
    assert not FillBlank("She is happy to ▢.").only_best


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (processor.LowPrecision(None, None, "was killed by SIGILL"), None),
        (processor.LowPrecision(None, 0.5), None),
        (processor.LowPrecision("AVX512_CORE", 2.0, "was killed by SIGILL"), None),
        (processor.LowPrecision(None, 2.0), "bf16"),
    ],
)
def test_low_precision_needs_a_processor_that_gains(
    monkeypatch: pytest.MonkeyPatch, found: processor.LowPrecision, expected: str | None
) -> None:
    """With torch imported a limit of instructions comes too late, so fp32 is used then."""
    monkeypatch.setattr(processor, "low_precision", lambda _: found)
    monkeypatch.delenv(processor.LIMIT, raising=False)
    assert processor.lower_precision("cpu") == expected
