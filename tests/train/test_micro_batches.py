"""A batch that does not fit into memory is computed in parts, and trains as it would as a whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import sentences
from naysay.core.errors import RunError, SpecError
from naysay.train.collation import CausalCollator, MaskedCollator
from naysay.train.loop import Loop
from naysay.train.trainer import Trained, TrainingPlan, fit

BATCH = 24
NO_DROPOUT: dict[str, dict[str, float]] = {
    "tiny_bert": {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
    "tiny_gpt": {},  # has none
}


def trained(folder: Path, out: Path, tiny: str, **options: Any) -> tuple[Any, Trained]:
    """The weights after a few steps without dropout, the last of which is a part of a batch."""
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

    from naysay.models.lm.loading import quiet

    auto = AutoModelForMaskedLM if tiny == "tiny_bert" else AutoModelForCausalLM
    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(folder)
        model = auto.from_pretrained(folder, **NO_DROPOUT[tiny])
    collate: Any = (
        MaskedCollator(tokenizer, 32) if tiny == "tiny_bert" else CausalCollator(tokenizer, 32)
    )
    plan = TrainingPlan(**{"epochs": 1.0, "batch": BATCH, "lr": 1e-3, "device": "cpu", **options})
    done = fit(model, sentences()[:100], collate, plan, out)
    return model.state_dict(), done


@pytest.mark.parametrize("tiny", ["tiny_bert", "tiny_gpt"])
@pytest.mark.parametrize("micro", [1, 7, 24])
def test_micro_batches_train_like_the_whole_batch(
    tiny: str, micro: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    import torch

    start = request.getfixturevalue(tiny)
    whole, done = trained(start, tmp_path / "whole", tiny)
    parts, in_parts = trained(start, tmp_path / "parts", tiny, micro_batch=micro)
    assert done.steps == in_parts.steps == 5
    for name, value in whole.items():
        assert torch.allclose(value, parts[name], atol=2e-5), name
    assert in_parts.last_loss == pytest.approx(done.last_loss, abs=1e-5)
    assert in_parts.loss == pytest.approx(done.loss, abs=1e-4)


def test_no_more_than_a_micro_batch_is_in_memory(
    tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    plain = Loop.compute_loss

    def seen(self: Any, model: Any, inputs: Any, *given: Any, **named: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        return plain(self, model, inputs, *given, **named)

    monkeypatch.setattr(Loop, "compute_loss", seen)
    trained(tiny_bert, tmp_path, "tiny_bert", micro_batch=10)
    assert sizes == [10, 10, 4] * 4 + [4]  # of 100 sentences in batches of 24


def test_micro_batches_are_recorded_and_belong_to_the_training(
    tiny_bert: Path, tmp_path: Path
) -> None:
    trained(tiny_bert, tmp_path, "tiny_bert", micro_batch=10)
    plan = json.loads((tmp_path / "training.json").read_text())["fit"]["identity"]["plan"]
    assert (plan["batch"], plan["micro_batch"]) == (BATCH, 10)
    with pytest.raises(RunError, match="plan micro_batch: found 10, requested 6"):
        trained(tiny_bert, tmp_path, "tiny_bert", micro_batch=6)
    with pytest.raises(SpecError, match="--micro-batch must be a whole number from 1 on"):
        TrainingPlan(micro_batch=0)


def test_a_record_without_micro_batches_is_that_of_whole_batches(
    tiny_bert: Path, tmp_path: Path
) -> None:
    trained(tiny_bert, tmp_path, "tiny_bert")
    record = json.loads((tmp_path / "training.json").read_text())
    del record["fit"]["identity"]["plan"]["micro_batch"]  # as older versions wrote it
    (tmp_path / "training.json").write_text(json.dumps(record))
    assert trained(tiny_bert, tmp_path, "tiny_bert", micro_batch=BATCH)[1].steps == 5
