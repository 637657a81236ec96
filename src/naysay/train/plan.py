"""The options of a training, validated on creation, and the order of its examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from naysay.core.errors import SpecError
from naysay.core.options import flag


@dataclass(frozen=True, slots=True)
class TrainingItem:
    """An example in its epoch; collators seed their random draws with these numbers."""

    value: Any
    index: int
    """The example's index in the data."""
    epoch: int
    """The epoch, from 0; -1 in evaluations, which are always the same."""


class Schedule:
    """All examples of a training in order, shuffled in each epoch unless they are `in_order`."""

    def __init__(self, examples: Sequence[Any], draws: int, seed: int) -> None:
        self._examples, self._draws = examples, draws
        self._as_given = bool(getattr(examples, "in_order", False))
        self._order = lru_cache(maxsize=2)(lambda epoch: _shuffled(len(examples), seed, epoch))

    def __len__(self) -> int:
        return self._draws

    def __getitem__(self, place: int) -> TrainingItem:
        epoch, within = divmod(place, len(self._examples))
        index = within if self._as_given else int(self._order(epoch)[within])
        return TrainingItem(self._examples[index], index, epoch)


class Fixed:
    """The examples of an evaluation, always in the order of the data."""

    def __init__(self, examples: Sequence[Any]) -> None:
        self._examples = examples

    def __len__(self) -> int:
        return len(self._examples)

    def __getitem__(self, place: int) -> TrainingItem:
        return TrainingItem(self._examples[place], place, -1)


def _shuffled(count: int, seed: int, epoch: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng([seed, epoch]).permutation(count)


SCHEDULERS = ("linear", "cosine", "constant", "constant_with_warmup")
PRECISIONS = ("fp32", "bf16")
DEVICES = ("auto", "cpu")
_FREE = ("save_every", "log_every", "eval_every", "keep", "device")
"""Options that may change on resuming, since they do not affect the weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """Steps or epochs, batch size, learning rate, and when to save, evaluate and stop."""

    steps: int | None = None
    """The number of steps; if None, it follows from the epochs."""
    epochs: float = 1.0
    batch: int = 64
    """The number of examples behind one step of the optimiser."""
    micro_batch: int | None = None
    """How many of them are computed at a time; their gradients add up. None computes all at once.

    Without dropout the weights come out as with the whole batch, but for rounding.
    """
    lr: float = 5e-5
    warmup: float = 0.0
    """A fraction of the steps if below 1, else a number of steps."""
    weight_decay: float = 0.0
    scheduler: str = "linear"
    seed: int = 0
    max_length: int = 128
    """The maximum number of tokens per example; collators truncate longer ones."""
    precision: str = "fp32"
    patience: int | None = None
    """Evaluations without improvement before stopping with the best model; None never stops."""
    save_every: int = 500
    eval_every: int = 500
    log_every: int | None = None
    """The window of the mean loss in steps; if None, a hundredth of all steps."""
    keep: int | None = 1
    """The number of checkpoints to keep during training; None keeps all, also afterwards."""
    device: str = "auto"
    """`cpu`, or `auto` for the best device available."""

    def __post_init__(self) -> None:
        for option in ("batch", "save_every", "eval_every", "max_length"):
            self._whole(option, 1)
        for option in ("steps", "micro_batch", "patience", "log_every", "keep"):
            if getattr(self, option) is not None:
                self._whole(option, 1)
        self._whole("seed", 0)
        for option, least in (("lr", 0.0), ("epochs", 0.0)):
            value = getattr(self, option)
            if not math.isfinite(value) or value <= least:
                raise SpecError(f"{flag(option)} must be a number above {least:g}, not {value!r}")
        for option in ("warmup", "weight_decay"):
            value = getattr(self, option)
            if not math.isfinite(value) or value < 0:
                raise SpecError(f"{flag(option)} must be a number from 0 on, not {value!r}")
        named = {"scheduler": SCHEDULERS, "precision": PRECISIONS, "device": DEVICES}
        for option, known in named.items():
            if (given := getattr(self, option)) not in known:
                raise SpecError(f"{flag(option)} must be {' or '.join(known)}, not {given!r}")

    def _whole(self, option: str, least: int) -> None:
        value = getattr(self, option)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SpecError(f"{flag(option)} must be a whole number from {least} on, not {value!r}")

    @property
    def at_once(self) -> int:
        """The number of examples that are in memory together."""
        return min(self.batch, self.micro_batch or self.batch)

    def draws(self, examples: int) -> int:
        """Return the total number of examples drawn, counting repetitions."""
        if self.steps is not None:
            return self.steps * self.batch
        return max(1, round(examples * self.epochs))

    def total(self, examples: int) -> int:
        """Return the number of steps for a number of examples.

        >>> TrainingPlan(epochs=2, batch=10).total(16)
        4
        """
        return math.ceil(self.draws(examples) / self.batch)

    def warmup_steps(self, total: int) -> int:
        """Return the number of warm-up steps."""
        return int(self.warmup * total if self.warmup < 1 else self.warmup)

    def identity(self, *, evaluated: bool) -> dict[str, Any]:
        """Return the options that affect the trained weights."""
        stops = evaluated and self.patience is not None
        kept = {name: value for name, value in asdict(self).items() if name not in _FREE}
        kept["epochs"] = None if self.steps is not None else float(self.epochs)
        kept["micro_batch"] = None if self.at_once == self.batch else self.micro_batch
        kept["patience"] = self.patience if stops else None
        return kept | ({"eval_every": self.eval_every} if stops else {})
