"""Negation by a prefix: "She is unhappy" against "She is happy", "She is sad", "She is not sad"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from naysay.build.antonyms import Antonym, antonyms, prefixed
from naysay.build.reasons import LeftOut
from naysay.build.sentences import Token

_PREFIXES = ("un", "in", "im", "ir", "il", "dis")


@dataclass(frozen=True)
class Prefixed:
    """A word with a negative prefix, where it stands, and the word without it."""

    place: int
    word: str
    stem: str


def find_prefixed(tokens: Sequence[Token]) -> Prefixed | None:
    """The first adjective with a negative prefix whose antonym is the same word without it."""
    for place, token in enumerate(tokens):
        if token.tag == "AJ0" and (stem := stem_of(token.word)):
            return Prefixed(place, token.word, stem)
    return None


def stem_of(word: str) -> str:
    """The word without its negative prefix, empty if it has none.

    >>> stem_of("unhappy"), stem_of("uncle"), stem_of("interesting")
    ('happy', '', '')
    """
    for prefix in _PREFIXES:
        stem = word.removeprefix(prefix)
        if stem != word and any(a.word == stem for a in antonyms(word, "adjective") if a.own):
            return stem
    return ""


def other_antonyms(found: Prefixed, senses: str, evidence: set[str]) -> list[Antonym]:
    """The antonyms of the stem that are not made with a prefix.

    With first senses, the one that the other sentence has, else the stem's own first one.
    """
    known = [a for a in antonyms(found.stem, "adjective") if not prefixed(found.stem, a.word)]
    if not known:
        raise LeftOut("no antonym")
    if senses == "all":
        return known
    told = [a for a in known if a.word in evidence] or [a for a in known if a.own][:1]
    if not told:
        raise LeftOut("no antonym in the first sense")
    return told
