"""Tokenized questions, and the batches in which they are run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_WORTH_SHARING = 0.9  # of the tokens; smaller savings are lost to the second pass


@dataclass(frozen=True, slots=True, order=True)
class Question:
    """A tokenized text and the position to predict, or several consecutive ones."""

    ids: tuple[int, ...]
    place: int
    count: int = 1


Prepared = tuple[Question, tuple[int | None, ...]]
"""A question, and the tokens to score; None for a word that is not a single token."""

Passes = Callable[[Collection[Question]], Iterator[tuple[list[Question], Any]]]
"""Runs the distinct questions in batches, and yields the logits at their positions."""


def batch_length(tokens: int, token_budget: int, batch_size: int | None) -> int:
    """Return how many texts of so many tokens go into one batch; at least one.

    >>> batch_length(10, 2048, None), batch_length(10, 2048, 8), batch_length(9999, 2048, 8)
    (204, 8, 1)
    """
    fitting = max(1, token_budget // max(1, tokens))
    return fitting if batch_size is None else min(fitting, batch_size)


def batches(
    questions: Iterable[Question],
    token_budget: int,
    more: int = 0,
    batch_size: int | None = None,
) -> Iterator[list[Question]]:
    """Yield the distinct questions, shortest first, in batches within the budget and the size.

    The questions of a batch have equal lengths and numbers of positions. Texts with shared
    prefixes are adjacent. A text longer than the budget is a batch by itself. `more` is the number
    of tokens that the engine adds to each text.

    >>> two, one = Question((5, 6), 0), Question((5,), 0)
    >>> [len(batch) for batch in batches([two, one, two], 4096)]
    [1, 1]
    """
    by_form: dict[tuple[int, int], set[Question]] = {}
    for question in questions:
        by_form.setdefault((len(question.ids), question.count), set()).add(question)
    for form in sorted(by_form):
        group = sorted(by_form[form])
        size = batch_length(form[0] + more, token_budget, batch_size)
        for start in range(0, len(group), size):
            yield group[start : start + size]


def shared_length(batch: Sequence[Question]) -> int:
    """Return the length of the prefixes to compute once per batch; 0 if that saves too little.

    The predicted position cannot be shared: the head runs after the prefix.

    >>> shared_length([Question((1, 2, 3, word), 3) for word in range(9)])
    3
    """
    length, n = len(batch[0].ids), len(batch)
    costs = {0: n * length}
    for shared in range(1, min(question.place for question in batch) + 1):
        distinct = len({question.ids[:shared] for question in batch})
        costs[shared] = distinct * shared + n * (length - shared)
    best = min(costs, key=lambda shared: costs[shared])
    return best if costs[best] < _WORTH_SHARING * costs[0] else 0
