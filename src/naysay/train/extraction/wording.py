"""The words of a language, read from its file in `words`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from naysay.errors import LexiconError, UnknownNameError
from naysay.train.extraction.rules import Letters, Mask, Rule, Words

_FOLDER = Path(__file__).parent / "words"
RULES = ("strict", "paper")
_LISTS = ("words", "before_word", "opening", "exceptions")
LONGEST_ABBREVIATION = 8


@dataclass(frozen=True)
class Wording:
    """What a language's file says."""

    language: str
    abbreviations: tuple[str, ...]
    """Words whose full stop ends no sentence."""
    near: Letters
    """Phrases with a negator that do not count as a negation."""
    weak: Words
    """Words that come near to a negation."""
    rules: Mapping[str, Rule]

    def is_near_negation(self, sentences: Any) -> Mask:
        """Which sentences of an Arrow array have anything like a negation."""
        strict = self.rules["strict"].negation
        return strict.mask(sentences) | self.near.mask(sentences) | self.weak.mask(sentences)

    def rule(self, name: str) -> Rule:
        """The rule of that name."""
        if name not in self.rules:
            raise UnknownNameError("rule", name, self.rules)
        return self.rules[name]


@lru_cache(maxsize=4)
def wording(language: str) -> Wording:
    """The words of a language."""
    file = _FOLDER / f"{language}.toml"
    if not file.is_file():
        known = [path.stem for path in _FOLDER.glob("*.toml")]
        raise UnknownNameError("language of extraction", language, known)
    return wording_from(language, tomllib.loads(file.read_text(encoding="utf-8")))


def wording_from(language: str, data: Mapping[str, Any]) -> Wording:
    """The words as TOML gives them."""
    try:
        strict, paper = data["strict"], data["paper"]
        negation = _words(strict["negation"])
        rules = {
            "strict": Rule("strict", negation, _words(strict["contrast"])),
            "paper": Rule(
                "paper", Letters(tuple(paper["negation"])), Letters(tuple(paper["contrast"]))
            ),
        }
        abbreviations = tuple(data["abbreviations"])
        weak = Words(tuple(data["weak"]))
    except (KeyError, TypeError) as error:
        raise LexiconError(f"the words for extraction in {language!r} lack {error}") from error
    for word in abbreviations:
        if not (word.isascii() and word.isalpha() and len(word) <= LONGEST_ABBREVIATION):
            raise LexiconError(
                f"the abbreviation {word!r} must have 1 to {LONGEST_ABBREVIATION} ASCII letters"
            )
    near = Letters(tuple(phrase.lstrip("-") for phrase in negation.exceptions))
    return Wording(language, abbreviations, near, weak, rules)


def _words(table: Mapping[str, Any]) -> Words:
    if unknown := set(table) - set(_LISTS):
        raise LexiconError(f"unknown list {sorted(unknown)[0]!r}; known are {', '.join(_LISTS)}")
    return Words(**{name: tuple(words) for name, words in table.items()})
