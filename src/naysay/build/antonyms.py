"""Antonyms from WordNet, and which of them a sentence may use.

With `first` senses, a word gives the antonyms of its first sense:

- the word's own one; but none if it has several there: what is not liquid may be solid or gaseous;
- without one, and for adjectives and adverbs only, the own one of a later sense, provided that
  the two words differ in a negative prefix only (lucky, unlucky): that is clear in any sense;
- without that, and for adjectives only, those of its synonyms in the first sense (hard has none,
  but difficult, of the same sense, has easy).

If the other sentence of a pair has an antonym of the word, of any sense, then that one alone is
used: the pair itself tells the sense. With `all` senses, every antonym is used.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Set
from dataclasses import dataclass
from functools import cache
from importlib import resources

from naysay.build.reasons import LeftOut

SENSES = ("first", "all")
_ENTRY = re.compile(r"(\d+)([:~])(\S+)")
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "a", "ab")


@dataclass(frozen=True)
class Antonym:
    """An antonym, the first sense that has it, and whether it is the word's own in any."""

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
    """The antonyms of a word, each once, by their senses.

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
    """The antonyms a sentence may use; `evidence` are the words of the other sentence.

    >>> [a.word for a in chosen("natural", "adjective", "first", set())]
    ['unnatural']
    >>> [a.word for a in chosen("natural", "adjective", "first", {"that", "is", "artificial"})]
    ['artificial']
    """
    known = antonyms(word, word_class)
    if not known:
        raise LeftOut("no antonym")
    if senses == "all":
        return known
    if told := [antonym for antonym in known if antonym.word in evidence]:
        return told
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
    """Whether two words differ in a negative prefix only.

    >>> prefixed("unlucky", "lucky"), prefixed("normal", "abnormal"), prefixed("hot", "cold")
    (True, True, False)
    """
    short, long = sorted((one.lower(), other.lower()), key=len)
    return any(long == prefix + short for prefix in _PREFIXES)
