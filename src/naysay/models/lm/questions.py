"""Tokenized questions, and the batches in which they are run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

_WORTH_SHARING = 0.9  # of the tokens; smaller savings are lost to the attention to a whole tree


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


def equal_lengths(questions: Iterable[Question]) -> Iterator[list[Question]]:
    """Yield the distinct questions in groups, shortest first.

    The texts of a group have equal lengths and numbers of positions, and are in order.

    >>> two, one = Question((5, 6), 0), Question((5,), 0)
    >>> [len(group) for group in equal_lengths([two, one, two])]
    [1, 1]
    """
    groups: dict[tuple[int, int], set[Question]] = {}
    for question in questions:
        groups.setdefault((len(question.ids), question.count), set()).add(question)
    for form in sorted(groups):
        yield sorted(groups[form])


def shares_much(questions: Collection[Question]) -> bool:
    """Return whether texts share so many beginnings that a tree of them pays.

    What comes after the predicted position does not count: a causal model does not see it.

    >>> shares_much([Question((1, 2, 3, word), 3) for word in range(9)])
    True
    >>> shares_much([Question((word, 1, 2, 3), 3) for word in range(9)])
    False
    """
    distinct = set(questions)
    texts = sorted({question.ids[: question.place + question.count] for question in distinct})
    shared = sum(shared_length(one, other) for one, other in pairwise(texts))
    tokens = sum(len(question.ids) for question in distinct)
    return sum(map(len, texts)) - shared < _WORTH_SHARING * tokens


def shared_length(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens two texts have in common at their beginnings.

    >>> shared_length((1, 2, 3), (1, 2, 4, 5))
    2
    """
    pairs = zip(one, other, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
