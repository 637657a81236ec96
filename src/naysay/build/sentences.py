"""Sentences as tokens that remember their gaps, so that what is not changed stays as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
_CLITIC = re.compile(r"(?i)(?<=\w)(?:n['’]t|['’](?:s|re|m|ll|ve|d))$|(?<=^can)not$")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a sign, and the space before it."""

    text: str
    gap: str = ""
    tag: str = ""

    @property
    def word(self) -> str:
        """The text as word lists have it: in small letters, with a straight apostrophe."""
        return self.text.lower().replace("’", "'")


def split(text: str) -> list[Token]:
    """The tokens of a sentence; contractions are taken apart.

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
    """The sentence, with other text for some tokens; an empty text takes the token out.

    >>> join(split("Do not be late."), {0: "", 1: ""})
    'Be late.'
    >>> join(split("It isn't late."), {2: ""})
    'It is late.'
    """
    changes = changes or {}
    parts: list[str] = []
    gap: str | None = None  # that of a token taken out, which its follower then has
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
    """The word with the capitals of another one.

    >>> like("GOOD", "bad"), like("Good", "bad"), like("I", "we")
    ('BAD', 'Bad', 'We')
    """
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def apostrophe(text: str) -> str:
    """The apostrophe a text uses."""
    return "’" if "’" in text and "'" not in text else "'"


def _as_begun(tokens: Sequence[Token], text: str) -> str:
    """The text with a capital at its head if the tokens begin with one."""
    first = next((token.text for token in tokens if token.text[:1].isalpha()), "")
    if not first[:1].isupper():
        return text
    place = next((place for place, sign in enumerate(text) if sign.isalnum()), 0)
    return text[:place] + text[place : place + 1].upper() + text[place + 1 :]
