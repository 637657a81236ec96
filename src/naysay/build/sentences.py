"""Tokenising, tagging and inflecting sentences.

Verb forms come from lemminflect and are named as in the Penn Treebank: VB, VBZ, VBD, VBN, VBG.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from naysay.core.errors import NaysayError

STEPS = {
    "of four tokens or more": ("fewer than four tokens",),
    "with a negation on one side": (
        "no negation",
        "negation on both sides",
    ),
    "with a negator and a word of the class": (
        "two negations",
        "negator not asked for",
        "subject after the negator",
        "word after the negator is not read as a word of the class",
        "comparative or superlative",
        "degree word",
        "adverb before the word",
        "several words joined",
        "ordinal or the same",
        "verb with a particle",
    ),
    "with an antonym": (
        "no antonym in WordNet",
        "no antonym in the first sense",
        "several opposites",
        "antonym in the sentence already",
    ),
    "whose negation can be taken out": (
        "needs the negation",
        "cannot be taken out",
        "cannot be negated",
        "cannot be inflected",
        "question tag",
    ),
}
"""The steps that pairs pass, each with the reasons for failing it."""
_ALL = {reason for reasons in STEPS.values() for reason in reasons}


class LeftOut(Exception):  # noqa: N818, not an error but a result
    """A pair yields no group, for one of the reasons above."""

    def __init__(self, reason: str) -> None:
        assert reason in _ALL, reason
        super().__init__(reason)
        self.reason = reason


_TOKEN = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
_CLITIC = re.compile(r"(?i)(?<=\w)(?:n['’]t|['’](?:s|re|m|ll|ve|d))$|(?<=^can)not$")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or punctuation mark, and the space before it."""

    text: str
    gap: str = ""
    tag: str = ""

    @property
    def word(self) -> str:
        """The text in lower case with a straight apostrophe, as in word lists."""
        return self.text.lower().replace("’", "'")


def split(text: str) -> list[Token]:
    """Split a sentence into tokens; contractions are separated.

    >>> [token.text for token in split("I can't, you cannot: it's Ann's.")]
    ['I', 'ca', "n't", ',', 'you', 'can', 'not', ':', 'it', "'s", 'Ann', "'s", '.']
    """
    tokens: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(text):
        gap, word = text[end : match.start()], match[0]
        end = match.end()
        if clitic := _CLITIC.search(word):
            tokens.append(Token(word[: clitic.start()], gap))
            gap, word = "", clitic[0]
        tokens.append(Token(word, gap))
    if text[end:]:
        tokens.append(Token("", text[end:]))
    return tokens


def join(tokens: Sequence[Token], changes: Mapping[int, str] | None = None) -> str:
    """Join the tokens, with new text for some of them; an empty text removes the token.

    >>> join(split("Do not be late."), {0: "", 1: ""})
    'Be late.'
    >>> join(split("It isn't late."), {2: ""})
    'It is late.'
    """
    changes = changes or {}
    parts: list[str] = []
    gap: str | None = None  # the gap of a removed token, which the next one inherits
    for place, token in enumerate(tokens):
        text = changes.get(place, token.text)
        glued = not token.gap and place > 0 and tokens[place - 1].text[-1:].isalnum()
        if place in changes and not text:
            gap = gap if glued or gap is not None else token.gap
            continue
        parts.append((token.gap if gap is None else gap) + text)
        gap = None
    joined = "".join(parts)
    return _as_begun(tokens, joined) if changes else joined


def like(model: str, word: str) -> str:
    """Capitalise a word like another one.

    >>> like("GOOD", "bad"), like("Good", "bad"), like("I", "we")
    ('BAD', 'Bad', 'We')
    """
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def apostrophe(text: str) -> str:
    """Return the kind of apostrophe that a text uses."""
    return "’" if "’" in text and "'" not in text else "'"


def _as_begun(tokens: Sequence[Token], text: str) -> str:
    """Capitalise the text if the tokens begin with a capital."""
    first = next((token.text for token in tokens if token.text[:1].isalpha()), "")
    if not first[:1].isupper():
        return text
    place = next((place for place, sign in enumerate(text) if sign.isalnum()), 0)
    return text[:place] + text[place : place + 1].upper() + text[place + 1 :]


INSTALL = "pip install 'naysay[build]'"


class MissingExtraError(NaysayError):
    """A package that the builder needs is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"building from pairs needs {package}, which is not installed. Install it with: "
            f"{INSTALL}. Frames and review files need nothing."
        )


def tagged(text: str) -> list[Token]:
    """Split a sentence into tokens with part-of-speech tags.

    >>> [token.tag for token in tagged("You're not tall.")]
    ['PNP', 'VBB', 'XX0', 'AJ0', 'PUN']
    """
    tokens = split(text)
    return [replace(token, tag=tag) for token, tag in zip(tokens, _tags(tokens), strict=True)]


def _tags(tokens: Sequence[Token]) -> list[str]:
    words = [token.text.replace("’", "'") for token in tokens if token.text]
    # The tagger would take a sentence in capitals for names.
    if len(words) > 1 and all(word.isupper() for word in words if word.isalpha()):
        words = [word.lower() for word in words]
    tags = iter(_tagger().tag_sent(words, taglevel=0))
    return [next(tags) if token.text else "" for token in tokens]


@cache
def _tagger() -> Any:
    try:
        import HanTa
        from HanTa.HanoverTagger import HanoverTagger
    except ImportError as error:
        raise MissingExtraError("HanTa") from error
    # By its full path: a bare name would be searched for in the current folder first.
    return HanoverTagger(str(Path(HanTa.__file__).parent / "morphmodel_en.pgz"))


FORMS = {"VVI": "VB", "VVB": "VB", "VVZ": "VBZ", "VVD": "VBD", "VVN": "VBN", "VVG": "VBG"}
"""The verb form of each tag."""


def base_form(word: str) -> str:
    """Return the base form of a verb.

    >>> base_form("accepted")
    'accept'
    """
    lemmas = _library().getLemma(word.lower(), upos="VERB")
    return str(lemmas[0]) if lemmas else word.lower()


def inflect(base: str, form: str) -> str:
    """Return a form of a verb, empty if it is unknown.

    >>> inflect("leave", "VBD"), inflect("be", "VBD")
    ('left', '')
    """
    if form == "VB":
        return base
    forms = _library().getInflection(base, tag=form, inflect_oov=False)
    return str(forms[0]) if forms and base != "be" else ""


def is_compared(word: str) -> bool:
    """Return whether a word is the comparative or superlative of an adjective.

    >>> is_compared("cheaper"), is_compared("bitter")
    (True, False)
    """
    lemmas = _library().getLemma(word.lower(), upos="ADJ", lemmatize_oov=False)
    return bool(lemmas) and word.lower() not in lemmas


@cache
def _library() -> Any:
    try:
        import lemminflect
    except ImportError as error:
        raise MissingExtraError("lemminflect") from error
    return lemminflect
