"""Which example comes when: drawn from the seed and the epoch alone, never from a running order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Item:
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

    def __getitem__(self, place: int) -> Item:
        epoch, within = divmod(place, len(self._examples))
        index = int(self._order(epoch)[within])
        return Item(self._examples[index], index, epoch)


class Fixed:
    """The examples of an evaluation: in the order of the data, and the same each time."""

    def __init__(self, examples: Sequence[Any]) -> None:
        self._examples = examples

    def __len__(self) -> int:
        return len(self._examples)

    def __getitem__(self, place: int) -> Item:
        return Item(self._examples[place], place, -1)


def _shuffled(count: int, seed: int, epoch: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng([seed, epoch]).permutation(count)
