"""Sentences with and without a word of degree, such as *very*: the control beside negation.

It changes a sentence by as little as a negation does, and leaves what it says as it is. Like the
rules of negation, this one leaves alone what it cannot change with certainty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import PatternError, SpecError
from naysay.core.probes import BLANK
from naysay.data.languages import LANGUAGES

_TOKEN = re.compile(rf"[\w'’]+|{BLANK}|[^\w\s]|\s+")


@dataclass(frozen=True, slots=True)
class IntensifiedPair:
    """A text without a word of degree and the same text with it."""

    without: str
    intensified: str
    word: str


def intensified_pair(text: str, language: str = "en") -> IntensifiedPair:
    """Add the language's word of degree to a text, or remove it.

    >>> intensified_pair("Ann is a nurse. She isn't happy to ▢.").intensified
    "Ann is a nurse. She isn't very happy to ▢."
    >>> intensified_pair("Sie ist nicht sehr froh.", "de").without
    'Sie ist nicht froh.'
    """
    about = _rule(language)
    word = str(about["word"])
    tokens = _TOKEN.findall(text)
    words = [k for k, token in enumerate(tokens) if not token.isspace()]
    for place in range(len(words) - 1):
        if not _is_verb(tokens[words[place]], about):
            continue
        after = place + 1
        while after < len(words) - 1 and tokens[words[after]].casefold() in about["past"]:
            after += 1
        here = words[after]
        if tokens[here].casefold() == word and after + 1 < len(words):
            rest = words[after + 1]
            return IntensifiedPair("".join(tokens[:here] + tokens[rest:]), text, word)
        if _takes(tokens[here], about):
            made = "".join([*tokens[:here], word, " ", *tokens[here:]])
            return IntensifiedPair(text, made, word)
    raise SpecError(f"no rule adds {word!r} to {text!r} with certainty (language {language})")


def intensifier_of(language: str) -> str:
    """Return the language's word of degree; empty if it has none."""
    return str(LANGUAGES.get(language).about.get("intensifier", {}).get("word", ""))


def _is_verb(token: str, about: Mapping[str, Any]) -> bool:
    """Whether it is one of the verbs, also after an apostrophe, as in *n'est*."""
    plain = token.casefold().replace("’", "'")
    return plain in about["verbs"] or plain.rpartition("'")[2] in about["verbs"]


def _takes(token: str, about: Mapping[str, Any]) -> bool:
    """Whether a word can have a degree: one in small letters that is none of the exceptions."""
    return token.isalpha() and token.islower() and token not in about["before_none"]


def _rule(language: str) -> Mapping[str, Any]:
    found = LANGUAGES.get(language)
    about = found.about.get("intensifier")
    if not about:
        known = ", ".join(one.code for one in LANGUAGES.all() if "intensifier" in one.about)
        raise SpecError(f"language {language!r} has no word of degree, only {known} have")
    wanted = ("word", "verbs", "past", "before_none")
    if not isinstance(about, dict) or any(name not in about for name in wanted):
        file = found.folder / "language.toml"
        raise PatternError(f"{file}: [intensifier] must have {', '.join(wanted)}")
    return about
