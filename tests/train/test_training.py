"""Training can be interrupted anywhere, and ends with the same weights."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import needs_bf16, sentences
from naysay.core.errors import ModelError, RunError
from naysay.core.keys import file_digest
from naysay.train.collation import MaskedCollator
from naysay.train.trainer import Trained, TrainingPlan, fit
from toy_training import PLAN, child, fitted, load

pytestmark = pytest.mark.slow  # many small trainings or runs with weights


def weights(folder: Path) -> str:
    return file_digest(folder / "model.safetensors")


@pytest.fixture(scope="module")
def whole(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """The training that nothing interrupted."""
    return fitted(tiny_bert, tmp_path_factory.mktemp("training") / "whole")


def stopper(step: int) -> Any:
    """A callback that interrupts after a step."""
    from transformers import TrainerCallback

    class Stopper(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            if state.global_step == step:
                raise KeyboardInterrupt

    return Stopper()


def test_a_killed_training_ends_as_if_it_had_not_been(
    tiny_bert: Path, tmp_path: Path, whole: Trained
) -> None:
    killed = child(tiny_bert, tmp_path)
    while not list(tmp_path.glob("checkpoints/*/whole.json")):
        with pytest.raises(subprocess.TimeoutExpired):  # else it has ended before its time
            killed.wait(timeout=0.05)
    killed.kill()
    killed.communicate()
    assert killed.returncode == -9
    assert "result" not in json.loads((tmp_path / "training.json").read_text())["fit"]
    trained = fitted(tiny_bert, tmp_path)
    assert trained.resumed_from == 7
    assert abs(trained.last_loss - whole.last_loss) <= 1e-6
    assert abs(trained.loss - whole.loss) <= 1e-6
    assert trained.history == whole.history
    assert weights(tmp_path) == weights(whole.folder)


def test_a_checkpoint_cut_by_a_kill_is_not_used(
    tiny_bert: Path, tmp_path: Path, whole: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    killed = child(tiny_bert, tmp_path, cut=14)
    killed.communicate(b"on")
    assert killed.returncode == -9
    assert (tmp_path / "checkpoints/checkpoint-14/model.safetensors").is_file()
    trained = fitted(tiny_bert, tmp_path)
    assert "checkpoint-14 is incomplete" in capsys.readouterr().err
    assert trained.resumed_from == 7
    assert weights(tmp_path) == weights(whole.folder)


@pytest.mark.parametrize("damage", ["cut", "gone", "unsealed"])
def test_a_damaged_checkpoint_is_not_used(
    tiny_bert: Path, tmp_path: Path, whole: Trained, damage: str
) -> None:
    with pytest.raises(KeyboardInterrupt):
        fitted(tiny_bert, tmp_path, [stopper(16)], keep=2)
    last = tmp_path / "checkpoints" / "checkpoint-14"
    optimizer = last / "optimizer.pt"
    if damage == "cut":
        optimizer.write_bytes(optimizer.read_bytes()[:-10])
    elif damage == "gone":
        optimizer.unlink()
    else:
        (last / "whole.json").unlink()
    assert fitted(tiny_bert, tmp_path).resumed_from == 7
    assert weights(tmp_path) == weights(whole.folder)


def test_a_training_killed_after_its_last_step_only_has_to_be_saved(
    tiny_bert: Path, tmp_path: Path, whole: Trained
) -> None:
    fitted(tiny_bert, tmp_path, keep=None)
    record = json.loads((tmp_path / "training.json").read_text())
    del record["fit"]["result"]
    (tmp_path / "training.json").write_text(json.dumps(record))
    (tmp_path / "model.safetensors").unlink()
    trained = fitted(tiny_bert, tmp_path, [stopper(31)])
    assert trained.resumed_from == trained.steps == 30
    assert trained.last_loss == whole.last_loss
    assert weights(tmp_path) == weights(whole.folder)


def test_a_finished_training_is_not_repeated(
    tiny_bert: Path, whole: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from naysay.train.loop import Loop

    monkeypatch.setattr(Loop, "train", lambda self, **given: pytest.fail("trained again"))
    assert fitted(tiny_bert, whole.folder).as_dict() == whole.as_dict()
    model, tokenizer = load(tiny_bert)
    plan = TrainingPlan(**{**PLAN, "save_every": 3})  # which changes no weight
    texts = sentences()[:200]
    fit(model, texts, MaskedCollator(tokenizer, 32), plan, whole.folder, evaluation=texts[:20])
    saved = type(model).from_pretrained(whole.folder).state_dict()
    assert all(torch.equal(value, saved[name]) for name, value in model.state_dict().items())
    assert not list(whole.folder.glob("checkpoints/*"))


def test_another_training_in_the_same_folder_is_refused(tiny_bert: Path, whole: Trained) -> None:
    with pytest.raises(
        RunError, match=r"another training \(plan lr: found 0.001, requested 0.002\)"
    ):
        fitted(tiny_bert, whole.folder, lr=2e-3)
    model, tokenizer = load(tiny_bert)
    plan, collate = TrainingPlan(**PLAN), MaskedCollator(tokenizer, 32)
    with pytest.raises(RunError, match="examples: found"):
        fit(model, sentences()[:199], collate, plan, whole.folder)
    next(model.parameters()).data += 1
    with pytest.raises(RunError, match="start: found"):
        fit(model, sentences()[:200], collate, plan, whole.folder)


def test_trained_weights_that_are_gone_are_told(tiny_bert: Path, tmp_path: Path) -> None:
    fitted(tiny_bert, tmp_path, steps=2)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(RunError, match=r"trained weights in .* cannot be read"):
        fitted(tiny_bert, tmp_path, steps=2)


def test_patience_stops_and_keeps_the_best(tiny_bert: Path, tmp_path: Path) -> None:
    options = {"lr": 0.3, "scheduler": "constant", "steps": 200, "eval_every": 2}
    trained = fitted(tiny_bert, tmp_path, **options, patience=2)
    losses = {e["step"]: e["eval_loss"] for e in trained.history if "eval_loss" in e}
    assert trained.steps < 200 and trained.steps == max(losses)
    assert trained.best_loss == min(losses.values()) == losses[trained.kept_step]
    assert trained.kept_step == trained.best_step == trained.steps - 4
    again = fitted(tiny_bert, tmp_path / "short", **{**options, "steps": trained.kept_step})
    assert weights(tmp_path) == weights(again.folder)


def test_a_loss_that_runs_away_is_told(tiny_bert: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="lower learning rate"):
        fitted(tiny_bert, tmp_path, lr=1e38)


@needs_bf16
def test_training_in_bf16_leaves_a_plain_model(tiny_bert: Path, tmp_path: Path) -> None:
    import torch

    model, tokenizer = load(tiny_bert)
    plan = TrainingPlan(steps=3, batch=4, lr=1e-3, precision="bf16")
    fit(model, sentences()[:20], MaskedCollator(tokenizer, 32), plan, tmp_path)
    saved = type(model).from_pretrained(tmp_path).eval()
    ids = torch.tensor([tokenizer("She is happy to run.")["input_ids"]])
    with torch.inference_mode():
        assert torch.equal(model(input_ids=ids).logits, saved(input_ids=ids).logits)


def spoiler(step: int, value: float) -> Any:
    """A callback that spoils a weight after a step."""
    from transformers import TrainerCallback

    class Spoiler(TrainerCallback):  # type: ignore[misc]
        def on_step_end(
            self, args: Any, state: Any, control: Any, model: Any = None, **given: Any
        ) -> None:
            if state.global_step == step:
                next(iter(model.parameters())).data.fill_(value)

    return Spoiler()


@pytest.mark.parametrize("step", [13, 14, 30])  # before, at the second save, and at the end
def test_a_training_that_diverges_stops_and_keeps_its_good_checkpoints(
    tiny_bert: Path, tmp_path: Path, step: int
) -> None:
    import torch
    from safetensors.torch import load_file

    with pytest.raises(ModelError, match="the training diverged"):
        fitted(tiny_bert, tmp_path, [spoiler(step, float("nan"))], log_every=30)
    kept = sorted(tmp_path.glob("checkpoints/checkpoint-*/model.safetensors"))
    assert kept  # the last good one is among them
    for file in kept:
        assert all(bool(torch.isfinite(tensor).all()) for tensor in load_file(file).values()), file
    assert not (tmp_path / "model.safetensors").exists()
    trained = fitted(tiny_bert, tmp_path, log_every=30)
    assert trained.resumed_from is not None and trained.steps == 30
