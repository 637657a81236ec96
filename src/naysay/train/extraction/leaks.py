"""The tests' sentence patterns, as patterns to search for in a corpus.

A test says nothing about a model that was trained on its sentences. So the suites' own patterns
are read, their slots are opened, and a corpus is searched for sentences of that form: with the
test's own words, or with others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from naysay.core.errors import SpecError
from naysay.core.files import read_toml
from naysay.core.probes import BLANK
from naysay.data.languages import LANGUAGES, Language
from naysay.data.pattern import SLOTS
from naysay.suites import SUITES
from naysay.suites.protocol import Suite
from naysay.train.extraction.rules import literal

_SLOT = re.compile(rf"(\b(?:{'|'.join(SLOTS)})\b|{BLANK}|\[[XY]\]|\{{\w+\}})")
_WORD = r"[^\s.,;:!?\"“”()]+"
_MOST_WORDS = {"PROF": 4, "[Y]": 2, "PRON": 1, "ACT": 1, "ACT1": 1, "ACT2": 1, "ACT3": 1, BLANK: 1}
_MOST_OTHERWISE = 3
_ANYWHERE = 3  # slots; a pattern with fewer is so general that it must match the whole sentence
_PIECE = 4  # letters that make a substring worth searching for
_SPECIFIC = 7  # letters of fixed text; "[X] can [Y]." has three and would match everywhere
Words = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class LeakPattern:
    """A test sentence with its slots open."""

    suite: str
    """The suites that use it."""
    text: str
    words: Words = field(default_factory=dict, compare=False)
    """The test's words by slot, in lower case."""
    sentences: frozenset[str] = field(default=frozenset(), compare=False)
    """The test's sentences in lower case, if they are not made from words by slot."""

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The slots in their order."""
        return tuple(_SLOT.findall(self.text))

    @property
    def anywhere(self) -> bool:
        """Whether it may match part of a sentence: if it has three slots or more."""
        return len([slot for slot in self.slots if slot[0] != "{"]) >= _ANYWHERE

    @cached_property
    def specific(self) -> bool:
        """Whether its fixed text is specific enough to search for it with other words."""
        return sum(letter.isalpha() for letter in _SLOT.sub("", self.text)) >= _SPECIFIC

    @cached_property
    def start(self) -> str:
        """The lower-case text that every sentence of this form begins with."""
        return "" if self.anywhere else self._fixed[0][1]

    @cached_property
    def core(self) -> str:
        """The longest lower-case substring of every sentence of this form.

        The beginning is checked anyway, so another substring is preferred.
        """
        later = [part for _, part in self._fixed[1:] if len(part.strip()) >= _PIECE]
        return max(later or [part for _, part in self._fixed], key=len)

    @cached_property
    def re2(self) -> str:
        """An RE2 pattern for the core, extended if the core alone would match everywhere."""
        following = next(k for k, part in self._fixed if part == self.core) + 1
        slot = self.slots[following // 2] if following // 2 < len(self.slots) else ""
        if self.specific or slot not in self.words:
            return literal(self.core)
        return f"{literal(self.core)}(?:{'|'.join(map(literal, sorted(self.words[slot])))})"

    @property
    def _fixed(self) -> list[tuple[int, str]]:
        """The parts of fixed text, with their places among parts and slots."""
        pieces = enumerate(_SLOT.split(self.text.rstrip(".")))
        fixed = [(k, text.lower()) for k, text in pieces if not k % 2]
        return [(k, part) for k, text in fixed for part in re.split("n't|'", text)]

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The regular expression of the pattern; each slot is a group."""
        inner = self._inner
        whole = rf"\A[\"'“‘(]?{inner}[.!?]*[\"'”’)]?\Z"
        return re.compile(rf"(?<!\w){inner}(?!\w)" if self.anywhere else whole, re.IGNORECASE)

    @cached_property
    def _inner(self) -> str:
        parts = []
        for k, part in enumerate(_SLOT.split(self.text.rstrip("."))):
            if k % 2:
                most = _MOST_WORDS.get(part, _MOST_OTHERWISE)
                parts.append(rf"({_WORD}(?: {_WORD}){{0,{most - 1}}})")
            else:
                parts.append(literal(part).replace("n(?:'|’)t", "(?:n(?:'|’)t| not)"))
        return "".join(parts)

    def found(self, sentence: str) -> bool | None:
        """Return whether the sentence has the test's own words; None if it does not match."""
        match = self.regex.search(sentence)
        if match is None:
            return None
        if self.sentences:
            exact = plain(sentence) in self.sentences
        else:
            filled = zip(self.slots, match.groups(), strict=True)
            exact = all(_ends_in(plain(text), self.words.get(slot)) for slot, text in filled)
        return exact if exact or self.specific else None


