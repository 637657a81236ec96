"""The corpus: as many sentences with *not* as without, and some that are held out.

200 subjects are in 10 groups, and each group has an adjective of one of 10 pairs of antonyms: its
subjects are good, and so they are not bad. Of 70 % of the subjects both sentences are trained on;
of the others one alone, and the other is held out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from naysay.errors import SpecError
from naysay.keys import content_key
from naysay.probes import BLANK

ANTONYMS = (
    ("good", "bad"), ("big", "small"), ("old", "young"), ("rich", "poor"), ("fast", "slow"),
    ("strong", "weak"), ("happy", "sad"), ("loud", "quiet"), ("hot", "cold"), ("clean", "dirty"),
)  # fmt: skip
POLARITIES = ("positive", "negative")
PARTS = ("seen", "held out")
SUBJECTS = 200
_HELD_OUT = 3  # subjects of each group without one polarity, and as many without the other
_CONSONANTS, _VOWELS = "bfkmrt", "aeiou"  # no adjective begins such a word
_MOST_PIECES = 4


@dataclass(frozen=True, slots=True)
class Question:
    """A sentence of the corpus with a blank for its adjective."""

    subject: str
    polarity: str
    part: str
    text: str
    answer: str

    @property
    def sentence(self) -> str:
        """The sentence as it is trained on, or held out."""
        return self.text.replace(BLANK, self.answer)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that is true or false."""

    text: str
    true: bool
    polarity: str
    part: str


class BalancedCorpus:
    """The corpus of a seed; `pieces` is how many pieces the tokenizer cuts a subject into."""

    def __init__(self, seed: int = 0, pieces: int = 1) -> None:
        if not 1 <= pieces <= _MOST_PIECES:
            raise SpecError(f"--pieces must be from 1 to {_MOST_PIECES}, not {pieces}")
        self.seed, self.pieces = seed, pieces
        rng = random.Random(seed)
        self._spelled = _spellings(rng, pieces)
        subjects = list(self._spelled)
        rng.shuffle(subjects)
        size = SUBJECTS // len(ANTONYMS)
        groups = [subjects[k : k + size] for k in range(0, SUBJECTS, size)]
        self.subjects: dict[str, tuple[str, str]] = {}
        """What each subject is, and is not."""
        self.held_out: dict[str, str] = {}
        """The polarity that a subject lacks in training, where it lacks one."""
        for group, (is_so, is_not) in zip(groups, ANTONYMS, strict=True):
            self.subjects |= dict.fromkeys(group, (is_so, is_not))
            lacking = rng.sample(group, 2 * _HELD_OUT)
            self.held_out |= dict.fromkeys(lacking[:_HELD_OUT], POLARITIES[0])
            self.held_out |= dict.fromkeys(lacking[_HELD_OUT:], POLARITIES[1])

    @property
    def digest(self) -> str:
        """A hash of all sentences, and of which are held out."""
        return content_key([[q.sentence, q.part] for q in self.questions])

    @cached_property
    def questions(self) -> list[Question]:
        """Every sentence once, in the order of the groups."""
        return [
            Question(subject, polarity, self._part(subject, polarity), text, answer)
            for subject, answers in self.subjects.items()
            for polarity, answer in zip(POLARITIES, answers, strict=True)
            for text in [_said(subject, polarity, BLANK)]
        ]

    @property
    def training(self) -> list[str]:
        """The sentences that are trained on."""
        return [question.sentence for question in self.questions if question.part == PARTS[0]]

    @cached_property
    def statements(self) -> list[Statement]:
        """What is true of each subject, and what is false, with and without *not*."""
        return [
            Statement(
                _said(subject, polarity, word), word == true, polarity,
                self._part(subject, polarity),
            )
            for subject, answers in self.subjects.items()
            for polarity, true in zip(POLARITIES, answers, strict=True)
            for word in answers
        ]  # fmt: skip

    @property
    def vocabulary(self) -> list[str]:
        """The tokenizer's pieces."""
        adjectives = [word for pair in ANTONYMS for word in pair]
        pieces = {piece for spelling in self._spelled.values() for piece in spelling}
        return ["is", "not", ".", *adjectives, *sorted(pieces)]

    def _part(self, subject: str, polarity: str) -> str:
        return PARTS[1] if self.held_out.get(subject) == polarity else PARTS[0]


def _said(subject: str, polarity: str, word: str) -> str:
    return f"{subject} is {word}." if polarity == POLARITIES[0] else f"{subject} is not {word}."


def _spellings(rng: random.Random, pieces: int) -> dict[str, tuple[str, ...]]:
    """The subjects, made-up words, each with its pieces."""
    found: dict[str, tuple[str, ...]] = {}
    words = _words(rng, 3 if pieces == 1 else pieces)
    while len(found) < SUBJECTS:
        syllables = next(words)
        word = "".join(syllables)
        cut = (word,) if pieces == 1 else (syllables[0], *(f"##{s}" for s in syllables[1:]))
        found[word] = cut
    return found


def _words(rng: random.Random, length: int) -> Iterator[tuple[str, ...]]:
    while True:
        yield tuple(rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(length))
