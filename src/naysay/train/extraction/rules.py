"""The negation and contrast words of a language, and the rules that search for them.

`strict` finds whole words and knows phrases that do not count. `paper` has the regular expressions
of Gubelmann and Handschuh (2022, appendix D). `substring` finds strings inside other words, too.
`none` takes every line as it is.
"""

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
# Characters that may border a word: ASCII except letters, digits and the underscore, and common
# punctuation beyond it. Python and RE2 disagree on some letters, so it is written out for both; the
# set is small because RE2 compiles the pattern again for each block.
_EDGE = r"\x00-/:-@\[-\^`{-\x7f" "§«°·»¿¡\u2010-\u203a\ufffd"
_NOTHING = r"[^\s\S]"  # matches nothing
_GONE = "|"  # replaces a phrase that does not count; not part of any word


@dataclass(frozen=True, slots=True)
class FoundNegation:
    """A word found in a sentence, and its position."""

    word: str
    start: int
    end: int


class Search(Protocol):
    """A search for words."""

    def mask(self, sentences: Any) -> Mask:
        """Return which strings of an Arrow array have one of the words."""

    def found(self, text: str) -> list[FoundNegation]:
        """Return the words found in one sentence."""


SHORT = 64
"""A sentence must have more characters than this."""


@dataclass(frozen=True)
class Rule:
    """Selects long sentences that have a negation and a contrast word."""

    name: str
    negation: Search
    contrast: Search
    longer_than: int = SHORT
    """The number of characters that is too few."""
    as_given: bool = False
    """Whether each line is a sentence, and duplicates stay."""

    def found(self, text: str) -> tuple[list[FoundNegation], list[FoundNegation]]:
        """Return the negations and the contrast words in a sentence."""
        return self.negation.found(text), self.contrast.found(text)


@dataclass(frozen=True)
class Letters:
    """Finds strings anywhere, also inside other words."""

    words: tuple[str, ...]

    @cached_property
    def _re2(self) -> str:
        return _any_of(self.words) if self.words else _NOTHING

    @cached_property
    def _python(self) -> re.Pattern[str]:
        return re.compile(self._re2, re.IGNORECASE)

    def mask(self, sentences: Any) -> Mask:
        """Return which sentences contain one of the strings."""
        return matches(sentences, self._re2)

    def found(self, text: str) -> list[FoundNegation]:
        """Return the strings found."""
        return [_found(match) for match in self._python.finditer(text)]


@dataclass(frozen=True)
class Expression:
    """Finds a regular expression, case-sensitively."""

    pattern: str

    def mask(self, sentences: Any) -> Mask:
        """Return which sentences match."""
        return matches(sentences, self.pattern, ignore_case=False)

    def found(self, text: str) -> list[FoundNegation]:
        """Return the matches, without the spaces around them."""
        hits = [(match, match[0].strip()) for match in re.finditer(self.pattern, text)]
        return [
            FoundNegation(word, start, start + len(word))
            for match, word in hits
            for start in [match.start() + match[0].index(word)]
        ]


class Anything:
    """Finds nothing in particular, and takes every sentence."""

    def mask(self, sentences: Any) -> Mask:
        """Return that all sentences are taken."""
        return np.ones(len(sentences), bool)

    def found(self, text: str) -> list[FoundNegation]:
        """Return no words."""
        return []


