"""Fast search for the tests' patterns in every sentence of a corpus.

Most sentences are ruled out in bulk: by their first letters, or, for patterns that begin with a
slot, by a fixed substring. Only the rest is matched against the patterns one by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from naysay.train.extraction.leaks import LeakPattern
from naysay.train.extraction.rules import matches

if TYPE_CHECKING:
    from naysay.train.extraction.sentences import Batch

_EXAMPLES = 3
_LONGEST = 120  # bytes; sentences that match a whole pattern are shorter
_HEAD = 8
_SMALL = 0x2020202020202020  # a bitwise or with this lowercases eight letters


@dataclass(frozen=True)
class Leak:
    """Corpus sentences that match a test's pattern."""

    pattern: str
    suite: str
    exact: int
    """Number of sentences with the test's own words."""
    other: int
    """Number of sentences with other words."""
    examples: tuple[str, ...]


class Guard:
    """Finds test sentences and counts them."""

    def __init__(self, patterns: Sequence[LeakPattern]) -> None:
        self._patterns = patterns
        self._exact = [0] * len(patterns)
        self._other = [0] * len(patterns)
        self._examples: list[list[tuple[int, str]]] = [[] for _ in patterns]
        self._starts: dict[str, list[int]] = defaultdict(list)
        self._cores: dict[str, list[int]] = defaultdict(list)
        for k, pattern in enumerate(patterns):
            if pattern.start.isascii() and pattern.start:
                self._starts[pattern.start[:_HEAD]].append(k)
            else:
                self._cores[pattern.core].append(k)
        others = (k for numbers in self._cores.values() for k in numbers)
        self._re2 = "|".join(dict.fromkeys(patterns[k].re2 for k in others))
        self._numbers = {
            length: np.unique(np.array([_number(s) for s in starts], np.uint64))
            for length in range(1, _HEAD + 1)
            if (starts := [start for start in self._starts if len(start) == length])
        }

    def hits(self, batch: Batch) -> set[int]:
        """Count the sentences that match a test's pattern; return their numbers."""
        begins = batch.begins() | np.uint64(_SMALL)
        likely = np.zeros(len(batch), bool)
        for length, numbers in self._numbers.items():
            heads = begins & np.uint64((1 << 8 * length) - 1)
            places = np.searchsorted(numbers, heads).clip(max=len(numbers) - 1)
            likely |= numbers[places] == heads
        likely &= batch.lengths <= _LONGEST
        cored = matches(batch.array, self._re2)
        found = set()
        for k in np.flatnonzero(likely | cored).tolist():
            sentence = batch[k]
            patterns = self._by_core(sentence) if cored[k] else []
            if likely[k]:
                patterns += self._by_start(sentence)
            if patterns and self._is_hit(sentence, sorted(patterns)):
                found.add(k)
        return found

    def _by_start(self, sentence: str) -> list[int]:
        """Return the patterns that begin like the sentence."""
        small = sentence.lower().lstrip("\"'“‘(")
        return [
            k
            for length in self._numbers
            for k in self._starts.get(small[:length], ())
            if small.startswith(self._patterns[k].start) and self._patterns[k].core in small
        ]

    def _by_core(self, sentence: str) -> list[int]:
        """Return the patterns whose core occurs in the sentence."""
        small = sentence.lower()
        return [k for core, numbers in self._cores.items() if core in small for k in numbers]

    def _is_hit(self, sentence: str, patterns: list[int]) -> bool:
        found: dict[int, bool] = {}
        for k in patterns:
            if (exact := self._patterns[k].found(sentence)) is not None:
                found[k] = exact
        if not found:
            return False
        # Counted once: for a pattern that matches exactly, else for the first match.
        first = min(found, key=lambda k: (not found[k], k))
        (self._exact if found[first] else self._other)[first] += 1
        examples = self._examples[first]
        if sentence not in (text for _, text in examples):
            examples.append((not found[first], sentence))
            examples.sort(key=lambda example: example[0])  # stable: the first ones stay first
            del examples[_EXAMPLES:]
        return True

    @property
    def leaks(self) -> tuple[Leak, ...]:
        """The leaks found, most frequent first."""
        found = [
            Leak(
                pattern.text,
                pattern.suite,
                self._exact[k],
                self._other[k],
                tuple(text for _, text in self._examples[k]),
            )
            for k, pattern in enumerate(self._patterns)
            if self._exact[k] or self._other[k]
        ]
        return tuple(sorted(found, key=lambda leak: (-leak.exact, -leak.other)))


def _number(start: str) -> int:
    return int.from_bytes(start.encode(), "little") | (_SMALL & ((1 << 8 * len(start)) - 1))
