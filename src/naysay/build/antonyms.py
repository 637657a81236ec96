"""Antonyms of words, and negation by a prefix, as in "unhappy"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache
from importlib import resources

from naysay.build.sentences import LeftOut, Token

SENSES = ("first", "all")
_ENTRY = re.compile(r"(\d+)([:~])(\S+)")
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "a", "ab")


@dataclass(frozen=True)
class Antonym:
    """An antonym, the first sense that has it, and whether it is the word's own in any sense."""

    word: str
    sense: int
    own: bool


@cache
def _table() -> dict[str, dict[str, str]]:
    file = resources.files("naysay.build") / "antonyms.toml"
    return {
        name: entries
        for name, entries in tomllib.loads(file.read_text(encoding="utf-8")).items()
        if isinstance(entries, dict)
    }


def antonyms(word: str, word_class: str) -> list[Antonym]:
    """Return the antonyms of a word, each once, in the order of senses.

    >>> [a.word for a in antonyms("natural", "adjective")]
    ['unnatural', 'artificial', 'supernatural', 'sharp', 'flat']
    """
    entries = _ENTRY.findall(_table()[word_class].get(word.lower(), ""))
    own = {antonym for _, mark, antonym in entries if mark == ":"}
    senses: dict[str, int] = {}
    for sense, _, antonym in entries:
        senses.setdefault(antonym, int(sense))
    return [Antonym(antonym, sense, antonym in own) for antonym, sense in senses.items()]


def chosen(word: str, word_class: str, senses: str, evidence: Set[str]) -> list[Antonym]:
    """Return the antonyms that a sentence may use; `evidence` are the other sentence's words.

    >>> [a.word for a in chosen("natural", "adjective", "first", set())]
    ['unnatural']
    >>> [a.word for a in chosen("natural", "adjective", "first", {"that", "is", "artificial"})]
    ['artificial']
    """
    known = antonyms(word, word_class)
    if not known:
        raise LeftOut("no antonym in WordNet")
    if senses == "all":
        return known
    if confirmed := [antonym for antonym in known if antonym.word in evidence]:
        return confirmed
    first = [antonym for antonym in known if antonym.sense == 1]
    if own := [antonym for antonym in first if antonym.own]:
        if len(own) > 1:
            raise LeftOut("several opposites")
        return own
    if word_class in ("adjective", "adverb") and (
        later := [antonym for antonym in known if antonym.own and prefixed(word, antonym.word)]
    ):
        return later[:1]
    if first and word_class == "adjective":
        return first
    raise LeftOut("no antonym in the first sense")


def prefixed(one: str, other: str) -> bool:
    """Return whether two words differ in a negative prefix only.

    >>> prefixed("unlucky", "lucky"), prefixed("normal", "abnormal"), prefixed("hot", "cold")
    (True, True, False)
    """
    short, long = sorted((one.lower(), other.lower()), key=len)
    return any(long == prefix + short for prefix in _PREFIXES)


_NEGATING_PREFIXES = ("un", "in", "im", "ir", "il", "dis")


@dataclass(frozen=True)
class Prefixed:
    """A word with a negative prefix, its position, and its stem."""

    place: int
    word: str
    stem: str


def find_prefixed(tokens: Sequence[Token]) -> Prefixed | None:
    """Return the first adjective with a negative prefix whose antonym is its stem."""
    for place, token in enumerate(tokens):
        if token.tag == "AJ0" and (stem := stem_of(token.word)):
            return Prefixed(place, token.word, stem)
    return None


def stem_of(word: str) -> str:
    """Return the word without its negative prefix, empty if it has none.

    >>> stem_of("unhappy"), stem_of("uncle"), stem_of("interesting")
    ('happy', '', '')
    """
    for prefix in _NEGATING_PREFIXES:
        stem = word.removeprefix(prefix)
        if stem != word and any(a.word == stem for a in antonyms(word, "adjective") if a.own):
            return stem
    return ""


def other_antonyms(found: Prefixed, senses: str, evidence: set[str]) -> list[Antonym]:
    """Return the antonyms of the stem that are not formed with a prefix.

    With first senses, those in the other sentence, else the stem's own first one.
    """
    known = [a for a in antonyms(found.stem, "adjective") if not prefixed(found.stem, a.word)]
    if not known:
        raise LeftOut("no antonym in WordNet")
    if senses == "all":
        return known
    usable = [a for a in known if a.word in evidence] or [a for a in known if a.own][:1]
    if not usable:
        raise LeftOut("no antonym in the first sense")
    return usable
