"""All words that calibration models know, from the language's own files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from naysay.languages import Language
from naysay.patterns.pattern import SLOTS
from naysay.probes import BLANK

_WORD = re.compile(r"\w+|[^\w\s]")
FILES = ("scnt", "gh22", "scnt_table2", "lama")
"""The pattern files whose sentences they are trained with."""
_MARKS = (*SLOTS, BLANK, "X", "Y")


def vocabulary(language: Language, professions: list[str]) -> list[str]:
    """The words of patterns, facts and lexicon, and these professions, in alphabetical order."""
    lexicon = language.lexicon(None, None)
    texts = [
        *(text for file in FILES for text in _texts(language.patterns(file))),
        *(name for names in lexicon.names.values() for name in names),
        *(profession for listed in lexicon.professions.values() for profession in listed),
        *(pronoun for word in language.pronouns.values() for pronoun in (word, word.lower())),
        *lexicon.verbs,
        *professions,
    ]
    return sorted({word for text in texts for word in _WORD.findall(text)} - set(_MARKS))


def _texts(value: Any) -> Iterator[str]:
    """All texts within a pattern file."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