@dataclass(frozen=True)
class NegationWords:
    """Finds whole words, except in phrases that do not count."""

    words: tuple[str, ...]
    """The words; one that begins with a hyphen is a suffix."""
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
        # RE2 has no look-around: the edges of a word are part of the match.
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
        # Longest first, since the first match is taken.
        phrases = sorted(self.exceptions, key=len, reverse=True)
        edge = r"(?a:\b)"
        return f"(?i:{_alternatives(_with_edges(phrases, edge, '', edge))})"

    def mask(self, sentences: Any) -> Mask:
        """Return which sentences have a word that counts."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = matches(sentences, self._re2)
        if not self.exceptions:
            return found
        places = np.flatnonzero(found)
        likely = sentences.filter(pa.array(found))
        phrases = _any_of(phrase.lstrip("-") for phrase in self.exceptions)
        unsure = np.flatnonzero(matches(likely, phrases))
        pattern = self._excepted.replace("(?a:\\b)", r"\b")  # which is ASCII-only in RE2 anyway
        left = pc.replace_substring_regex(likely.take(pa.array(unsure)), pattern, _GONE)
        found[places[unsure]] = matches(left, self._re2)
        return found

    def found(self, text: str) -> list[FoundNegation]:
        """Return the words that count, in order."""
        # The same length, so that positions do not change.
        left = re.sub(self._excepted, lambda match: _GONE * len(match[0]), text)
        return [_found(match) for match in self._python.finditer(left)]

    def excepted(self, text: str) -> list[FoundNegation]:
        """Return the phrases in which words do not count."""
        return [_found(match) for match in re.finditer(self._excepted, text)]


def matches(sentences: Any, pattern: str, *, ignore_case: bool = True) -> Mask:
    """Return which strings of an Arrow array match the pattern."""
    import pyarrow.compute as pc

    if not pattern:
        return np.zeros(len(sentences), bool)
    found = pc.match_substring_regex(sentences, pattern, ignore_case=ignore_case)
    mask: Mask = found.to_numpy(zero_copy_only=False).copy()
    return mask


def literal(word: str) -> str:
    """Escape the word for both Python and RE2, with either apostrophe."""
    return re.escape(word).replace("'", "(?:'|’)").replace(r"\ ", " ")


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(literal, words))})"


Listed = tuple[str, Sequence[str], str]
"""The pattern before words, the words, and the pattern after them."""


def _with_edges(words: Sequence[str], edge: str, letter: str, after: str) -> tuple[Listed, ...]:
    """Split the words into whole words, words that begin with punctuation, and suffixes."""
    return (
        (edge, [word for word in words if word[0].isalnum()], after),
        ("", [word for word in words if not word[0].isalnum() and word[0] != "-"], after),
        (letter, [word[1:] for word in words if word[0] == "-"], after),
    )


def _alternatives(lists: Iterable[Listed]) -> str:
    """Build a pattern of alternatives."""
    parts = [f"{before}{_any_of(words)}{after}" for before, words, after in lists if words]
    return "|".join(parts) or _NOTHING


def _found(match: re.Match[str]) -> FoundNegation:
    word = match[0].lower().replace("’", "'")
    word = re.sub(r"\A\W+(?=\w)", "", word)
    return FoundNegation(word, match.end() - len(word), match.end())


STRICT, PAPER, SUBSTRING, AS_GIVEN = "strict", "paper", "substring", "none"
RULES = (STRICT, PAPER, SUBSTRING, AS_GIVEN)
_LISTS = ("words", "before_word", "opening", "exceptions")
LONGEST_ABBREVIATION = 8


@dataclass(frozen=True)
class Wording:
    """The words of a language."""

    language: str
    abbreviations: tuple[str, ...]
    """Words whose full stop does not end a sentence."""
    near: Letters
    """Phrases with a negator that do not count as a negation."""
    weak: NegationWords
    """Words that are close to a negation."""
    rules: Mapping[str, Rule]

    def is_near_negation(self, sentences: Any) -> Mask:
        """Return which sentences of an Arrow array have anything like a negation."""
        strict = self.rules[STRICT].negation
        return strict.mask(sentences) | self.near.mask(sentences) | self.weak.mask(sentences)

    def rule(self, name: str) -> Rule:
        """Return the rule of that name."""
        if name not in self.rules:
            raise UnknownNameError("rule", name, self.rules)
        return self.rules[name]

    def other(self, name: str) -> Rule | None:
        """Return the rule that this one is compared with by examples, if there is any."""
        if name == AS_GIVEN:
            return None
        return next(
            (rule for rule in self.rules.values() if rule.name != name and not rule.as_given), None
        )


@lru_cache(maxsize=4)
def wording(language: str) -> Wording:
    """Return the words of a language."""
    known = [spoken.code for spoken in LANGUAGES.all() if spoken.negation]
    if language not in known:
        raise UnknownNameError("language of extraction", language, known)
    return wording_from(language, LANGUAGES.get(language).negation)


def wording_from(language: str, data: Mapping[str, Any]) -> Wording:
    """Create the words from parsed TOML."""
    try:
        strict = data[STRICT]
        negation = _words(strict["negation"])
        rules = [Rule(STRICT, negation, _words(strict["contrast"]))]
        if paper := data.get(PAPER):
            rules.append(Rule(PAPER, Expression(paper["negation"]), Expression(paper["contrast"])))
        if inside := data.get(SUBSTRING):
            negations, contrasts = (
                Letters(tuple(inside[what])) for what in ("negation", "contrast")
            )
            rules.append(Rule(SUBSTRING, negations, contrasts))
        rules.append(Rule(AS_GIVEN, Anything(), Anything(), longer_than=0, as_given=True))
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
    return Wording(language, abbreviations, near, weak, {rule.name: rule for rule in rules})


def _words(table: Mapping[str, Any]) -> NegationWords:
    if unknown := set(table) - set(_LISTS):
        raise LexiconError(f"unknown list {sorted(unknown)[0]!r}; known are {', '.join(_LISTS)}")
    return NegationWords(**{name: tuple(words) for name, words in table.items()})
