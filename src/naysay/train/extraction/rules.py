"""The words of a language, read from its file in `words`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from naysay.core.errors import LexiconError, UnknownNameError
from naysay.data.languages import LANGUAGES

Mask = NDArray[np.bool_]
# What may stand beside a word: ASCII but for letters, digits and the underscore, and the commonest
# signs beyond it. Python and RE2 do not agree on all letters, so it is written out for both; few
# signs keep the pattern small, which RE2 reads anew for each block.
_EDGE = r"\x00-/:-@\[-\^`{-\x7f" "§«°·»¿¡\u2010-\u203a\ufffd"
_NOTHING = r"[^\s\S]"  # finds nothing
_GONE = "|"  # stands for a phrase that does not count; no part of any word


@dataclass(frozen=True, slots=True)
class FoundNegation:
    """A word that was found in a sentence, and where."""

    word: str
    start: int
    end: int


class Search(Protocol):
    """A way of looking for words."""

    def mask(self, sentences: Any) -> Mask:
        """Which strings of an Arrow array have one of the words."""

    def found(self, text: str) -> list[FoundNegation]:
        """The words in one sentence."""


@dataclass(frozen=True)
class Rule:
    """A sentence of this rule has a negation and a contrast word."""

    name: str
    negation: Search
    contrast: Search

    def found(self, text: str) -> tuple[list[FoundNegation], list[FoundNegation]]:
        """The negations and the contrast words in a sentence."""
        return self.negation.found(text), self.contrast.found(text)


@dataclass(frozen=True)
class Letters:
    """Finds letters anywhere, also inside other words."""

    words: tuple[str, ...]

    @cached_property
    def _re2(self) -> str:
        return _any_of(self.words) if self.words else _NOTHING

    @cached_property
    def _python(self) -> re.Pattern[str]:
        return re.compile(self._re2, re.IGNORECASE)

    def mask(self, sentences: Any) -> Mask:
        """Which sentences have the letters of a word."""
        return matches(sentences, self._re2)

    def found(self, text: str) -> list[FoundNegation]:
        """The letters, as listed."""
        return [_found(match) for match in self._python.finditer(text)]


@dataclass(frozen=True)
class NegationWords:
    """Finds whole words, but for those in phrases that do not count."""

    words: tuple[str, ...]
    """Where the first sign is a hyphen, the rest is the end of a word."""
    before_word: tuple[str, ...] = ()
    """Words that count only right before another word."""
    opening: tuple[str, ...] = ()
    """Words that count only at the beginning of the sentence."""
    exceptions: tuple[str, ...] = ()
    """Phrases in which words do not count."""

    @cached_property
    def _python(self) -> re.Pattern[str]:
        edge, letter = f"(?<![^{_EDGE}])", f"(?<=[^{_EDGE}0-9_])"
        after, another = f"(?![^{_EDGE}])", f"(?= [^{_EDGE}0-9_])"
        return re.compile(self._listed(edge, letter, after, another), re.IGNORECASE)

    @cached_property
    def _re2(self) -> str:
        # RE2 cannot look about without taking: the edges of a word are part of what is found.
        edge, letter = rf"(?:\A|[{_EDGE}])", f"[^{_EDGE}0-9_]"
        return self._listed(edge, letter, rf"(?:\z|[{_EDGE}])", f" {letter}")

    def _listed(self, edge: str, letter: str, after: str, another: str) -> str:
        lists = (
            *_with_edges(self.words, edge, letter, after),
            (edge, self.before_word, another),
            (rf"\A[{_EDGE}]*", self.opening, after),
        )
        return _alternatives(lists)

    @cached_property
    def _excepted(self) -> str:
        # The longest first, as the first that fits is taken.
        phrases = sorted(self.exceptions, key=len, reverse=True)
        edge = r"(?a:\b)"
        return f"(?i:{_alternatives(_with_edges(phrases, edge, '', edge))})"

    def mask(self, sentences: Any) -> Mask:
        """Which sentences have a word that counts."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = matches(sentences, self._re2)
        if not self.exceptions:
            return found
        places = np.flatnonzero(found)
        likely = sentences.filter(pa.array(found))
        phrases = _any_of(phrase.lstrip("-") for phrase in self.exceptions)
        unsure = np.flatnonzero(matches(likely, phrases))
        pattern = self._excepted.replace("(?a:\\b)", r"\b")  # which is ASCII's in RE2 anyway
        left = pc.replace_substring_regex(likely.take(pa.array(unsure)), pattern, _GONE)
        found[places[unsure]] = matches(left, self._re2)
        return found

    def found(self, text: str) -> list[FoundNegation]:
        """The words that count, in their order."""
        # As long as before, so that places stay.
        left = re.sub(self._excepted, lambda match: _GONE * len(match[0]), text)
        return [_found(match) for match in self._python.finditer(left)]

    def excepted(self, text: str) -> list[FoundNegation]:
        """The phrases in which words do not count."""
        return [_found(match) for match in re.finditer(self._excepted, text)]


