"""A transformers Trainer whose result does not depend on interruptions."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import SequentialSampler
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from naysay.core.console import notify, spoken_time
from naysay.core.errors import ModelError
from naysay.core.keys import draw
from naysay.models.lm.loading import choose_device
from naysay.train import checkpoints
from naysay.train.collation import IGNORED
from naysay.train.plan import TrainingPlan

_BETWEEN = (0.2, 60.0)  # seconds between two lines, on a terminal and in a log


class ProgressLine(TrainerCallback):  # type: ignore[misc]
    """Prints step, loss and time left to standard error."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._begun = self._spoken = 0.0
        self._from, self._loss, self._shown = 0, "", False

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Start the clock."""
        self._begun = self._spoken = time.monotonic()
        self._from = state.global_step

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **given: Any) -> None:
        """Remember the loss."""
        if logs and "loss" in logs:
            self._loss = f", loss {logs['loss']:.3f}"

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Print the progress at limited intervals."""
        moment = time.monotonic()
        if moment - self._spoken < _BETWEEN[0 if self._terminal else 1]:
            return
        self._spoken = moment
        done = state.global_step - self._from
        left = (moment - self._begun) / done * (state.max_steps - state.global_step)
        line = (
            f"training: step {state.global_step:,} of {state.max_steps:,}{self._loss}, "
            f"about {spoken_time(left)} left"
        )
        if self._terminal:
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
            self._shown = True
        else:
            notify(line)

    def clear(self) -> None:
        """Clear the progress line."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._shown = False


WRAPPED = ("forward", "_original_forward")
"""Attributes that mixed precision overrides on a model."""


class Loop(Trainer):  # type: ignore[misc]
    """A Trainer that takes examples in the order of the schedule, and logs each step's loss."""

    def __init__(self, *, plan: TrainingPlan, examples: int, **given: Any) -> None:
        self._plan, self._epoch = plan, plan.batch / examples
        self._last: Any = None
        self._weight = 1.0
        super().__init__(**given)
        self.remove_callback(PrinterCallback)

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        # The schedule determines the order; the sampler only follows it.
        return SequentialSampler(self.train_dataset if train_dataset is None else train_dataset)

    def training_step(self, model: Any, inputs: Any, *given: Any, **named: Any) -> Any:
        """Run a training step, in micro-batches if the plan says so, and remember its loss."""
        size, total = self._plan.at_once, self._predicted(inputs)
        if len(inputs["labels"]) <= size or not total:
            self._last = super().training_step(model, inputs, *given, **named)
            return self._last
        self._last = 0.0
        for start in range(0, len(inputs["labels"]), size):
            part = {name: tensor[start : start + size] for name, tensor in inputs.items()}
            # Without a number of items the model returns the mean over the part, which counts as
            # much as the part has tokens to predict.
            self._weight = self._predicted(part) / total
            if self._weight:
                self._last = self._last + super().training_step(model, part)
        self._weight = 1.0
        return self._last

    def compute_loss(self, *given: Any, **named: Any) -> Any:
        """Compute the loss of a batch, or a micro-batch's part in it."""
        found = super().compute_loss(*given, **named)
        return found if self._weight == 1.0 else self._weight * found

    def _predicted(self, inputs: Any) -> int:
        """Count the labels of a batch that enter the loss."""
        labels = inputs["labels"]
        if getattr(self.data_collator, "shifted", False):
            labels = labels[:, 1:]
        return int((labels != IGNORED).sum())

    def log(self, logs: dict[str, float], *given: Any) -> None:
        """Log the mean loss of the window and the loss of the last step."""
        if "loss" in logs:
            logs["step_loss"] = float(self._last)
            if not math.isfinite(logs["loss"]):
                raise self._diverged(f"the loss is {logs['loss']}")
        # To the library the whole training is one epoch, so its own count is meaningless.
        self.state.epoch = self.state.global_step * self._epoch
        super().log(logs, *given)

    def _diverged(self, what: str) -> ModelError:
        return ModelError(
            f"{what} at step {self.state.global_step}: the training diverged. Try a lower learning "
            f"rate (it is {self._plan.lr:g}) or warm-up. The checkpoints before it are kept."
        )

    def check_weights(self) -> None:
        """Refuse weights that are not finite: the loss shows them only one step later."""
        for name, weight in self.model.named_parameters():
            if not bool(weight.isfinite().all()):
                raise self._diverged(f"{name} is not finite")

    def _save_checkpoint(self, *given: Any, **named: Any) -> None:
        self.check_weights()
        super()._save_checkpoint(*given, **named)
        folder = Path(self.args.output_dir)
        checkpoints.seal(checkpoints.checkpoint_at(folder, self.state.global_step))
        if self._plan.keep is not None:
            best = best_of(self.state.log_history)
            wanted = [best[0]] if best and self._plan.patience is not None else []
            checkpoints.prune(folder, self._plan.keep, wanted)


