"""A training that is watched comes out the same to the last bit, and each step is tested itself."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import sentences
from naysay.core.errors import ModelError
from toy_training import load

pytestmark = pytest.mark.slow  # many small trainings or runs with weights


def trained_plainly(start: Path, out: Path, callbacks: list[Any]) -> tuple[Any, Any]:
    """A user's own training, whose order and dropout come from running generators."""
    from transformers import PrinterCallback, Trainer, TrainingArguments

    model, tokenizer = load(start)
    examples = [dict(tokenizer(text)) for text in sentences()[:64]]
    for example in examples:
        example["labels"] = list(example["input_ids"])

    def collate(batch: list[dict[str, list[int]]]) -> dict[str, Any]:
        import torch

        length = min(len(example["input_ids"]) for example in batch)
        return {
            name: torch.tensor([example[name][:length] for example in batch])
            for name in ("input_ids", "labels")
        }

    arguments = TrainingArguments(
        output_dir=str(out), max_steps=12, per_device_train_batch_size=4, logging_steps=5,
        report_to=[], disable_tqdm=True, save_strategy="no", use_cpu=True,
        dataloader_pin_memory=False, learning_rate=1e-3,
    )  # fmt: skip
    trainer = Trainer(
        model=model, args=arguments, train_dataset=examples, data_collator=collate,
        processing_class=tokenizer, callbacks=callbacks,
    )  # fmt: skip
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    return trainer, tokenizer


def test_a_watched_training_is_the_same_to_the_last_bit(
    tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from transformers import TrainerCallback

    from naysay import evaluate
    from naysay.train.callback import NegationCallback

    def moving(model: Any, *given: Any, **named: Any) -> Any:
        """A test that leaves traces wherever one can."""
        model.eval()
        random.random(), np.random.rand(), torch.rand(3)
        return evaluate(model, *given, **named)

    monkeypatch.setattr("naysay.train.callback.evaluate", moving)
    told: list[dict[str, float]] = []

    class Reporter(TrainerCallback):  # type: ignore[misc]
        def on_log(self, args: Any, state: Any, control: Any, logs: Any, **given: Any) -> None:
            told.append(dict(logs))

        def on_step_end(
            self, args: Any, state: Any, control: Any, model: Any, **given: Any
        ) -> None:
            assert all(module.training for module in model.modules())
            assert torch.is_grad_enabled()

    file, runs = tmp_path / "watch.jsonl", tmp_path / "runs"
    file.write_text('{"step": 3, "left by": "another training"}\n{"step": 8, "cut')
    watch = NegationCallback(["scnt", "gh22"], limit=1, every=4, file=file, out=runs)
    plain, _ = trained_plainly(tiny_bert, tmp_path / "plain", [])
    watched, tokenizer = trained_plainly(tiny_bert, tmp_path / "watched", [Reporter(), watch])
    after = watched.model.state_dict()
    assert all(torch.equal(v, after[name]) for name, v in plain.model.state_dict().items())

    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["step"] for line in lines] == [4, 8, 12]
    logged = {e["step"]: e for e in watched.state.log_history if "naysay/gh22/negated" in e}
    assert list(logged) == [4, 8, 12] and all("loss" in entry for entry in logged.values())
    assert sum("naysay/gh22/negated" in logs and "naysay/scnt/n" in logs for logs in told) == 3
    assert all(logged[line["step"]].items() >= known(line["figures"]) for line in lines)
    # Each step asked its own weights, and the last one those that came out.
    assert len({line["run"] for line in lines}) == 3 == len(list(runs.glob("*/manifest.json")))
    here = evaluate(
        watched.model, ["scnt", "gh22"], tokenizer=tokenizer, limit=1, out=tmp_path / "fresh"
    )
    assert here.run == lines[-1]["run"] != lines[-2]["run"]


def known(figures: dict[str, float | None]) -> Any:
    return {name: value for name, value in figures.items() if value is not None}.items()


def test_a_test_that_fails_does_not_end_the_training(
    tiny_bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from naysay.train.callback import NegationCallback

    watch = NegationCallback("semantoneg", limit=1, every=6, file=tmp_path / "watch.jsonl")
    trainer, _ = trained_plainly(tiny_bert, tmp_path, [watch])
    assert trainer.state.global_step == 12
    assert "step 6: the model was not tested: suite 'semantoneg' asks" in capsys.readouterr().err
    assert "error" in (tmp_path / "watch.jsonl").read_text()


def test_a_callback_without_tokenizer_or_with_an_unknown_suite_is_refused() -> None:
    from naysay.core.errors import UnknownNameError
    from naysay.train.callback import NegationCallback

    with pytest.raises(UnknownNameError, match="scnt"):
        NegationCallback("scnt9")
    with pytest.raises(ModelError, match="tokenizer"):
        NegationCallback().on_train_begin(None, None, None)
