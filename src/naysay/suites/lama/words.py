"""The words that count as answers, and how answers are looked up among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from naysay.probes import BLANK, WordList
from naysay.protocols import Model

FRAME = f"to {BLANK}."
"""Where a word has to be one piece."""


def same_word(said: Any, wanted: Any) -> Any:
    """Whether the words are the same, in small or capital letters."""
    import pyarrow.compute as pc

    return pc.equal(pc.utf8_lower(said), pc.utf8_lower(wanted))


@lru_cache(maxsize=2)
def word_list(words: tuple[str, ...]) -> WordList:
    """The words as one list, the same for every shard."""
    return WordList(words)


def wanted_word(answer: str, listed: frozenset[str]) -> str | None:
    """The answer as it stands in the list, None if it does not."""
    return next((word for word in (answer, answer.lower()) if word in listed), None)


def listed_words(answer: str, listed: frozenset[str]) -> tuple[str, ...]:
    """The same as the words of a question: one or none."""
    wanted = wanted_word(answer, listed)
    return (wanted,) if wanted else ()


def goes_on(text: str) -> bool:
    """Whether words follow the blank."""
    return re.search(r"\w", text.partition(BLANK)[2]) is not None


def usable(
    model: Model, words: Sequence[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The words that are one piece for the model, and the others with the reason."""
    cuts = model.single_pieces(words, FRAME)
    used: dict[str, None] = {}
    left_out = []
    for word in words:
        problem = cuts[word].problem
        if problem is None:
            used[word] = None
        elif problem == f"reads back as {word.lower()!r}":
            used[word.lower()] = None
        else:
            left_out.append((word, problem))
    return tuple(used), tuple(left_out)
