"""`naysay train negation` from the corpus to the report, with a model of each kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import COMMON_VERBS, Outcome, sentences
from naysay.core.keys import file_digest
from naysay.reports.negation import loss_verdict
from naysay.train.negation.texts import TokenLosses, loss_change, token_losses
from toy_training import load

pytestmark = pytest.mark.slow  # many small trainings or runs with weights

Naysay = Callable[..., Outcome]
LEAK = "Mary is an architect who doesn't like to swim. She isn't happy to swim."


def corpus(place: Path, *, leaks: int = 0) -> Path:
    """Sentences with negation and contrast, sentences without, and some of the tests' own."""
    negated = [
        f"He doesn't like to {one} in the morning at home, but she likes to {other} in the evening."
        for one in COMMON_VERBS
        for other in COMMON_VERBS
        if one != other
    ]
    plain = [
        f"In the evening they like to {one} at home, in the morning they like to {other}."
        for one in COMMON_VERBS
        for other in COMMON_VERBS
        if one != other
    ]
    lines = [line for pair in zip(negated, plain, strict=True) for line in pair]
    place.write_text("\n".join([*lines, *[LEAK] * leaks]) + "\n", encoding="utf-8")
    return place


def words(model: Path, out: Path, text: Path, *more: str | int) -> list[str | Path | int]:
    given: list[str | Path | int] = ["train", "negation", "-m", model, "--corpus", text, "-o", out]
    given += ["--steps", 6, "--batch", 4, "--lr", "1e-3", "--save-every", 3, "--test-limit", 3]
    return [*given, "-t", "lama", *more]


