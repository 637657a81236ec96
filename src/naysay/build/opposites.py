"""Which antonyms negate each other, according to a list that was reviewed pair by pair."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from naysay.build.antonyms import prefixed


@cache
def _table() -> dict[str, Any]:
    file = resources.files("naysay.build") / "opposites.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def _reviewed(word_class: str) -> dict[frozenset[str], frozenset[str]]:
    listed = _table().get(word_class, {})
    return {frozenset(pair.split()): frozenset(after) for pair, after in listed.items()}


@cache
def _between() -> set[frozenset[str]]:
    return {frozenset(pair.split()) for pairs in _table()["between"].values() for pair in pairs}


def allowed_after(word: str, antonym: str) -> frozenset[str] | None:
    """Return what may follow reviewed adjectives, None if they are not in the list.

    >>> sorted(allowed_after("aware", "unaware"))
    ['of']
    """
    return _reviewed("adjective").get(frozenset((word, antonym)))


def fixed_with(*words: str) -> frozenset[str]:
    """Return the nouns with which one of the adjectives means something else.

    >>> "medium" in fixed_with("happy", "unhappy")
    True
    """
    table = _table()["fixed"]
    return frozenset(noun for word in words for noun in table.get(word, ()))


def opposite_doubt(word: str, antonym: str, word_class: str, confirmed: bool) -> str | None:
    """Return why denying one word may not assert the other, None if it does.

    The antonym is confirmed if it occurs in the other sentence of the pair. This tells which sense
    is meant, and that a word with a negative prefix is in use; it does not tell that there is
    nothing in between.

    >>> opposite_doubt("rich", "poor", "adjective", confirmed=True)
    'something in between'
    >>> opposite_doubt("broken", "unbroken", "adjective", confirmed=False)
    'opposites not reviewed'
    """
    pair = frozenset((word, antonym))
    if pair in _between():
        return "something in between"
    listed = pair in _reviewed(word_class)
    if not listed and not (word_class == "adjective" and confirmed and prefixed(word, antonym)):
        return "opposites not reviewed"
    if not confirmed:
        if word_class != "adjective":
            return "not confirmed"
        if word in _table()["ambiguous"] or not _share_stem(word, antonym):
            return "several meanings"
    return None


def _share_stem(one: str, other: str) -> bool:
    """Return whether two words differ in a prefix, or in "-ful" and "-less"."""

    def stem(word: str) -> str:
        return word.removesuffix("ful").removesuffix("less")

    return prefixed(one, other) or stem(one) == stem(other)
