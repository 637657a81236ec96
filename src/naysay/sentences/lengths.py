"""Batches of inputs of one length, so that nothing is padded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Input = TypeVar("Input")


def equal_batches(
    inputs: Sequence[Input], length: Callable[[Input], int], token_budget: int
) -> Iterator[list[Input]]:
    """The inputs, shortest first, in groups of one length within the budget.

    >>> list(equal_batches(["aa", "b", "cc", "dd"], len, 4))
    [['b'], ['aa', 'cc'], ['dd']]
    """
    by_length: dict[int, list[Input]] = {}
    for one in inputs:
        by_length.setdefault(length(one), []).append(one)
    for tokens, group in sorted(by_length.items()):
        size = max(1, token_budget // max(1, tokens))
        for start in range(0, len(group), size):
            yield group[start : start + size]
