"""Italian, Spanish and French: a negator before the finite verb and the weak pronouns before it.

French has a second one after the verb. A verb is recognised by a list of frequent finite forms, by
the forms of the language's lexicon, or by the subject pronoun before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from naysay.core.probes import BLANK
from naysay.data.languages import Language

_TOKEN = re.compile(rf"{BLANK}|\w+['’]?|[^\w\s]")
_VOWELS = "aeiouyhàâéèêëîïôöûùü"


class Word(NamedTuple):
    """A word of a sentence in lower case, and where it begins and ends."""

    text: str
    start: int
    end: int


def words_of(sentence: str) -> list[Word]:
    """Return the words and signs; a word with an apostrophe ends there.

    >>> [word.text for word in words_of("C'est l'été.")]
    ["c'", 'est', "l'", 'été', '.']
    """
    return [
        Word(found[0].lower().replace("’", "'"), found.start(), found.end())
        for found in _TOKEN.finditer(sentence)
    ]


class _Finder:
    """Finds the finite verb that is negated."""

    def __init__(self, about: Mapping[str, Any], language: Language) -> None:
        self.clitics = frozenset(about["clitics"])
        self.subjects = frozenset(about["subjects"])
        self._relatives = frozenset(about["relatives"])
        self._finite = frozenset(about["finite"])
        forms = language.lexicon.forms
        self._listed = frozenset(forms.values()) if forms else frozenset()
        self._before_nouns = frozenset(about["before_nouns"])
        self._negators = frozenset(language.about["negators"])

    def is_negated(self, words: list[Word]) -> int:
        """Return the number of negators."""
        return sum(word.text in self._negators for word in words)

    def verb(self, words: list[Word]) -> tuple[int, int] | None:
        """Return where the verb is, and the first of the weak pronouns before it.

        Of two clauses it is the relative one that is negated, as in the tests; None if it is
        unclear which.
        """
        found = [k for k in range(len(words)) if self._is_verb(words, k)]
        after_relative = [k for k in found if self._before(words, k) in self._relatives]
        if len(found) > 1 and len(after_relative) == 1:
            found = after_relative
        if len(found) != 1:
            return None
        return found[0], self._first(words, found[0])

    def _first(self, words: list[Word], verb: int) -> int:
        first = verb
        while first and words[first - 1].text in self.clitics - self.subjects:
            first -= 1
        return first

    def _before(self, words: list[Word], verb: int) -> str:
        first = self._first(words, verb)
        return words[first - 1].text if first else ""

    def _is_verb(self, words: list[Word], k: int) -> bool:
        text = words[k].text
        if text in self._finite:
            return True
        if not (text[0].isalpha() or text == BLANK) or text in self.clitics | self.subjects:
            return False
        before = self._before(words, k)
        if text in self._listed:
            return words[k - 1].text not in self._before_nouns if k else True
        return before in self.subjects and before not in self.clitics


class BeforeVerb:
    """One negator before the verb: Italian *non*, Spanish *no*."""

    def __init__(self, about: Mapping[str, Any], language: Language) -> None:
        self._finder = _Finder(about, language)
        self._negator = str(about["negator"])
        self._companions = frozenset(about["companions"])
        self._blocks = frozenset(about["blocks"])

    def add(self, sentence: str) -> str | None:
        """Insert the negator before the verb and its weak pronouns."""
        words = words_of(sentence)
        if self._finder.is_negated(words) or "?" in sentence:
            return None
        if (place := self._finder.verb(words)) is None:
            return None
        start = words[place[1]].start
        if start == 0:
            return f"{self._negator.capitalize()} {sentence[0].lower()}{sentence[1:]}"
        return f"{sentence[:start]}{self._negator} {sentence[start:]}"

    def remove(self, sentence: str) -> str | None:
        """Remove the negator, and a word such as "mai" that goes with it."""
        words = words_of(sentence)
        mine = [k for k, word in enumerate(words) if word.text == self._negator]
        others = [word for word in words if word.text in self._companions]
        if len(mine) != 1 or self._finder.is_negated(words) != 1 + len(others):
            return None
        place = mine[0]
        followed = words[place + 1].text[0] if place + 1 < len(words) else ""
        texts = {word.text for word in words}
        if not (followed.isalpha() or followed == BLANK) or texts & self._blocks:
            return None
        for word in sorted([words[place], *others], key=lambda word: -word.start):
            sentence = _without(sentence, word)
        return sentence


def _without(sentence: str, word: Word) -> str:
    if word.start == 0:
        rest = sentence[word.end :].lstrip()
        return rest[:1].upper() + rest[1:]
    return sentence[: word.start].rstrip() + sentence[word.end :]


_NE = re.compile(
    r"\b(?P<ne>[nN](?:e\s+|['’]))(?P<rest>(?P<pronouns>(?:(?:me|te|se|le|la|les|lui|leur|nous|vous"
    r"|y|en)\s+|[mtsl]['’])*)[\w]+)\s+(?P<pas>pas|jamais)\b"
)
_BE = {"est", "sont", "suis", "es", "sommes", "êtes", "était", "étaient", "étais", "sera", "fut"}


class AroundVerb:
    """French *ne* before the verb and *pas* after it; *jamais* is only removed."""

    def __init__(self, about: Mapping[str, Any], language: Language) -> None:
        self._finder = _Finder(about, language)
        self._blocks = frozenset(about["blocks"])

    def add(self, sentence: str) -> str | None:
        """Insert "ne" or "n'", and "pas"; "un" after the verb becomes "de"."""
        words = words_of(sentence)
        if self._finder.is_negated(words) or "?" in sentence:
            return None
        place = self._finder.verb(words)
        if place is None or words[place[0]].text == BLANK:
            return None  # whether "ne" elides would depend on the answer
        verb, first = place
        tail = _after_pas(words, verb, sentence)
        if tail is None or not first:
            return None
        before, middle = sentence[: words[first].start], sentence[words[first].start :]
        middle = middle[: words[verb].end - words[first].start]
        # "J'aime", "C'est": the vowel comes back before "n'".
        before = re.sub(r"\b([jJcC])['’]$", r"\1e ", before)
        ne = "n'" if middle[0].lower() in _VOWELS else "ne "
        return f"{before}{ne}{middle} pas{tail}"

    def remove(self, sentence: str) -> str | None:
        """Remove "ne" and "pas"; "je" and "ce" elide where a vowel follows then."""
        words = words_of(sentence)
        found = list(_NE.finditer(sentence))
        if len(found) != 1 or self._finder.is_negated(words) != 1:
            return None
        [one] = found
        before, after = sentence[: one.start()], sentence[one.end() :]
        following = words_of(after)
        if any(word.text in self._blocks for word in following[:2]) or "?" in sentence:
            return None
        partitive = bool(following) and following[0].text in ("de", "d'")
        if partitive and not re.match(r"\w+(?:er|ir|re)$", (following[1:2] or following)[0].text):
            return None  # "pas de chien": the article is lost
        if one["rest"][0].lower() in _VOWELS:
            before = re.sub(r"\b([jJ]|[cC])e\s+$", r"\1'", before)
        return f"{before}{one['rest']}{after}"


def _after_pas(words: list[Word], verb: int, sentence: str) -> str | None:
    """Return what follows the verb, its article after a negation; None if that is unclear."""
    tail = sentence[words[verb].end :]
    following = [word.text for word in words[verb + 1 : verb + 3]]
    if words[verb].text in _BE or not following:
        return tail
    if following[0] in ("du", "des") or following in (["de", "la"], ["de", "l'"]):
        return None
    if following[0] in ("un", "une") and len(following) > 1:
        article = words[verb + 1]
        rest = sentence[article.end :].lstrip()
        return f" d'{rest}" if rest[:1].lower() in _VOWELS else f" de {rest}"
    return tail
