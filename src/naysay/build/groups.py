"""Groups of four sentences: one and its negation, and both with the antonym."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from naysay.suites.semantoneg.items import Item, permutations

CLASSES = ("adjective", "verb", "adverb", "noun")
"""The classes of words that may have the antonym."""
NEGATORS = ("not", "never", "hardly", "no longer", "without", "prefix")
"""The ways to negate; "not" is also "n't"."""


@dataclass(frozen=True)
class Group:
    """Four sentences, two words, and where they come from."""

    plain_a: str
    negated_a: str
    plain_b: str
    negated_b: str
    word: str
    antonym: str
    word_class: str
    negator: str
    flags: tuple[str, ...] = ()
    """What a person should look at."""
    source: str = ""

    @property
    def sentences(self) -> tuple[str, str, str, str]:
        """All four, plain before negated."""
        return self.plain_a, self.negated_a, self.plain_b, self.negated_b

    @property
    def content(self) -> tuple[str, ...]:
        """What makes two groups the same: their sentences, whichever word came first."""
        return tuple(sorted(" ".join(sentence.lower().split()) for sentence in self.sentences))


def distinct(groups: Iterable[Group]) -> list[Group]:
    """The groups without those that were there before."""
    first: dict[tuple[str, ...], Group] = {}
    for group in groups:
        first.setdefault(group.content, group)
    return list(first.values())


def items_of(groups: Sequence[Group]) -> list[Item]:
    """The four items of each group, numbered from 0."""
    items: list[Item] = []
    for group in groups:
        first, second = sorted((group.word, group.antonym))
        items += permutations(
            (group.plain_a, group.plain_b),
            (group.negated_a, group.negated_b),
            len(items),
            pair=(first, second),
            word_class=group.word_class,
            negator=group.negator,
        )
    return items
