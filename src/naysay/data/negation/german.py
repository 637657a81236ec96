"""German: *nicht* before what it negates, *kein* for *ein*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from naysay.core.probes import BLANK
from naysay.data.negation.romance import Word, words_of

_ARTICLES = ("ein", "eine", "einen", "einem", "einer", "eines")


class GermanNegator:
    """Adds "nicht" or "kein" where their place is certain, and removes "nicht" and "nie"."""

    def __init__(self, about: Mapping[str, Any], negators: Sequence[str]) -> None:
        self._negators = frozenset(negators)
        self._finite = frozenset(about["finite"])
        self._copulas = frozenset(about["copulas"])
        self._modals = frozenset(about["modals"])
        self._subjects = frozenset(about["subjects"])
        self._pronouns = frozenset(about["pronouns"])
        self._follows = frozenset(about["follows"])
        self._blocks = frozenset(about["blocks"])

    def add(self, sentence: str) -> str | None:
        """Negate the only clause, or the second of two that share their subject."""
        words = words_of(sentence)
        if any(word.text in self._negators for word in words) or "?" in sentence:
            return None
        if (verb := self._verb(words)) is None:
            return None
        clause = list(takewhile(_is_word, words[verb + 1 :]))
        end = [words[verb], *clause][-1].end
        while clause and clause[0].text in self._pronouns:
            clause = clause[1:]
        if not clause:
            return f"{sentence[:end]} nicht{sentence[end:]}"
        first = clause[0]
        if first.text in _ARTICLES:
            if len(clause) < 2 or clause[1].text in ("bisschen", "wenig", "paar"):
                return None
            return f"{sentence[: first.start]}k{sentence[first.start :]}"
        before_it = (
            words[verb].text in self._copulas
            or first.text in self._follows
            or (words[verb].text in self._modals and len(clause) == 1)
        )
        if not before_it:
            return None
        return f"{sentence[: first.start]}nicht {sentence[first.start :]}"

    def remove(self, sentence: str) -> str | None:
        """Remove the only negator if it is "nicht" or "nie"."""
        words = words_of(sentence)
        places = [k for k, word in enumerate(words) if word.text in self._negators]
        if len(places) != 1 or words[places[0]].text not in ("nicht", "nie") or "?" in sentence:
            return None
        [place] = places
        around = {word.text for word in words[max(0, place - 1) : place + 2]}
        if place == 0 or around & self._blocks or any(word.text == "sondern" for word in words):
            return None
        word = words[place]
        return sentence[: word.start].rstrip() + sentence[word.end :]

    def _verb(self, words: Sequence[Word]) -> int | None:
        found = [k for k, word in enumerate(words) if k and self._is_verb(words, k)]
        joined = [k for k in found if words[k - 1].text == "und"]
        if len(found) == 2 and joined == found[1:]:
            found = joined
        return found[0] if len(found) == 1 else None

    def _is_verb(self, words: Sequence[Word], k: int) -> bool:
        text, before = words[k].text, words[k - 1].text
        if text in self._finite | self._copulas | self._modals:
            return True
        return k == 1 and before in self._subjects and _is_word(words[k])


def _is_word(word: Word) -> bool:
    return word.text[0].isalpha() or word.text == BLANK
