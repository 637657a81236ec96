"""Pattern text with slots in capitals, as the papers print it, and its sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from naysay.errors import PatternError
from naysay.probes import BLANK

SLOTS = ("NAME", "PROF", "PRON", "ACT")
_SLOT = re.compile(r"\b(" + "|".join(SLOTS) + r")\b")
_CAPITALS = re.compile(r"\b[A-Z]{3,}\d*\b")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence with slots.

    >>> Pattern("NAME likes to ACT.").fill({"NAME": "Mary", "ACT": "run"})
    'Mary likes to run.'
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
        """The sentence with each slot filled once; what is filled in is never read as a slot."""
        try:
            return _SLOT.sub(lambda match: words[match[1]], self.text)
        except KeyError as error:
            raise PatternError(f"pattern {self.text!r} lacks a word for {error.args[0]}") from None


def target(text: str) -> Pattern:
    """A pattern that has exactly one blank."""
    if text.count(BLANK) != 1:
        raise PatternError(f"pattern {text!r} must have one blank {BLANK}, not {text.count(BLANK)}")
    return Pattern(text)
