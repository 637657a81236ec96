"""Groups of four sentences: one and its negation, and both with the antonym."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from naysay.core.errors import DatasetError
from naysay.core.files import read_text
from naysay.core.keys import content_key

ROLES = ("antonym only", "polarity only", "paraphrase")
"""The roles of the options, in the order of `AntonymItem.options`."""
_ARTICLES = {"a", "an", "the"}
_WORD = re.compile(r"[\w'’-]+")


@dataclass(frozen=True, slots=True)
class AntonymItem:
    """A sentence and its three options, in the order of `ROLES`."""

    idx: int
    text: str
    options: tuple[str, str, str]
    pair: tuple[str, str]
    """The antonyms, in alphabetical order."""
    word_class: str = ""
    negator: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """All four sentences, the text first."""
        return (self.text, *self.options)

    def as_json(self) -> dict[str, Any]:
        """Return the item as a JSON object of a file."""
        return {
            "idx": self.idx,
            "label": 2,
            "input": self.text,
            "sentences": list(self.options),
            "pair": list(self.pair),
            "class": self.word_class,
            "negator": self.negator,
        }


def permutations(
    plain: tuple[str, str], negated: tuple[str, str], start: int, **about: Any
) -> list[AntonymItem]:
    """Return the four items of a group: each of its sentences is the text once.

    `plain` are the sentences with one and the other antonym, `negated` the same ones negated.

    >>> [item.text for item in permutations(("It's hot.", "It's cold."),
    ...     ("It's not hot.", "It's not cold."), 0, pair=("cold", "hot"))]
    ["It's not hot.", "It's cold.", "It's not cold.", "It's hot."]
    """
    (a, b), (not_a, not_b) = plain, negated
    asked = [
        (not_a, (not_b, a, b)),
        (b, (a, not_b, not_a)),
        (not_b, (not_a, b, a)),
        (a, (b, not_a, not_b)),
    ]
    return [
        AntonymItem(start + k, text, options, **about) for k, (text, options) in enumerate(asked)
    ]


def read_items(path: Path) -> list[AntonymItem]:
    """Read the items of a file in order; raise an error that names an invalid line."""
    try:
        lines = read_text(path, "utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    items = [_item(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not items:
        raise DatasetError(f"{path} has no items: it must have one JSON object per line")
    return items


def write_items(items: Iterable[AntonymItem]) -> str:
    """Return the text of a file with these items."""
    return "".join(json.dumps(item.as_json(), ensure_ascii=False) + "\n" for item in items)


def digest(items: Sequence[AntonymItem]) -> str:
    """Return a hash of the sentences and their annotations, without numbers and layout."""
    return content_key([[*i.sentences, *i.pair, i.word_class, i.negator] for i in items])


def _item(path: Path, number: int, line: str) -> AntonymItem:
    try:
        data = msgspec.json.decode(line)
        text, options, label = data["input"], list(data["sentences"]), data["label"]
        if not all(isinstance(sentence, str) and sentence.strip() for sentence in (text, *options)):
            raise ValueError("a sentence is empty or not a string")
        if len(options) != 3 or label not in (0, 1, 2) or isinstance(label, bool):
            raise ValueError("there must be three sentences, and the label must be 0, 1 or 2")
        options.append(options.pop(label))
        given = data.get("pair") or pair_of(text, options)
        first, second = sorted(map(str, given))
        place = data.get("idx", number - 1)
        if not isinstance(place, int) or not -(2**31) <= place < 2**31:
            raise ValueError("idx must be a whole number of at most ten digits, or be left out")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DatasetError(
            f"{path}, line {number} is not an item: {type(error).__name__}: {error}. An item is "
            '{"idx": 0, "label": 2, "input": "…", "sentences": ["…", "…", "…"]}'
        ) from error
    return AntonymItem(
        int(place),
        text,
        (options[0], options[1], options[2]),
        (first, second),
        str(data.get("class", "")),
        str(data.get("negator", "")),
    )


def pair_of(text: str, options: Sequence[str]) -> tuple[str, str]:
    """Derive the antonyms of an item from its sentences.

    Two sentences of the same polarity differ in the antonyms only. Of the two such pairs, the one
    with fewer differing letters is used, since the other may include a change of form.

    >>> pair_of("We won.", ["We lost.", "We didn't win.", "We didn't lose."])
    ('lose', 'win')
    """
    same_polarity = [_difference(text, options[0]), _difference(options[1], options[2])]
    first, second = sorted(min(same_polarity, key=lambda pair: (len("".join(pair)), sorted(pair))))
    return first, second


def _difference(one: str, other: str) -> tuple[str, str]:
    """Return the words in which two sentences differ, without articles.

    >>> _difference("It was a quiet night.", "It was an eventful night.")
    ('quiet', 'eventful')
    """
    first, second = ([word.lower() for word in _WORD.findall(text)] for text in (one, other))
    while first and second and first[0] == second[0]:
        first, second = first[1:], second[1:]
    while first and second and first[-1] == second[-1]:
        first, second = first[:-1], second[:-1]
    differing = [
        " ".join(word for word in words if word not in _ARTICLES) for words in (first, second)
    ]
    return differing[0], differing[1]


CLASSES = ("adjective", "verb", "adverb", "noun")
"""The word classes of antonyms."""
NEGATORS = ("not", "never", "hardly", "no longer", "without", "prefix")
"""The kinds of negation; "not" includes "n't"."""


@dataclass(frozen=True)
class Group:
    """Four sentences, two antonyms, and their source."""

    plain_a: str
    negated_a: str
    plain_b: str
    negated_b: str
    word: str
    antonym: str
    word_class: str
    negator: str
    doubts: tuple[str, ...] = ()
    """Reasons for not keeping it until a person has reviewed it."""
    notes: tuple[str, ...] = ()
    """Where to look in a review; none of them speaks against the group."""
    source: str = ""

    @property
    def sentences(self) -> tuple[str, str, str, str]:
        """All four, plain before negated."""
        return self.plain_a, self.negated_a, self.plain_b, self.negated_b

    @property
    def content(self) -> tuple[str, ...]:
        """The identity of a group: its sentences, in any order."""
        return tuple(sorted(" ".join(sentence.lower().split()) for sentence in self.sentences))


def distinct(groups: Iterable[Group]) -> list[Group]:
    """Remove duplicate groups."""
    first: dict[tuple[str, ...], Group] = {}
    for group in groups:
        first.setdefault(group.content, group)
    return list(first.values())


def items_of(groups: Sequence[Group]) -> list[AntonymItem]:
    """Return the items of each group, numbered from 0: four, or two if a prefix negates.

    "Unhappy" and "sad" are synonyms; only "happy" and "not sad" are negated antonyms.
    """
    items: list[AntonymItem] = []
    for group in groups:
        first, second = sorted((group.word, group.antonym))
        asked = permutations(
            (group.plain_a, group.plain_b),
            (group.negated_a, group.negated_b),
            0,
            pair=(first, second),
            word_class=group.word_class,
            negator=group.negator,
        )
        items += asked[2:] if group.negator == "prefix" else asked
    return [replace(item, idx=idx) for idx, item in enumerate(items)]
