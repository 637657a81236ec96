"""Sentence patterns with slots in capitals, as the papers print them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from naysay.core.errors import PatternError
from naysay.core.probes import BLANK

SLOTS = ("NAME", "PROF", "PRON", "SUBJ", "ACT", "ACT1", "ACT2", "ACT3")
_SLOT = re.compile(r"\b(" + "|".join(SLOTS) + r")\b")
_OPENING = re.compile(r"(^|[.!?]\s+)$")
_CAPITALS = re.compile(r"\b[A-Z]{3,}\d*\b")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One or more sentences with slots; PRON is lower-cased unless it begins a sentence.

    >>> Pattern("NAME likes to ACT.").fill({"NAME": "Mary", "ACT": "run"})
    'Mary likes to run.'
    >>> Pattern("PRON can, so PRON will.").fill({"PRON": "She"})
    'She can, so she will.'
    """

    text: str

    def __post_init__(self) -> None:
        unknown = set(_CAPITALS.findall(self.text)) - set(SLOTS)
        if unknown:
            raise PatternError(
                f"pattern {self.text!r} has the unknown slot {', '.join(sorted(unknown))}; "
                f"slots are {', '.join(SLOTS)}"
            )

    def fill(self, words: Mapping[str, str]) -> str:
        """Fill each slot; inserted words are never read as slots."""
        try:
            return _SLOT.sub(lambda match: _fitted(match, words[match[1]]), self.text)
        except KeyError as error:
            raise PatternError(f"pattern {self.text!r} lacks a word for {error.args[0]}") from None


def _fitted(slot: re.Match[str], word: str) -> str:
    """Adapt the case of the word to its position."""
    if slot[1] != "PRON" or _OPENING.search(slot.string[: slot.start()]):
        return word
    return word[0].lower() + word[1:]


def target(text: str) -> Pattern:
    """Create a pattern with exactly one blank."""
    if text.count(BLANK) != 1:
        raise PatternError(f"pattern {text!r} must have one blank {BLANK}, not {text.count(BLANK)}")
    return Pattern(text)
