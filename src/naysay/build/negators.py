"""Negators in a sentence: which there are, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from naysay.build.question_tags import question_tag
from naysay.build.sentences import Token

OTHER = "other"
"""The kind of the negators that cannot be taken out here: nobody, none, …"""
_OTHERS = (
    "no", "nobody", "nothing", "nowhere", "none", "neither", "nor", "scarcely", "barely", "seldom",
    "rarely",
)  # fmt: skip
_KINDS = {"n't": "not"} | {word: word for word in ("not", "never", "hardly", "without")}
_KINDS |= dict.fromkeys(_OTHERS, OTHER)


@dataclass(frozen=True)
class Negation:
    """A negator of a kind, from one place up to another."""

    kind: str
    start: int
    end: int


def negations(tokens: Sequence[Token]) -> list[Negation]:
    """The negators of a sentence, but for a question tag's and for "no" as an answer."""
    tag = question_tag(tokens)
    words = [token.word for token in tokens[: tag.start if tag else len(tokens)]]
    found: list[Negation] = []
    for place, word in enumerate(words):
        kind = _KINDS.get(word)
        after = words[place + 1] if place + 1 < len(words) else ""
        if word == "no" and after == "longer":
            found.append(Negation("no longer", place, place + 2))
        elif kind and not (word == "no" and not after[:1].isalnum()):
            found.append(Negation(kind, place, place + 1))
    return found