@pytest.mark.parametrize("tiny", ["tiny_bert", "tiny_gpt"])
def test_a_model_is_trained_tested_and_can_be_run(
    naysay: Naysay, tiny: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    start, out = request.getfixturevalue(tiny), tmp_path / "neg"
    asked = words(
        start, out, corpus(tmp_path / "text.txt", leaks=2), "-t", "scnt,lama", "--watch", 4
    )
    ended = naysay(*asked)
    assert ended.code == 0, ended.err
    assert ended.err.index("LEAKAGE") < ended.err.index("loading")
    for said in ("was trained on", "6 steps", "lama", "without negation", "Perplexity", "LEAKAGE"):
        assert said in ended.out, said
    report = (out / "report.md").read_text(encoding="utf-8")
    for said in ("## Leakage", "## Before and after", "## Loss on held-out text", "all before"):
        assert said in report
    record = json.loads((out / "training.json").read_text(encoding="utf-8"))
    assert record["fit"]["result"]["steps"] == 6
    assert record["extraction"]["found"]["leaks"]
    assert {change["text"] for change in record["losses"]} == {
        "without negation", "with negation",
    }  # fmt: skip
    trained = (out / "sentences.txt").read_text(encoding="utf-8")
    assert LEAK.partition(".")[0] not in trained
    watched = [json.loads(line)["step"] for line in (out / "watch.jsonl").read_text().splitlines()]
    assert watched == [4, 6]
    assert file_digest(out / "model.safetensors") != file_digest(start / "model.safetensors")

    again = naysay(*asked, "--json")
    assert again.code == 0 and "already trained" in again.err and "loading" not in again.err
    told = json.loads(again.out)
    assert told["training"] == record["fit"]["result"]
    assert told["before"]["run"] != told["after"]["run"]
    assert told["comparison"]["tables"] and told["incomparable"] is None

    run = naysay("run", "-m", out, "-t", "lama", "--limit", 3, "-o", tmp_path / "runs", "--json")
    assert run.code == 0, run.err
    figures = [e for e in told["after"]["estimates"] if e["suite"] == "lama"]
    assert json.loads(run.out)["estimates"] == figures

    other = naysay(*asked, "--lr", "1e-4")
    assert other.code == 2 and "plan lr: found 0.001, requested 0.0001" in other.err


def test_a_training_goes_on_where_it_was_interrupted(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from naysay.train.loop import Flow

    text = corpus(tmp_path / "text.txt")
    plain = Flow.on_step_end

    def interrupted(self: Any, args: Any, state: Any, control: Any, **given: Any) -> None:
        plain(self, args, state, control, **given)
        if state.global_step == 5:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Flow, "on_step_end", interrupted)
        stopped = naysay(*words(tiny_bert, tmp_path / "one", text))
    assert stopped.code == 130 and "run the same command to resume" in stopped.err
    went_on = naysay(*words(tiny_bert, tmp_path / "one", text))
    assert went_on.code == 0 and "resuming from step 3 of 6" in went_on.err
    assert naysay(*words(tiny_bert, tmp_path / "two", text)).code == 0
    one, two = (file_digest(tmp_path / name / "model.safetensors") for name in ("one", "two"))
    assert one == two
    losses = [
        json.loads((tmp_path / name / "training.json").read_text())["losses"]
        for name in ("one", "two")
    ]
    assert losses[0] == losses[1]


def test_packed_sentences_can_be_trained_on(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path
) -> None:
    text, out = corpus(tmp_path / "text.txt"), tmp_path / "neg"
    ended = naysay(*words(tiny_bert, out, text, "--pack", "--max-length", 60, "--json"))
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["training"]["steps"] == 6


def test_the_papers_batch_is_that_of_four_gpus(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path
) -> None:
    text = corpus(tmp_path / "text.txt")
    asked = ["train", "negation", "-m", tiny_bert, "--corpus", text, "--paper", "--steps", 1]
    asked += ["-t", "lama", "--test-limit", 3]
    assert naysay(*asked, "-o", tmp_path / "paper").code == 0
    record = json.loads((tmp_path / "paper" / "training.json").read_text())
    plan = record["negation"]["identity"]["plan"]
    assert (plan["batch"], plan["micro_batch"]) == (256, 64)
    assert record["negation"]["identity"]["rule"] == "paper"
    given = ["--micro-batch", 8, "--batch", 12, "--rule", "strict"]
    assert naysay(*asked, *given, "-o", tmp_path / "own").code == 0
    record = json.loads((tmp_path / "own" / "training.json").read_text())
    plan = record["negation"]["identity"]["plan"]
    assert (plan["batch"], plan["micro_batch"]) == (12, 8)
    assert record["negation"]["identity"]["rule"] == "strict"


def test_a_rule_of_an_older_version_is_known_by_its_old_name(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path
) -> None:
    text, out = corpus(tmp_path / "text.txt"), tmp_path / "neg"
    asked = words(tiny_bert, out, text)
    assert naysay(*asked, "--rule", "substring").code == 0
    record = json.loads((out / "training.json").read_text())
    record["negation"]["identity"] |= {"version": 1, "rule": "paper"}  # as it was called then
    del record["negation"]["identity"]["plan"]["micro_batch"]
    (out / "training.json").write_text(json.dumps(record))
    again = naysay(*asked, "--rule", "substring")
    assert again.code == 0 and "already trained" in again.err
    other = naysay(*asked, "--rule", "paper")
    assert other.code == 2
    assert 'rule: found "substring", requested "paper"' in other.err


def test_given_sentences_are_trained_on_as_they_are(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path
) -> None:
    text, out = tmp_path / "given.txt", tmp_path / "neg"
    lines = [f"They {one} here. He can {one} there." for one in COMMON_VERBS]
    text.write_text("\n".join(lines * 2), encoding="utf-8")
    ended = naysay(*words(tiny_bert, out, text, "--rule", "none"))
    assert ended.code == 0, ended.err
    assert (out / "sentences.txt").read_text(encoding="utf-8").splitlines() == lines * 2
    [change] = json.loads((out / "training.json").read_text())["losses"]
    assert change["text"] == "like those for training"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"-m": "known:aware"}, "only masked and causal language models"),
        ({"--corpus": "nowhere.txt"}, "corpus file nowhere.txt does not exist"),
        ({"-t": "scnt9"}, "unknown suite 'scnt9'"),
        ({"--batch": "0"}, "--batch must be a whole number from 1 on"),
        ({"--rule": "loose"}, "--rule must be"),
    ],
)
def test_what_cannot_be_done_is_told(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path, change: dict[str, str], said: str
) -> None:
    given = {"-m": str(tiny_bert), "--corpus": str(corpus(tmp_path / "text.txt")), **change}
    ended = naysay("train", "negation", *(word for pair in given.items() for word in pair))
    assert ended.code == 2 and said in ended.err


