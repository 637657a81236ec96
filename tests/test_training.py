"""Training can be interrupted anywhere, and ends with the same weights."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import needs_bf16, sentences
from naysay.core.errors import ModelError, RunError, SpecError
from naysay.core.keys import file_digest
from naysay.train.collation import IGNORED, CausalCollator, MaskedCollator, packed
from naysay.train.plan import Schedule, TrainingItem
from naysay.train.trainer import Trained, TrainingPlan, fit

PLAN: dict[str, Any] = {
    "steps": 30,
    "batch": 8,
    "lr": 1e-3,
    "save_every": 7,
    "eval_every": 10,
    "log_every": 4,
}

CHILD = """
import os, signal, sys
import torch
sys.path.insert(0, {tests!r})
from test_training import fitted, paused
real = torch.save
def save(value, place, *more, **named):
    real(value, place, *more, **named)
    if "checkpoint-{cut}" in str(place):
        os.kill(os.getpid(), signal.SIGKILL)
torch.save = save
fitted({start!r}, {out!r}, [paused(10)])
"""


def child(start: Path, out: Path, *, cut: int = 0) -> subprocess.Popen[bytes]:
    """The training in a process of its own, which dies while it writes the named checkpoint."""
    tests = str(Path(__file__).parent)
    code = CHILD.format(tests=tests, start=str(start), out=str(out), cut=cut)
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )


def load(folder: Path | str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

    from naysay.models.lm.loading import quiet

    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(folder)
        auto = AutoModelForMaskedLM if tokenizer.mask_token else AutoModelForCausalLM
        return auto.from_pretrained(folder), tokenizer


def fitted(start: Path | str, out: Path | str, callbacks: Any = (), **options: Any) -> Trained:
    """A training of the masked model on some lines, with dropout and trials on the way."""
    model, tokenizer = load(start)
    collate = MaskedCollator(tokenizer, max_length=32)
    texts, plan = sentences()[:200], TrainingPlan(**{**PLAN, **options})
    return fit(model, texts, collate, plan, Path(out), evaluation=texts[:20], callbacks=callbacks)


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


def paused(step: int) -> Any:
    """A callback that waits after a step until standard input says something, or ends."""
    from transformers import TrainerCallback

    class Paused(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            if state.global_step == step:
                sys.stdin.read(1)

    return Paused()


# The plan, the order of the data, the masks


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"batch": 0}, "--batch must be a whole number from 1 on, not 0"),
        ({"steps": True}, "--steps"),
        ({"lr": float("nan")}, "--lr must be a number above 0"),
        ({"epochs": 0}, "--epochs"),
        ({"warmup": -1}, "--warmup"),
        ({"scheduler": "square"}, "--scheduler must be linear or cosine"),
    ],
)
def test_a_plan_that_cannot_be_followed_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        TrainingPlan(**options)


def test_every_epoch_has_all_examples_once_in_an_order_of_its_own() -> None:
    examples = [f"text {k}" for k in range(50)]
    drawn = [Schedule(examples, 120, seed)[place] for seed in (0, 0, 1) for place in range(120)]
    first, again, other = drawn[:120], drawn[120:240], drawn[240:]
    assert first == again != other
    for epoch in (0, 1):
        assert sorted(item.index for item in first if item.epoch == epoch) == list(range(50))
    assert [item.index for item in first[:50]] != [item.index for item in first[50:100]]
    assert all(item.value == examples[item.index] for item in first)


def test_masks_depend_on_the_example_and_the_epoch_alone(tiny_bert: Path) -> None:
    _, tokenizer = load(tiny_bert)
    collate = MaskedCollator(tokenizer, max_length=32)
    items = [TrainingItem(text, k, 0) for k, text in enumerate(sentences()[:40])]
    together = collate(items)
    for k, item in enumerate(items):
        alone = collate([item])
        length = alone["input_ids"].shape[1]
        for name in ("input_ids", "labels"):
            assert together[name][k, :length].tolist() == alone[name][0].tolist()
        assert (together["labels"][k, length:] == IGNORED).all()
    later = collate([TrainingItem(item.value, item.index, 1) for item in items])
    assert (later["labels"] != together["labels"]).any()
    other = MaskedCollator(tokenizer, max_length=32, seed=1)
    assert (other(items)["labels"] != together["labels"]).any()
    assert other.digest != collate.digest


def test_masks_have_the_shares_of_bert(tiny_bert: Path) -> None:
    _, tokenizer = load(tiny_bert)
    text = " ".join(sentences()[:400])
    plain = np.array(tokenizer(text, verbose=False)["input_ids"])
    collate = MaskedCollator(tokenizer, max_length=len(plain))
    batches = [collate([TrainingItem(plain.tolist(), k, 0)]) for k in range(20)]
    ids = np.concatenate([batch["input_ids"].numpy() for batch in batches])
    labels = np.concatenate([batch["labels"].numpy() for batch in batches])
    chosen = labels != IGNORED
    assert not chosen[:, [0, -1]].any()  # [CLS] and [SEP]
    assert (labels[chosen] == np.broadcast_to(plain, ids.shape)[chosen]).all()
    assert chosen[:, 1:-1].mean() == pytest.approx(0.15, abs=0.005)
    masked = (ids == tokenizer.mask_token_id)[chosen].mean()
    kept = (ids == plain)[chosen].mean()
    assert masked == pytest.approx(0.8, abs=0.02) and kept == pytest.approx(0.1, abs=0.02)
    assert (ids == plain)[~chosen].all()


def test_each_text_has_a_token_to_predict(tiny_bert: Path) -> None:
    _, tokenizer = load(tiny_bert)
    batch = MaskedCollator(tokenizer, max_length=32)([TrainingItem("run", k, 0) for k in range(50)])
    assert ((batch["labels"] != IGNORED).sum(dim=1) >= 1).all()


def test_causal_batches_are_compared_with_the_next_token_by_the_model(tiny_gpt: Path) -> None:
    import torch

    model, tokenizer = load(tiny_gpt)
    texts = sentences()[:5]
    batch = CausalCollator(tokenizer, max_length=32)(
        [TrainingItem(t, k, 0) for k, t in enumerate(texts)]
    )
    with torch.inference_mode():
        loss = float(model(**batch).loss)
        told = []
        for text in texts:
            ids = torch.tensor([tokenizer(text)["input_ids"]])
            scores = model(input_ids=ids).logits.log_softmax(-1)[0]
            told += [-float(scores[k, ids[0, k + 1]]) for k in range(ids.shape[1] - 1)]
    assert loss == pytest.approx(sum(told) / len(told), abs=1e-4)


@pytest.mark.parametrize("tiny", ["tiny_bert", "tiny_roberta", "tiny_gpt"])
def test_packed_texts_lose_nothing(tiny: str, request: pytest.FixtureRequest) -> None:
    _, tokenizer = load(request.getfixturevalue(tiny))
    texts = sentences()[:30]
    pieces = packed(tokenizer, texts, 16)
    assert {len(piece) for piece in pieces[:-1]} == {16}
    special = set(tokenizer.all_special_ids)
    flat = [number for piece in pieces for number in piece if number not in special]
    plain = tokenizer(texts, add_special_tokens=False)["input_ids"]
    assert flat == [number for text in plain for number in text if number not in special]


# Interrupted and gone on with


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
