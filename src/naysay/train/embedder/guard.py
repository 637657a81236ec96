"""Keeps what a test asks out of training: its opposed words, their families, and its frames.

A test says nothing about a model that was trained on its words. So the opposed words of the tests
are kept out with all words of their family, and so are sentences that are a test's but for the
opposed words and the negation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from naysay.data.items import AntonymItem, Group

_PREFIXES = ("non-", "non", "un", "in", "im", "ir", "il", "dis", "ab", "mis")
_SUFFIXES = (
    "ability", "ibility", "ation", "ition", "ative", "ness", "able", "ible", "ance", "ence",
    "ancy", "ency", "ment",
    "less", "ful", "ity", "ion", "ive", "ous", "ant", "ent", "ing", "dom", "ly", "ty", "al", "ic",
    "cy", "ed", "th", "i", "y", "e", "s",
)  # fmt: skip
_SHORTEST = 3  # letters that are left of a word
_WORD = re.compile(r"[\w-]+")
_CONTRACTED = {
    "can't": "can not", "won't": "will not", "n't": " not", "'s": " is", "'re": " are",
    "'m": " am", "'ll": " will", "'ve": " have", "'d": " would",
}  # fmt: skip
_NEGATION = frozenset(
    ("not", "never", "no", "longer", "hardly", "cannot", "with", "without", "always", "now", "do",
     "does", "did", "a", "an")
)  # fmt: skip
"""What comes and goes with a negation; frames are compared without it, and without articles."""
_FUNCTION = frozenset(
    ("a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "for",
     "from", "had", "has", "have", "having", "he", "her", "his", "in", "into", "is", "it", "its",
     "like", "me", "much", "my", "no", "not", "of", "on", "one", "or", "other", "our", "out", "she",
     "so", "some", "than", "that", "the", "their", "them", "they", "this", "to", "up", "very",
     "was", "we", "were", "what", "who", "with", "you", "your")
)  # fmt: skip
"""Words that are not opposed by themselves where several words are, as in "in danger"."""
_BLANK = "_"


@cache
def family(word: str) -> str:
    """Return what a word shares with the words derived from it; rather too short than too long.

    >>> {family(word) for word in ("happy", "unhappy", "happily", "unhappiness")}
    {'happ'}
    >>> {family(word) for word in ("relevant", "irrelevance", "relevancy")}
    {'relev'}
    """
    word = word.lower()
    while cut := next(
        (p for p in _PREFIXES if word.startswith(p) and len(word) - len(p) >= _SHORTEST), ""
    ):
        word = word.removeprefix(cut)
    while cut := next(
        (s for s in _SUFFIXES if word.endswith(s) and len(word) - len(s) >= _SHORTEST), ""
    ):
        word = word.removesuffix(cut)
    return word


def opposed_words(phrase: str) -> list[str]:
    """Return the words of an opposed phrase, without function words if it has others.

    >>> opposed_words("in danger"), opposed_words("other")
    (['danger'], ['other'])
    """
    words = [word.lower() for word in _WORD.findall(phrase)]
    return [word for word in words if word not in _FUNCTION] or words


def frame_of(sentence: str, families: Iterable[str]) -> str:
    """Return a sentence without its opposed words, its negation and its articles.

    >>> frame_of("That's not an easy task.", {family("easy")})
    'that is _ task'
    """
    text = sentence.lower().replace("’", "'")
    for short, long in _CONTRACTED.items():
        text = text.replace(short, long)
    opposed = set(families)
    words = [_BLANK if family(word) in opposed else word for word in _WORD.findall(text)]
    return " ".join(word for word in words if word not in _NEGATION)


@dataclass(frozen=True)
class TestContent:
    """What the tests ask: opposed words, their families, frames and sentences."""

    __test__ = False  # this is no test of pytest's

    words: frozenset[str]
    families: frozenset[str]
    frames: frozenset[str]

    @staticmethod
    def of(items: Iterable[AntonymItem]) -> TestContent:
        """Collect the content of these items."""
        words: set[str] = set()
        frames: set[str] = set()
        for item in items:
            opposed = [word for side in item.pair for word in opposed_words(side)]
            words.update(opposed)
            own = {family(word) for word in opposed}
            frames.update(frame_of(sentence, own) for sentence in item.sentences)
        families = frozenset(map(family, words))
        return TestContent(frozenset(words), families, frozenset(frames))

    def __or__(self, other: TestContent) -> TestContent:
        return TestContent(
            self.words | other.words, self.families | other.families, self.frames | other.frames
        )

    def leak(self, group: Group) -> str | None:
        """Return what of a group is a test's: a word, a word's family or a frame; None if nothing.

        All words of its sentences count, since an opposed word in the context is one, too.
        """
        opposed = [*opposed_words(group.word), *opposed_words(group.antonym)]
        context = {word.lower() for s in group.sentences for word in _WORD.findall(s)}
        if self.words & {*opposed, *(word for word in context if word not in _FUNCTION)}:
            return "word"
        own = {family(word) for word in opposed}
        if own & self.families:
            return "family"
        if any(frame_of(sentence, own) in self.frames for sentence in group.sentences):
            return "frame"
        return None

    def has_word_of(self, sentence: str) -> bool:
        """Return whether a sentence contains an opposed word of a test."""
        words = {word.lower() for word in _WORD.findall(sentence)}
        return any(word in self.words for word in words - _FUNCTION)


@dataclass(frozen=True)
class Screened:
    """The groups that share nothing with the tests, and how many were left out, and why."""

    groups: list[Group]
    left_out: dict[str, int] = field(default_factory=dict)
    """Groups by reason: word, family or frame of a test."""
    examples: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many groups were left out."""
        return sum(self.left_out.values())


_EXAMPLES = 3


def screened(groups: Sequence[Group], content: TestContent) -> Screened:
    """Leave out all groups that share a word, a family or a frame with a test."""
    kept: list[Group] = []
    reasons: Counter[str] = Counter()
    examples: list[str] = []
    for group in groups:
        reason = content.leak(group)
        if reason is None:
            kept.append(group)
            continue
        reasons[reason] += 1
        if len(examples) < _EXAMPLES:
            examples.append(group.plain_a)
    return Screened(kept, dict(reasons), tuple(examples))
