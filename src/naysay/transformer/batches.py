"""Batches without padding: sequences of one length, as many as a token budget allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_WORTH_SHARING = 0.9  # of the tokens; less saved than this is eaten by the second pass


@dataclass(frozen=True, slots=True, order=True)
class Question:
    """A tokenized text and the place whose prediction is wanted, or several in a row."""

    ids: tuple[int, ...]
    place: int
    count: int = 1


Prepared = tuple[Question, tuple[int | None, ...]]
"""A question, and the pieces whose scores are wanted, None for a word that is not one piece."""


def batches(questions: Iterable[Question], token_budget: int) -> Iterator[list[Question]]:
    """The distinct questions, shortest first, in groups of one form within the budget.

    Those of a group have one length and ask for one number of places.

    Texts that begin alike stand together. One longer than the budget is a batch of its own.

    >>> two, one = Question((5, 6), 0), Question((5,), 0)
    >>> [len(batch) for batch in batches([two, one, two], 4096)]
    [1, 1]
    """
    by_form: dict[tuple[int, int], set[Question]] = {}
    for question in questions:
        by_form.setdefault((len(question.ids), question.count), set()).add(question)
    for form in sorted(by_form):
        group = sorted(by_form[form])
        size = max(1, token_budget // form[0])
        for start in range(0, len(group), size):
            yield group[start : start + size]


def shared_length(batch: Sequence[Question]) -> int:
    """How many first tokens to compute once for all texts that share them; 0 if it does not pay.

    Where a prediction is wanted cannot be shared: the head runs after that.

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
