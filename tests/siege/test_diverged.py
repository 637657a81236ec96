"""Models that diverged: no figure, no hang, nothing written, and the reason in one line."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from mutation import no_hang

from conftest import Outcome

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow

Naysay = Callable[..., Outcome]
BAD = {"nan": math.nan, "inf": math.inf}


def spoiled(folder: Path, to: Path, part: str, value: float) -> Path:
    """A copy of a model with a number that is none in the first weight whose name has `part`."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, to)
    file = to / "model.safetensors"
    weights = load_file(file)
    name = next(name for name in sorted(weights) if part in name)
    weights[name] = weights[name].clone().fill_(value)
    save_file(weights, file, metadata={"format": "pt"})
    return to


@pytest.mark.parametrize("value", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize(
    ("model", "part"),
    [
        ("tiny_bert", "layer.1.output.dense.weight"),
        ("tiny_bert", "embeddings.word"),
        ("tiny_roberta", "lm_head.dense.weight"),
        ("tiny_gpt", "layers.0.mlp"),
        ("tiny_gpt", "norm.weight"),
        ("tiny_xlnet", "layer.0.ff.layer_1.weight"),
    ],
)
def test_a_diverged_language_model_is_refused(
    naysay: Naysay, request: pytest.FixtureRequest, tmp_path: Path, model: str, part: str,
    value: float,
) -> None:  # fmt: skip
    bad = spoiled(request.getfixturevalue(model), tmp_path / "bad", part, value)
    kind = "permutation:" if model == "tiny_xlnet" else ""
    told = naysay("run", "-m", f"{kind}{bad}", "-t", "scnt", "--limit", "2", "-o", "runs")
    assert told.code == 2, told.out
    last = told.err.splitlines()[-1]
    assert "not finite" in last or "no finite numbers" in last
    assert part.rpartition(".")[0].split(".")[0] in last or part in last
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("model", "suite", "more"),
    [
        ("tiny_bert", "gh22", ()),
        ("tiny_bert", "lama", ()),
        ("tiny_gpt", "lama", ()),
        ("tiny_bert", "scnt", ("--readout", "likelihood")),
        ("tiny_gpt", "scnt", ("--readout", "likelihood")),
        ("tiny_gpt", "semantoneg_prompted", ()),
        ("tiny_gpt", "semantoneg_likelihood", ()),
        ("tiny_embedder", "semantoneg", ()),
        ("tiny_nli", "semantoneg", ()),
    ],
)
def test_in_every_suite_and_readout(
    naysay: Naysay, request: pytest.FixtureRequest, tmp_path: Path, model: str, suite: str,
    more: tuple[str, ...],
) -> None:  # fmt: skip
    part = "layers.0.mlp" if model == "tiny_gpt" else "output.dense.weight"
    bad = spoiled(request.getfixturevalue(model), tmp_path / "bad", part, math.nan)
    told = naysay("run", "-m", bad, "-t", suite, "--limit", "2", "-o", tmp_path / "runs", *more)
    assert told.code == 2, told.out
    assert "finite" in told.err.splitlines()[-1]
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("model", "suite"), [("tiny_bert", "lama"), ("tiny_embedder", "semantoneg")]
)
def test_queries_that_attention_makes_finite_are_refused(
    naysay: Naysay, request: pytest.FixtureRequest, tmp_path: Path, model: str, suite: str
) -> None:
    part = "attention.self.query.weight"
    bad = spoiled(request.getfixturevalue(model), tmp_path / "bad", part, math.nan)
    told = naysay("run", "-m", bad, "-t", suite, "--limit", "2", "-o", tmp_path / "runs")
    assert told.code == 2 and f"{part} (Linear) are not finite" in told.err.splitlines()[-1]