def matches(sentences: Any, pattern: str) -> Mask:
    """Which strings of an Arrow array have the pattern, in either case."""
    import pyarrow.compute as pc

    if not pattern:
        return np.zeros(len(sentences), bool)
    found = pc.match_substring_regex(sentences, pattern, ignore_case=True)
    mask: Mask = found.to_numpy(zero_copy_only=False).copy()
    return mask


def literal(word: str) -> str:
    """The word as a pattern that Python and RE2 read alike, with either apostrophe."""
    return re.escape(word).replace("'", "(?:'|’)").replace(r"\ ", " ")


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(literal, words))})"


Listed = tuple[str, Sequence[str], str]
"""What has to stand before words, the words, and what after them."""


def _with_edges(words: Sequence[str], edge: str, letter: str, after: str) -> tuple[Listed, ...]:
    """Whole words, words that begin with a sign, and ends of words."""
    return (
        (edge, [word for word in words if word[0].isalnum()], after),
        ("", [word for word in words if not word[0].isalnum() and word[0] != "-"], after),
        (letter, [word[1:] for word in words if word[0] == "-"], after),
    )


def _alternatives(lists: Iterable[Listed]) -> str:
    """Words with what has to stand before and after them."""
    parts = [f"{before}{_any_of(words)}{after}" for before, words, after in lists if words]
    return "|".join(parts) or _NOTHING


def _found(match: re.Match[str]) -> FoundNegation:
    word = match[0].lower().replace("’", "'")
    word = re.sub(r"\A\W+(?=\w)", "", word)
    return FoundNegation(word, match.end() - len(word), match.end())


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
    weak: NegationWords
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
    known = [spoken.code for spoken in LANGUAGES.all() if spoken.negation]
    if language not in known:
        raise UnknownNameError("language of extraction", language, known)
    return wording_from(language, LANGUAGES.get(language).negation)


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
        weak = NegationWords(tuple(data["weak"]))
    except (KeyError, TypeError) as error:
        raise LexiconError(f"the words for extraction in {language!r} lack {error}") from error
    for word in abbreviations:
        if not (word.isascii() and word.isalpha() and len(word) <= LONGEST_ABBREVIATION):
            raise LexiconError(
                f"the abbreviation {word!r} must have 1 to {LONGEST_ABBREVIATION} ASCII letters"
            )
    near = Letters(tuple(phrase.lstrip("-") for phrase in negation.exceptions))
    return Wording(language, abbreviations, near, weak, rules)


def _words(table: Mapping[str, Any]) -> NegationWords:
    if unknown := set(table) - set(_LISTS):
        raise LexiconError(f"unknown list {sorted(unknown)[0]!r}; known are {', '.join(_LISTS)}")
    return NegationWords(**{name: tuple(words) for name, words in table.items()})