class Flow(TrainerCallback):  # type: ignore[misc]
    """Controls when to log, to save the best model, and to stop."""

    def __init__(self, plan: TrainingPlan) -> None:
        self._plan = plan

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Seed dropout from the step number, so that nothing between steps affects it."""
        torch.manual_seed(draw("step", self._plan.seed, state.global_step) >> 1)

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """End a log window at every checkpoint, so that no window spans one."""
        if control.should_save or control.should_evaluate or control.should_training_stop:
            control.should_log = True

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Save the best model so far, and stop if it has not improved for too long."""
        if self._plan.patience is None:
            return
        best = best_of(state.log_history)
        if best is not None and best[0] == state.global_step:
            control.should_save = True
        if is_over(state.log_history, self._plan.patience):
            control.should_save = control.should_training_stop = True


def best_of(history: Sequence[dict[str, Any]]) -> tuple[int, float] | None:
    """Return the first step with the lowest evaluation loss, and that loss."""
    losses = {int(entry["step"]): float(entry["eval_loss"]) for entry in _evaluations(history)}
    return min(losses.items(), key=lambda pair: (pair[1], pair[0])) if losses else None


def is_over(history: Sequence[dict[str, Any]], patience: int | None) -> bool:
    """Return whether the patience is exhausted since the best evaluation."""
    best = best_of(history)
    if best is None or patience is None:
        return False
    steps = {int(entry["step"]) for entry in _evaluations(history)}
    return sum(step > best[0] for step in steps) >= patience


def _evaluations(history: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry for entry in history if "eval_loss" in entry]


def arguments(plan: TrainingPlan, folder: Path, total: int, *, evaluated: bool) -> Any:
    """Translate the plan into transformers' TrainingArguments."""
    on_cpu = choose_device(plan.device) == "cpu"
    found = TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=1,  # of the schedule, which contains all epochs of the data
        per_device_train_batch_size=plan.batch,
        per_device_eval_batch_size=plan.at_once,
        learning_rate=plan.lr,
        warmup_steps=plan.warmup_steps(total),
        weight_decay=plan.weight_decay,
        lr_scheduler_type=plan.scheduler,
        seed=plan.seed,
        bf16=plan.precision == "bf16",
        logging_strategy="steps",
        logging_steps=plan.log_every or max(1, total // 100),
        logging_nan_inf_filter=False,  # a non-finite loss is an error and must not be smoothed
        eval_strategy="steps" if evaluated else "no",
        eval_steps=plan.eval_every,
        prediction_loss_only=True,
        save_strategy="steps",
        save_steps=plan.save_every,
        save_total_limit=None,  # older checkpoints are deleted only after the new one is sealed
        remove_unused_columns=False,
        dataloader_pin_memory=not on_cpu and torch.cuda.is_available(),
        disable_tqdm=True,
        report_to=[],
        use_cpu=on_cpu,
    )
    if found.n_gpu > 1:
        found._n_gpu = 1  # one device: several would multiply the batch size
    return found
