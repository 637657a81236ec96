"""How a model is trained: the options of one training, checked when they are made."""

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
    """An example in its epoch; what a collator draws at random, it draws from these numbers."""

    value: Any
    index: int
    """The example's place in the data."""
    epoch: int
    """How often the data was gone through before; -1 in evaluations, which are always alike."""


class Schedule:
    """All examples of a training in their order, each epoch in another one."""

    def __init__(self, examples: Sequence[Any], draws: int, seed: int) -> None:
        self._examples, self._draws = examples, draws
        self._order = lru_cache(maxsize=2)(lambda epoch: _shuffled(len(examples), seed, epoch))

    def __len__(self) -> int:
        return self._draws

    def __getitem__(self, place: int) -> TrainingItem:
        epoch, within = divmod(place, len(self._examples))
        index = int(self._order(epoch)[within])
        return TrainingItem(self._examples[index], index, epoch)


class Fixed:
    """The examples of an evaluation: in the order of the data, and the same each time."""

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
"""What can be another when a training goes on: it changes no weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """Steps or epochs, batches, the learning rate, and when to save, look and stop."""

    steps: int | None = None
    """How many steps; if None, as many as the epochs have."""
    epochs: float = 1.0
    batch: int = 64
    lr: float = 5e-5
    warmup: float = 0.0
    """A share of the steps if below 1, else a number of steps."""
    weight_decay: float = 0.0
    scheduler: str = "linear"
    seed: int = 0
    max_length: int = 128
    """Tokens of an example at most; collators cut what is longer."""
    precision: str = "fp32"
    patience: int | None = None
    """Stop after so many evaluations without a better one, and keep the best; never if None."""
    save_every: int = 500
    eval_every: int = 500
    log_every: int | None = None
    """The window of the mean loss; if None, a hundredth of the steps."""
    keep: int | None = 1
    """Checkpoints that stay while it goes on; None keeps all, also after the end."""
    device: str = "auto"
    """The processor with `cpu`, else the best there is."""

    def __post_init__(self) -> None:
        for option in ("batch", "save_every", "eval_every", "max_length"):
            self._whole(option, 1)
        for option in ("steps", "patience", "log_every", "keep"):
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

    def draws(self, examples: int) -> int:
        """How many examples are drawn in all, one counted each time that it comes."""
        if self.steps is not None:
            return self.steps * self.batch
        return max(1, round(examples * self.epochs))

    def total(self, examples: int) -> int:
        """How many steps there are with so many examples.

        >>> TrainingPlan(epochs=2, batch=10).total(16)
        4
        """
        return math.ceil(self.draws(examples) / self.batch)

    def warmup_steps(self, total: int) -> int:
        """How many steps the learning rate rises."""
        return int(self.warmup * total if self.warmup < 1 else self.warmup)

    def identity(self, *, evaluated: bool) -> dict[str, Any]:
        """What of the plan can change the weights that come out."""
        stops = evaluated and self.patience is not None
        kept = {name: value for name, value in asdict(self).items() if name not in _FREE}
        kept["epochs"] = None if self.steps is not None else float(self.epochs)
        kept["patience"] = self.patience if stops else None
        return kept | ({"eval_every": self.eval_every} if stops else {})
