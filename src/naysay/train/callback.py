"""A small test of negation while a model trains, for any Trainer of transformers.

    trainer = Trainer(…, processing_class=tokenizer, callbacks=[NegationCallback(every=500)])

The figures stand in the trainer's log beside the loss, as `naysay/scnt/CpTn` and so on, and so
reach whatever reports it. Training itself does not notice: the model is copied, and the states of
all random generators are put back, so the weights come out the same to the last bit.
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

from naysay.core.console import tell
from naysay.core.errors import ModelError, NaysayError, SpecError
from naysay.core.paths import write_text
from naysay.run.evaluation import Evaluation, evaluate
from naysay.suites import SUITES
from naysay.train.loop import WRAPPED


class NegationCallback(TrainerCallback):  # type: ignore[misc]
    """Runs suites on the model in memory every so many steps, and after the last one."""

    def __init__(
        self,
        suites: str | Sequence[str] = "scnt",
        limit: int = 20,
        every: int = 500,
        *,
        file: str | Path | None = None,
        tokenizer: Any = None,
        out: str | Path | None = None,
        **options: Any,
    ) -> None:
        """Take the suites, how many units of each, and at how many steps.

        `file` gets a line of JSON for each test. `tokenizer` is the trainer's if not given. `out`
        keeps the runs; else they are forgotten once measured. `options` are those of `evaluate`.
        """
        if every < 1:
            raise SpecError(f"every must be a whole number from 1 on, not {every!r}")
        self.suites = [suites] if isinstance(suites, str) else list(suites)
        for name in self.suites:
            SUITES.get(name)
        self.limit, self.every, self.options = limit, every, options
        self.file = Path(file) if file is not None else None
        self.out = Path(out) if out is not None else None
        self.tokenizer = tokenizer
        self.figures: dict[int, dict[str, float | None]] = {}
        """What was measured, by step."""
        self._pending: dict[str, float] = {}

    def on_train_begin(
        self, args: Any, state: Any, control: Any, processing_class: Any = None, **given: Any
    ) -> None:
        """See that it can be asked, and that reporters get the figures."""
        self.tokenizer = self.tokenizer or processing_class
        if self.tokenizer is None:
            raise ModelError("give the trainer a processing_class, or the callback a tokenizer")
        _go_first(self)
        self._forget_after(state.global_step)

    def on_step_end(
        self, args: Any, state: Any, control: Any, model: Any = None, **given: Any
    ) -> None:
        """Test the model where it is time, and have the trainer log."""
        step = state.global_step
        if not state.is_world_process_zero or (step % self.every and step < state.max_steps):
            return
        begun = time.perf_counter()
        try:
            evaluation = self._evaluated(model)
        except NaysayError as error:
            # A test that cannot be made is no reason to lose a training.
            tell(f"step {step:,}: the model was not tested: {error}")
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
        """Put the figures beside the loss."""
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
            # The run's key has a hash of the weights, so no step finds the answers of another.
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
        """Take away what an earlier training wrote after the checkpoint that this one is from."""
        if self.file is None or not self.file.is_file():
            return
        lines = self.file.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if _step(line) <= step]
        if len(kept) < len(lines):
            write_text(self.file, "".join(f"{line}\n" for line in kept))


def figures_of(evaluation: Evaluation) -> dict[str, float | None]:
    """The first table of each suite, named as in `naysay/scnt/CpTn`, and how much it rests on."""
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
    """Put back whatever a test could move: random generators, modes, a wrapped forward pass."""
    python, old, cpu = random.getstate(), np.random.get_state(), torch.get_rng_state()
    gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    modes = [(module, module.training) for module in model.modules()]
    # Mixed precision wraps the forward pass; the test has a precision of its own.
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
    """Come before the reporters, which log what they are given when their turn comes.

    The trainer hands a callback everything but the list that it is in; that list belongs to whoever
    calls. Those before this one had their turn, and those after it keep their places.
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
        return float("inf")  # cut while it was written