def test_a_fault_at_one_word_names_the_question(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file
    from transformers import AutoTokenizer

    shutil.copytree(tiny_bert, tmp_path / "bad")
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    file = tmp_path / "bad" / "model.safetensors"
    weights = load_file(file)
    [name] = [name for name in weights if "word_embeddings" in name]
    weights[name] = weights[name].clone()
    word = tokenizer.convert_tokens_to_ids("likes")
    assert word != tokenizer.unk_token_id
    weights[name][word] = math.inf
    save_file(weights, file, metadata={"format": "pt"})
    told = naysay("run", "-m", tmp_path / "bad", "-t", "scnt", "--limit", "2", "-o", tmp_path / "r")
    assert told.code == 2 and "word_embeddings" in told.err.splitlines()[-1]


def with_word(folder: Path, to: Path, table: str, words: str, value: float) -> Path:
    """A copy of a model with a number that is none in a table, for the tokens of some words."""
    from safetensors.torch import load_file, save_file
    from transformers import AutoTokenizer

    shutil.copytree(folder, to)
    weights = load_file(to / "model.safetensors")
    name = next(name for name in sorted(weights) if table in name)
    tokens = AutoTokenizer.from_pretrained(to)(words, add_special_tokens=False)["input_ids"]
    weights[name] = weights[name].clone()
    weights[name][tokens] = value
    save_file(weights, to / "model.safetensors", metadata={"format": "pt"})
    return to


@pytest.mark.parametrize(
    ("model", "suite", "more"),
    [
        ("tiny_gpt", "scnt", ("--readout", "likelihood")),
        ("tiny_gpt", "semantoneg_likelihood", ()),
        ("tiny_embedder", "semantoneg", ()),
        ("tiny_nli", "semantoneg", ()),
    ],
)
def test_a_fault_at_some_questions_leaves_nothing(
    naysay: Naysay, request: pytest.FixtureRequest, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, model: str, suite: str, more: tuple[str, ...],
) -> None:  # fmt: skip
    for place in ("lm", "sentence"):  # as if the weights were finite, and their sums were not
        monkeypatch.setattr(f"naysay.models.{place}.loading.check_weights", lambda *_: None)
    words = " happy not likely cold hot good"
    folder = request.getfixturevalue(model)
    table = "embed_tokens" if model == "tiny_gpt" else "word_embeddings"
    bad = with_word(folder, tmp_path / "bad", table, words, math.nan)
    (tmp_path / "runs").mkdir()
    told = naysay("run", "-m", bad, "-t", suite, "--limit", "20", "-o", "runs", *more)
    assert told.code == 2, told.out
    last = told.err.splitlines()[-1]
    assert f"{bad} gives no finite numbers for " in last  # the model, and the question
    assert "(Embedding)" in last
    assert list((tmp_path / "runs").iterdir()) == []


@pytest.mark.parametrize(
    ("suite", "more"),
    [("scnt", ()), ("gh22", ()), ("lama", ()), ("scnt", ("--readout", "likelihood"))],
)
def test_words_that_are_ruled_out_are_no_hang(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path, suite: str, more: tuple[str, ...]
) -> None:
    from safetensors.torch import load_file, save_file

    shutil.copytree(tiny_bert, tmp_path / "bad")
    file = tmp_path / "bad" / "model.safetensors"
    weights = load_file(file)
    name = next(name for name in weights if name.endswith("predictions.bias"))
    weights[name] = torch.full_like(weights[name], -math.inf)
    weights[name][5] = 0.0
    save_file(weights, file, metadata={"format": "pt"})
    words = ("run", "-m", tmp_path / "bad", "-t", suite, "--limit", "2", "-o", "runs", *more)
    with no_hang():
        told = naysay(*words)
    if suite == "gh22":  # takes the model's own words, and finds none
        assert told.code == 0 and "not measured: no question could be asked" in told.out
        return
    assert told.code == 2, told.out
    assert "predictions.bias" in told.err.splitlines()[-1]
    assert not (tmp_path / "runs").exists()


def test_a_diagnosis_that_fails_is_no_traceback() -> None:
    from naysay.models.lm.finite import first_fault

    model = torch.nn.Linear(2, 2)
    assert first_fault(model, lambda: model(no_such_argument=1)) == "in no single layer"


def test_logits_of_minus_infinity_are_a_way_to_rule_tokens_out() -> None:
    from naysay.models.lm.engine import Engine
    from naysay.models.lm.questions import Question

    engine = object.__new__(Engine)
    question = Question((1, 2), 1)
    row = torch.tensor([[-math.inf, 0.0, 1.0]])
    engine._check_finite([question], row)
    engine._check_finite([question], row.unsqueeze(1))
