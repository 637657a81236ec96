"""Sentences with and without their negation, by rules and word lists alone.

A rule adds a negation to a sentence that has none, or removes it from one that has. What it cannot
change with certainty it leaves alone: no change is better than a wrong one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

from naysay.core.errors import PatternError, SpecError
from naysay.data.languages import LANGUAGES, Language
from naysay.data.negation.english import EnglishNegator
from naysay.data.negation.german import GermanNegator
from naysay.data.negation.romance import AroundVerb, BeforeVerb

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")


class SentenceNegator(Protocol):
    """A language's rule for one sentence; both methods return None if the rule does not apply."""

    def add(self, sentence: str) -> str | None:
        """Return a sentence without negation with one."""

    def remove(self, sentence: str) -> str | None:
        """Return a negated sentence without its negation."""


def negator_of(language: Language) -> SentenceNegator:
    """Return the rule that the language's `negator.toml` names, with its words."""
    about = language.negator
    if not about:
        known = ", ".join(one.code for one in LANGUAGES.all() if one.negator)
        raise SpecError(
            f"no rule negates sentences in language {language.code!r}, only in {known}: "
            "ask once with each of the two sentences"
        )
    rules: dict[str, Any] = {
        "english": EnglishNegator,
        "german": lambda: GermanNegator(about, language.about["negators"]),
        "before": lambda: BeforeVerb(about, language),
        "around": lambda: AroundVerb(about, language),
    }
    try:
        made: SentenceNegator = rules[about["rule"]]()
    except KeyError as error:
        raise PatternError(
            f"{language.folder / 'negator.toml'} lacks the key {error}, or its rule is none of "
            f"{', '.join(rules)}"
        ) from error
    return made


@dataclass(frozen=True, slots=True)
class NegationPair:
    """A text without a negation and the same text with it."""

    without: str
    negated: str
    sentence: int
    """Which sentence differs, counted from 1."""
    sentences: int
    added: bool
    """Whether the text was given without the negation."""

    @property
    def change(self) -> str:
        """What was done to which sentence, in words."""
        where = "the sentence" if self.sentences == 1 else f"sentence {self.sentence}"
        return f"negation added to {where}" if self.added else f"negation removed from {where}"


def negation_pair(text: str, language: str = "en", sentence: int | None = None) -> NegationPair:
    """Add a negation to a text or remove it, in the first sentence that the rule can change.

    >>> pair = negation_pair("Mary doesn't like to run. She is happy to ▢.")
    >>> pair.without, pair.change
    ('Mary likes to run. She is happy to ▢.', 'negation removed from sentence 1')
    >>> negation_pair("Anna est ici. Elle aime ▢.", "fr", sentence=2).negated
    "Anna est ici. Elle n'aime pas ▢."
    """
    negator = negator_of(LANGUAGES.get(language))
    ends = [match.span() for match in _SENTENCE_END.finditer(text)]
    starts, stops = [0, *(end for _, end in ends)], [*(start for start, _ in ends), len(text)]
    if sentence is not None and not 1 <= sentence <= len(starts):
        raise SpecError(f"--sentence must be from 1 to {len(starts)}, not {sentence}")
    wanted = range(len(starts)) if sentence is None else [sentence - 1]
    for k in wanted:
        one = text[starts[k] : stops[k]]
        for added, changed in ((False, negator.remove(one)), (True, negator.add(one))):
            if changed is not None:
                other = text[: starts[k]] + changed + text[stops[k] :]
                without, negated = (text, other) if added else (other, text)
                return NegationPair(without, negated, k + 1, len(starts), added)
    raise SpecError(
        f"no rule adds a negation to {text!r} or removes one with certainty (--language "
        f"{language}): write the other of the two sentences yourself. An embedder compares both in "
        "one command; a language model is asked once with each"
    )
