"""A small training that can be held up, and made in a process that is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from conftest import sentences
from naysay.train.collation import MaskedCollator
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
from toy_training import fitted, paused
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
    """A model and its tokenizer, masked or causal."""
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


def paused(step: int) -> Any:
    """A callback that waits after a step until standard input says something, or ends."""
    from transformers import TrainerCallback

    class Paused(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            if state.global_step == step:
                sys.stdin.read(1)

    return Paused()
