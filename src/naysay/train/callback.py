"""A small test of negation during training, for any transformers Trainer.

    trainer = Trainer(…, processing_class=tokenizer, callbacks=[NegationCallback(every=500)])

The figures are added to the trainer's log next to the loss, as `naysay/scnt/CpTn` and so on, and so
reach all reporters. Training is not affected: the model is copied and the states of all random
generators are restored, so the final weights are identical to the last bit.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import TrainerCallback

from naysay.core.console import notify
from naysay.core.errors import ModelError, NaysayError, SpecError
from naysay.core.files import read_text
from naysay.core.paths import write_text
from naysay.run.evaluation import Evaluation, evaluate
from naysay.suites import SUITES, watched_suites
from naysay.train.loop import WRAPPED


class NegationCallback(TrainerCallback):  # type: ignore[misc]
    """Runs suites on the model in memory every `every` steps and after the last one."""

    def __init__(
        self,
        suites: str | Sequence[str] | None = None,
        limit: int = 20,
        every: int = 500,
        *,
        file: str | Path | None = None,
        tokenizer: Any = None,
        out: str | Path | None = None,
        **options: Any,
    ) -> None:
        """Take the suites, the number of units of each, and the steps between tests.

        Without suites, those are taken that trainings are tested by.
        `file` receives a line of JSON per test. `tokenizer` defaults to the trainer's. `out` keeps
        the runs; otherwise they are deleted. `options` are those of `evaluate`.
        """
        if every < 1:
            raise SpecError(f"every must be a whole number from 1 on, not {every!r}")
        suites = watched_suites() if suites is None else suites
        self.suites = [suites] if isinstance(suites, str) else list(suites)
        for name in self.suites:
            SUITES.get(name)
        self.limit, self.every, self.options = limit, every, options
        self.file = Path(file) if file is not None else None
        self.out = Path(out) if out is not None else None
        self.tokenizer = tokenizer
        self.figures: dict[int, dict[str, float | None]] = {}
        """The figures by step."""
        self._pending: dict[str, float] = {}

    def on_train_begin(
        self, args: Any, state: Any, control: Any, processing_class: Any = None, **given: Any
    ) -> None:
        """Check for a tokenizer, and move this callback before the reporters."""
        self.tokenizer = self.tokenizer or processing_class
        if self.tokenizer is None:
            raise ModelError("give the trainer a processing_class, or the callback a tokenizer")
        _go_first(self)
        self._forget_after(state.global_step)

    def on_step_end(
        self, args: Any, state: Any, control: Any, model: Any = None, **given: Any
    ) -> None:
        """Test the model every `every` steps and at the end, and make the trainer log."""
        step = state.global_step
        if not state.is_world_process_zero or (step % self.every and step < state.max_steps):
            return
        begun = time.perf_counter()
        try:
            evaluation = self._evaluated(model)
        except NaysayError as error:
            # A failed test must not abort the training.
            notify(f"step {step:,}: the model was not tested: {error}")
            self._write({"step": step, "error": str(error)})
            return
        figures = figures_of(evaluation)
        self.figures[step] = figures
        self._pending = {name: value for name, value in figures.items() if value is not None}
        control.should_log = True
        verdicts = {finding.suite: finding.outcome for finding in evaluation.findings}
        seconds = round(time.perf_counter() - begun, 3)
        self._write(
            {"step": step, "run": evaluation.run, "figures": figures, "verdicts": verdicts,
             "seconds": seconds}
        )  # fmt: skip

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **given: Any) -> None:
        """Add the figures to the log entry."""
        if not self._pending or logs is None:
            return
        logs.update(self._pending)
        if state.log_history and state.log_history[-1].get("step") == state.global_step:
            state.log_history[-1].update(self._pending)
        self._pending = {}

    def _evaluated(self, model: Any) -> Evaluation:
        with contextlib.ExitStack() as around:
            around.enter_context(unmoved(model))
            around.enter_context(contextlib.redirect_stderr(io.StringIO()))
            out = self.out or Path(around.enter_context(tempfile.TemporaryDirectory()))
            # The run's key includes a hash of the weights, so steps do not share answers.
            return evaluate(
                model, self.suites, tokenizer=self.tokenizer, limit=self.limit, out=out,
                **{"device": str(model.device), **self.options},
            )  # fmt: skip

    def _write(self, line: dict[str, Any]) -> None:
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")

    def _forget_after(self, step: int) -> None:
        """Delete what an earlier training wrote after the checkpoint that is being resumed."""
        if self.file is None or not self.file.is_file():
            return
        lines = read_text(self.file).splitlines()
        kept = [line for line in lines if _step(line) <= step]
        if len(kept) < len(lines):
            write_text(self.file, "".join(f"{line}\n" for line in kept))


def figures_of(evaluation: Evaluation) -> dict[str, float | None]:
    """Return the first table of each suite, with names like `naysay/scnt/CpTn`, and its n."""
    found: dict[str, float | None] = {}
    for finding in evaluation.findings:
        first = next(iter(finding.titles))
        main = [estimate for estimate in finding.estimates if estimate.table == first]
        several = len({estimate.metric for estimate in main}) > 1
        for estimate in main:
            metric = f"/{estimate.metric}" if several else ""
            found[f"naysay/{finding.suite}/{estimate.condition}{metric}"] = estimate.value
        found[f"naysay/{finding.suite}/n"] = float(max((e.n for e in main), default=0))
    return found


@contextlib.contextmanager
def unmoved(model: Any) -> Iterator[None]:
    """Restore whatever a test could change: random states, modes, a wrapped forward pass."""
    python, old, cpu = random.getstate(), np.random.get_state(), torch.get_rng_state()
    gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    modes = [(module, module.training) for module in model.modules()]
    # Mixed precision wraps the forward pass; the test has its own precision.
    wrapped = {name: model.__dict__.pop(name) for name in WRAPPED if name in model.__dict__}
    try:
        yield
    finally:
        model.__dict__.update(wrapped)
        for module, mode in modes:
            module.training = mode
        random.setstate(python)
        np.random.set_state(old)
        torch.set_rng_state(cpu)
        if gpus:
            torch.cuda.set_rng_state_all(gpus)


def _go_first(callback: TrainerCallback) -> None:
    """Move the callback before the reporters, which log the figures in their turn.

    The trainer does not pass the list of callbacks, so it is taken from the caller's frame.
    Callbacks before this one had their turn, and those after it keep their places.
    """
    frame = sys._getframe(2)
    callbacks = getattr(frame.f_locals.get("self"), "callbacks", None)
    if isinstance(callbacks, list) and callback in callbacks:
        callbacks.remove(callback)
        callbacks.insert(0, callback)


def _step(line: str) -> float:
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return float("inf")  # truncated while it was written