def test_a_model_is_never_written_over(naysay: Naysay, tiny_bert: Path, tmp_path: Path) -> None:
    before = file_digest(tiny_bert / "model.safetensors")
    ended = naysay(*words(tiny_bert, tiny_bert, corpus(tmp_path / "text.txt")))
    assert ended.code == 2 and "already holds a model" in ended.err
    assert file_digest(tiny_bert / "model.safetensors") == before


def test_a_corpus_without_negation_is_told(naysay: Naysay, tiny_bert: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("They run.\n" * 20, encoding="utf-8")
    ended = naysay(*words(tiny_bert, tmp_path / "neg", text))
    assert ended.code == 2 and "--rule strict keeps 0 sentences of the corpus" in ended.err


def test_weights_read_from_gguf_become_plain(tiny_gpt: Path, tmp_path: Path) -> None:
    import torch

    from naysay.train.collation import CausalCollator
    from naysay.train.negation.settings import unquantised
    from naysay.train.trainer import TrainingPlan, fit

    model, tokenizer = load(tiny_gpt)
    model.is_quantized = True
    model.config.quantization_config = {"quant_method": "gguf"}
    plain = unquantised(model)
    assert all(
        torch.equal(value, plain.state_dict()[name]) for name, value in model.state_dict().items()
    )
    plan = TrainingPlan(steps=2, batch=4)
    trained = fit(plain, sentences()[:20], CausalCollator(tokenizer, 32), plan, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    assert trained.steps == 2 and "quantization_config" not in config
    assert config["use_cache"] is True  # training turns it off only for itself


# What was lost


def test_losses_are_of_the_same_tokens_each_time_and_those_of_the_model(tiny_gpt: Path) -> None:
    import torch

    model, tokenizer = load(tiny_gpt)
    texts = sentences()[:11]
    found = token_losses(model, tokenizer, texts, "causal", 32, seed=0)
    assert (
        found.values == token_losses(model, tokenizer, texts, "causal", 32, seed=0).values
    ).all()
    for k, text in enumerate(texts):
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        with torch.inference_mode():
            loss = float(model(input_ids=ids, labels=ids).loss)
        assert found.values[found.sentences == k].mean() == pytest.approx(loss, abs=1e-4)


def test_masked_tokens_are_shown_as_the_mask(tiny_bert: Path) -> None:
    model, tokenizer = load(tiny_bert)
    texts = sentences()[:9]
    first, again = (token_losses(model, tokenizer, texts, "masked", 32, seed=s) for s in (0, 0))
    assert (first.values == again.values).all() and set(first.sentences) == set(range(9))
    other = token_losses(model, tokenizer, texts, "masked", 32, seed=1)
    assert len(other.values) != len(first.values) or (other.values != first.values).any()


def test_the_change_of_the_loss_is_paired_by_sentence() -> None:
    rng = np.random.default_rng(0)
    sentence = np.repeat(np.arange(60), 5)
    before = TokenLosses(rng.normal(3, 2, 300), sentence)
    worse = TokenLosses(before.values + 0.2 + rng.normal(0, 0.1, 60)[sentence], sentence)
    change = loss_change("without negation", before, worse)
    assert change.change == pytest.approx(0.2, abs=0.05) and change.sentences == 60
    assert change.low is not None and 0.15 < change.low < change.change
    assert "rose by" in loss_verdict(change)
    turned = loss_change("without negation", worse, before)
    assert (turned.low, turned.high) == pytest.approx((-(change.high or 0), -change.low))
    assert "fell by" in loss_verdict(turned)
    same = loss_change("without negation", before, before)
    assert (same.change, same.low, same.high) == (0, None, None)
    assert "No significant change" in loss_verdict(same)
