"""The balanced corpus, and a model's accuracy on it by part and polarity."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from transformers import TrainerCallback

from naysay.core.errors import SpecError
from naysay.core.keys import content_key
from naysay.core.probes import BLANK

ANTONYMS = (
    ("good", "bad"), ("big", "small"), ("old", "young"), ("rich", "poor"), ("fast", "slow"),
    ("strong", "weak"), ("happy", "sad"), ("loud", "quiet"), ("hot", "cold"), ("clean", "dirty"),
)  # fmt: skip
POLARITIES = ("positive", "negative")
PARTS = ("seen", "held out")
SUBJECTS = 200
GROUPS = 10
_HELD_OUT = (
    3  # subjects per group that lack the positive sentences, and as many that lack the negative
)
_CONSONANTS, _VOWELS = "bfkmrt", "aeiou"  # such a word is never the start of an adjective
_MOST_PIECES = 4


@dataclass(frozen=True, slots=True)
class ClozeQuestion:
    """A sentence with a blank for an adjective, and the ten that make it true."""

    subject: str
    polarity: str
    part: str
    text: str
    answers: tuple[str, ...]

    @property
    def sentences(self) -> list[str]:
        """The complete sentences."""
        return [self.text.replace(BLANK, answer) for answer in self.answers]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that is true or false."""

    subject: str
    polarity: str
    part: str
    text: str
    word: str
    true: bool


class BalancedCorpus:
    """The corpus of a seed; `pieces` is the number of tokens per subject."""

    def __init__(self, seed: int = 0, pieces: int = 1) -> None:
        if not 1 <= pieces <= _MOST_PIECES:
            raise SpecError(f"--pieces must be from 1 to {_MOST_PIECES}, not {pieces}")
        self.seed, self.pieces = seed, pieces
        rng = random.Random(seed)
        self._spelled = _spellings(rng, pieces)
        subjects = list(self._spelled)
        rng.shuffle(subjects)
        size = SUBJECTS // GROUPS
        self.groups: dict[str, int] = {}
        """The number of each subject's group."""
        self.sides = _sides(rng)
        """For each group the adjectives that are true of it, one of each pair."""
        self.held_out: dict[str, str] = {}
        """The polarity that is held out for a subject, if any."""
        for number in range(GROUPS):
            group = subjects[number * size : (number + 1) * size]
            self.groups |= dict.fromkeys(group, number)
            lacking = rng.sample(group, 2 * _HELD_OUT)
            self.held_out |= dict.fromkeys(lacking[:_HELD_OUT], POLARITIES[0])
            self.held_out |= dict.fromkeys(lacking[_HELD_OUT:], POLARITIES[1])

    @property
    def digest(self) -> str:
        """A hash of all sentences, and of which are held out."""
        return content_key([[q.sentences, q.part] for q in self.questions])

    def answers(self, subject: str, polarity: str) -> tuple[str, ...]:
        """Return the adjectives that are true of the subject, or those that are not."""
        true = self.sides[self.groups[subject]]
        if polarity == POLARITIES[0]:
            return true
        return tuple(
            one if other == side else other
            for (one, other), side in zip(ANTONYMS, true, strict=True)
        )

    @cached_property
    def questions(self) -> list[ClozeQuestion]:
        """A question for each subject and polarity, in the order of the groups."""
        return [
            ClozeQuestion(
                subject, polarity, self._part(subject, polarity),
                _statement(subject, polarity, BLANK), self.answers(subject, polarity),
            )
            for subject in self.groups
            for polarity in POLARITIES
        ]  # fmt: skip

    @property
    def training(self) -> list[str]:
        """The training sentences, each once."""
        seen = (question for question in self.questions if question.part == PARTS[0])
        return [sentence for question in seen for sentence in question.sentences]

    def copies(self, count: int) -> list[str]:
        """Return so many copies of the training sentences, one after the other.

        Each copy has an order of its own, so that neighbours say nothing about a sentence.
        """
        rng, sentences = random.Random(f"copies {self.seed}"), self.training
        return [text for _ in range(count) for text in rng.sample(sentences, len(sentences))]

    @cached_property
    def statements(self) -> list[Statement]:
        """The true and false statements about each subject, with and without *not*."""
        return [
            Statement(
                question.subject, question.polarity, question.part,
                question.text.replace(BLANK, word), word, word in question.answers,
            )
            for question in self.questions
            for pair in ANTONYMS
            for word in pair
        ]  # fmt: skip

    @property
    def vocabulary(self) -> list[str]:
        """The tokenizer's vocabulary."""
        adjectives = [word for pair in ANTONYMS for word in pair]
        pieces = {piece for spelling in self._spelled.values() for piece in spelling}
        return ["is", "not", ".", *adjectives, *sorted(pieces)]

    def _part(self, subject: str, polarity: str) -> str:
        return PARTS[1] if self.held_out.get(subject) == polarity else PARTS[0]


