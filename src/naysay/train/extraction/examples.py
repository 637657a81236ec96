"""Sentences to look at: what a rule keeps and by which words, and what only the other one would."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from naysay.train.extraction.rules import Found, Rule, Words

_MOST = 6
_OF_ONE_REASON = 2


@dataclass(frozen=True)
class Example:
    """A sentence, the words that were found in it, and why the chosen rule leaves it out."""

    sentence: str
    negation: tuple[str, ...]
    contrast: tuple[str, ...]
    reason: str = ""


def kept_example(rule: Rule, sentence: str) -> Example:
    """A kept sentence with the words for which it is kept."""
    negation, contrast = rule.found(sentence)
    return Example(sentence, _words(negation), _words(contrast))


def _words(found: list[Found]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.word for one in found))


class Others:
    """The first sentences that only the other rule keeps, few for each reason."""

    def __init__(self, chosen: Rule, other: Rule) -> None:
        self._chosen, self._other = chosen, other
        self._reasons: Counter[str] = Counter()
        self.examples: list[Example] = []

    @property
    def full(self) -> bool:
        """Whether there are enough."""
        return len(self.examples) == _MOST

    def offer(self, sentence: str) -> None:
        """Take a sentence that only the other rule keeps, unless there are enough like it."""
        if self.full:
            return
        reason = self._reason(sentence)
        if self._reasons[reason] < _OF_ONE_REASON:
            self._reasons[reason] += 1
            kept = kept_example(self._other, sentence)
            self.examples.append(Example(sentence, kept.negation, kept.contrast, reason))

    def _reason(self, sentence: str) -> str:
        for what in ("negation", "contrast"):
            mine, theirs = getattr(self._chosen, what), getattr(self._other, what)
            if not mine.found(sentence):
                phrases = mine.excepted(sentence) if isinstance(mine, Words) else []
                return _why(sentence, theirs.found(sentence)[0], phrases, what)
        return "it is kept by both rules"


def _why(sentence: str, found: Found, phrases: list[Found], what: str) -> str:
    """Why a word that the other rule found does not count."""
    whole = _word_around(sentence, found)
    if whole != found.word:
        return f"“{found.word}” stands only inside “{whole}”"
    for phrase in phrases:
        if phrase.start <= found.start and found.end <= phrase.end:
            return f"“{phrase.word}” is no {what}"
    return f"“{found.word}” does not count as a {what} here"


def _word_around(sentence: str, found: Found) -> str:
    start, end = found.start, found.end
    while start and (sentence[start - 1].isalnum() or sentence[start - 1] in "'’"):
        start -= 1
    while end < len(sentence) and sentence[end].isalnum():
        end += 1
    return sentence[start:end].lower().replace("’", "'")