def leak_patterns(suites: Sequence[str] | None = None, language: str = "en") -> list[LeakPattern]:
    """Return the patterns of suites in a language; by default of all suites that have any."""
    spoken = LANGUAGES.get(language)
    found: dict[str, LeakPattern] = {}
    for suite in SUITES.all() if suites is None else map(SUITES.get, suites):
        name = suite.name
        if not suite.speaks(spoken):
            if suites is not None:
                raise SpecError(f"suite {name!r} has no patterns for language {language!r}")
            continue
        for pattern in _patterns(suite, spoken):
            known = found.setdefault(pattern.text, pattern)
            if name not in known.suite.split(", "):
                found[pattern.text] = replace(known, suite=f"{known.suite}, {name}")
    return list(found.values())


def _patterns(suite: Suite, language: Language) -> Iterator[LeakPattern]:
    if suite.frames is not None:
        yield from _frames(suite.name, suite.frames)
        return
    words = _words(language)
    for text, facts in _texts(language.patterns(suite.patterns), {}):
        yield LeakPattern(suite.name, text, {**words, **facts})


def _texts(data: Any, facts: Words) -> Iterator[tuple[str, Words]]:
    """Yield all texts with slots in a pattern file, with the words of the facts next to them."""
    if isinstance(data, str):
        if _SLOT.search(data):
            yield data, facts
    elif isinstance(data, Mapping):
        if "facts" in data:
            subjects, answers = zip(*data["facts"], strict=True)
            facts = {"[X]": frozenset(map(plain, subjects)), "[Y]": frozenset(map(plain, answers))}
        for value in data.values():
            yield from _texts(value, facts)
    elif isinstance(data, list):
        for value in data:
            yield from _texts(value, facts)


def _words(language: Language) -> Words:
    lexicon = language.lexicon
    names = [name for of_gender in lexicon.names.values() for name in of_gender]
    professions = [word for of_gender in lexicon.professions.values() for word in of_gender]
    verbs = frozenset(map(plain, language.all_verbs))
    forms = {lexicon.form(verb) or verb for verb in lexicon.verbs}
    pronouns = frozenset(map(plain, language.pronouns.values()))
    return {
        "NAME": frozenset(map(plain, names)),
        "PROF": frozenset(map(plain, professions)),
        "PRON": pronouns,
        "SUBJ": pronouns | frozenset(map(plain, names)),
        **dict.fromkeys(("ACT", "ACT1", "ACT2", "ACT3"), verbs),
        BLANK: verbs | frozenset(map(plain, forms)),
    }


def _frames(suite: str, file: Path) -> Iterator[LeakPattern]:
    contexts, sentences = _read_frames(file)
    for context in contexts:
        yield LeakPattern(suite, context, sentences=sentences)


@lru_cache(maxsize=1)
def _read_frames(file: Path) -> tuple[tuple[str, ...], frozenset[str]]:
    """The contexts of a file of frames, and the sentences that are made of them."""
    from naysay.data.frames import frame_groups

    sentences = {plain(text) for group in frame_groups(file) for text in group.sentences}
    data = read_toml(file)
    entries = [entry for table in data.values() if isinstance(table, list) for entry in table]
    contexts = [context for entry in entries for context in entry["contexts"]]
    return tuple(dict.fromkeys(contexts)), frozenset(sentences)


def plain(text: str) -> str:
    """Normalise a text for comparison: lower case, one apostrophe, no surrounding punctuation.

    >>> plain("“She isn’t.”")
    "she isn't"
    """
    return text.lower().replace("’", "'").strip(" .!?\"'“”()‘")


def _ends_in(text: str, words: frozenset[str] | None) -> bool:
    """Return whether the text ends in one of the words; a name may be preceded by more."""
    if words is None:
        return False
    parts = text.split(" ")
    return any(" ".join(parts[k:]) in words for k in range(len(parts)))
