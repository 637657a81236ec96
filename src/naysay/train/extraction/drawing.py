"""Drawing sentences by their own content: the same ones, in whatever order they come.

Each sentence has a number that depends on it and on the seed alone. Those with the smallest numbers
are drawn: a draw needs no more memory than what is drawn, and where blocks end changes nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint64]


def mixed(numbers: Numbers, seed: int) -> Numbers:
    """Numbers that look random, by the finaliser of splitmix64.

    >>> int(mixed(np.array([1], np.uint64), 0)[0]) == int(mixed(np.array([1], np.uint64), 1)[0])
    False
    """
    mask = (1 << 64) - 1
    numbers = numbers + np.uint64(((seed + 1) * 0x9E3779B97F4A7C15) & mask)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


class Draw:
    """The sentences with the smallest numbers, each once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._drawn: list[tuple[int, str]] = []  # the largest number first
        self._there: set[str] = set()

    @property
    def bound(self) -> int:
        """Only a sentence with a smaller number can be drawn any more."""
        full = len(self._drawn) >= self._size
        return -self._drawn[0][0] if full and self._size else ((1 << 64) if self._size else 0)

    def offer(self, number: int, sentence: str) -> None:
        """Draw the sentence if its number is small enough."""
        if number >= self.bound or sentence in self._there:
            return
        self._there.add(sentence)
        heapq.heappush(self._drawn, (-number, sentence))
        if len(self._drawn) > self._size:
            self._there.remove(heapq.heappop(self._drawn)[1])

    def __iter__(self) -> Iterator[str]:
        """What was drawn, in the order of the numbers."""
        return (sentence for _, sentence in sorted(self._drawn, key=lambda drawn: -drawn[0]))
