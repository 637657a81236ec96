"""What a row says of a fact."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from naysay.core.probes import BLANK, Contrast, Fill, WordList
from naysay.core.protocols import Model
from naysay.core.records import Fit
from naysay.suites.protocol import Unit

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


ASKED, BLANK_INSIDE, NOT_NEGATED = "yes", "the blank is not at the end", "no negated question"
NO_WORD = "no first answer is a whole word"
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class FactRow:
    """One fact, what the model says of it, and how alike its orders of words are.

    `asked` says whether it was, or why not. Scores depend on rounding in their last digits.
    """

    unit: str
    corpus: str
    relation: str
    kind: str
    subject: str
    answer: str
    listed: bool
    """Whether the answer is one of the words that count, for this model."""
    query: str
    negated: str
    negation: str
    other: str
    asked: str
    said: str
    said_negated: str
    said_other: str
    in_top: bool
    """Whether the answer is among the first ten words."""
    likely: float
    likely_negated: float
    """The probability of the first word."""
    rho: float
    rho_other: float
    ranked: bool
    ranked_other: bool
    """Whether the words were ranked at all: they are not if all are equally likely."""
    tie: bool


def row_of(
    unit: Unit, negated: Contrast | None, other: Contrast | None, wanted: str | None, fit: Fit
) -> FactRow:
    """The row of a fact with its two contrasts, None where one could not be asked."""
    known = negated or other
    first = known.first if known else Fill(())
    top = [guess.word for guess in first.top]
    reason = ASKED if negated else (NOT_NEGATED if known or not unit["negated"] else BLANK_INSIDE)
    if not known and fit.about["left_to_right"] and goes_on(unit["query"]):
        reason = BLANK_INSIDE
    if negated and not (negated.first.top and negated.second.top):
        reason = NO_WORD
    rho, rho_other = (None if one is None else one.rho for one in (negated, other))
    return FactRow(
        unit=unit.key,
        **{k: unit[k] for k in ("corpus", "relation", "kind", "subject", "query", "negated")},
        answer=wanted or unit["answer"],
        listed=wanted is not None,
        negation=unit["negation"],
        other=unit["other"],
        asked=reason,
        said=top[0] if top else "",
        said_negated=negated.second.best if negated else "",
        said_other=other.second.best if other else "",
        in_top=wanted in top,
        likely=_probability(first),
        likely_negated=_probability(negated.second) if negated else 0.0,
        rho=round(rho or 0.0, _DIGITS),
        rho_other=round(rho_other or 0.0, _DIGITS),
        ranked=rho is not None,
        ranked_other=rho_other is not None,
        tie=first.tie or bool(negated and negated.second.tie),
    )


def _probability(fill: Fill) -> float:
    return round(math.exp(fill.top[0].logprob), _DIGITS) if fill.top else 0.0
