"""Progress of a training: one line that is rewritten on a terminal, and regular lines in logs."""

from __future__ import annotations

import sys
import time
from typing import Any

from transformers import TrainerCallback

from naysay.core.console import notify, spoken_time

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