def _statement(subject: str, polarity: str, word: str) -> str:
    return f"{subject} is {word}." if polarity == POLARITIES[0] else f"{subject} is not {word}."


def _sides(rng: random.Random) -> list[tuple[str, ...]]:
    """Draw a side of each pair for each group; no two groups are alike.

    Each side holds in half of the groups, so that the adjective alone says nothing.
    """
    while True:
        columns = [rng.sample([0, 1] * (GROUPS // 2), GROUPS) for _ in ANTONYMS]
        rows = list(zip(*columns, strict=True))
        if len(set(rows)) == GROUPS:
            return [
                tuple(pair[side] for pair, side in zip(ANTONYMS, row, strict=True)) for row in rows
            ]


def _spellings(rng: random.Random, pieces: int) -> dict[str, tuple[str, ...]]:
    """Make up the subjects; return each with its tokens."""
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


CELLS = tuple(f"{part} {polarity}" for part in PARTS for polarity in POLARITIES)
"""The cells in which accuracy is measured, in display order."""
_AT_ONCE = 256


def cloze(model: Any, tokenizer: Any, questions: Sequence[ClozeQuestion]) -> list[bool]:
    """Return for each question whether the word that the model ranks first makes it true."""
    texts = [question.text.replace(BLANK, tokenizer.mask_token) for question in questions]
    first = tokenizer.convert_ids_to_tokens(_first(model, tokenizer, texts, masked=True))
    return [word in question.answers for word, question in zip(first, questions, strict=True)]


def judged(model: Any, tokenizer: Any, statements: Sequence[Statement]) -> list[bool]:
    """Return for each statement whether the model classifies it correctly."""
    first = _first(model, tokenizer, [statement.text for statement in statements], masked=False)
    return [bool(label) == s.true for label, s in zip(first, statements, strict=True)]


def _first(model: Any, tokenizer: Any, texts: Sequence[str], *, masked: bool) -> list[int]:
    """Return the token at the mask, or the label, that has the highest logit in each text."""
    import torch

    training, found = model.training, []
    model.eval()
    with torch.inference_mode():
        for start in range(0, len(texts), _AT_ONCE):
            batch = tokenizer(
                list(texts[start : start + _AT_ONCE]), padding=True, return_tensors="pt"
            ).to(model.device)
            logits = model(**batch).logits
            if masked:
                logits = logits[batch["input_ids"] == tokenizer.mask_token_id]
            found += logits.argmax(-1).tolist()
    model.train(training)
    return found


def by_cell(
    items: Sequence[ClozeQuestion | Statement], right: Sequence[bool]
) -> dict[str, list[tuple[str, bool]]]:
    """Group the answers, each with its subject, by part and polarity."""
    found: dict[str, list[tuple[str, bool]]] = {cell: [] for cell in CELLS}
    for item, one in zip(items, right, strict=True):
        found[f"{item.part} {item.polarity}"].append((item.subject, one))
    return found


class Curve(TrainerCallback):  # type: ignore[misc]
    """Adds the cloze accuracy to the trainer's log at regular steps."""

    def __init__(self, corpus: BalancedCorpus, tokenizer: Any, every: int) -> None:
        self._corpus, self._tokenizer, self._every = corpus, tokenizer, every
        self._pending: dict[str, float] = {}

    def on_step_end(
        self, args: Any, state: Any, control: Any, model: Any = None, **given: Any
    ) -> None:
        """Ask all questions every `every` steps and at the end."""
        if state.global_step % self._every and state.global_step < state.max_steps:
            return
        questions = self._corpus.questions
        cells = by_cell(questions, cloze(model, self._tokenizer, questions))
        self._pending = {
            cell: sum(right for _, right in answers) / len(answers)
            for cell, answers in cells.items()
        }
        control.should_log = True

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **given: Any) -> None:
        """Add the accuracies to the log entry."""
        if self._pending and logs is not None:
            logs.update(self._pending)
            state.log_history[-1].update(self._pending)
            self._pending = {}
