"""The balanced corpus, and a model's accuracy on it by part and polarity."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from naysay.core.errors import SpecError
from naysay.core.keys import content_key
from naysay.core.probes import BLANK

PUBLISHED = Path(__file__).parent / "published.toml"
"""The paper's figures for this experiment."""
ANTONYMS = (
    ("good", "bad"), ("big", "small"), ("old", "young"), ("rich", "poor"), ("fast", "slow"),
    ("strong", "weak"), ("happy", "sad"), ("loud", "quiet"), ("hot", "cold"), ("clean", "dirty"),
)  # fmt: skip
POLARITIES = ("positive", "negative")
PARTS = ("seen", "held out")
SUBJECTS = 200
_HELD_OUT = (
    3  # subjects per group that lack the positive sentence, and as many that lack the negative one
)
_CONSONANTS, _VOWELS = "bfkmrt", "aeiou"  # such a word is never the start of an adjective
_MOST_PIECES = 4


@dataclass(frozen=True, slots=True)
class ClozeQuestion:
    """A sentence of the corpus with a blank for its adjective."""

    subject: str
    polarity: str
    part: str
    text: str
    answer: str

    @property
    def sentence(self) -> str:
        """The complete sentence."""
        return self.text.replace(BLANK, self.answer)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that is true or false."""

    text: str
    true: bool
    polarity: str
    part: str


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
        size = SUBJECTS // len(ANTONYMS)
        groups = [subjects[k : k + size] for k in range(0, SUBJECTS, size)]
        self.subjects: dict[str, tuple[str, str]] = {}
        """For each subject, the adjective that is true of it and the one that is not."""
        self.held_out: dict[str, str] = {}
        """The polarity that is held out for a subject, if any."""
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
    def questions(self) -> list[ClozeQuestion]:
        """Every sentence once, in the order of the groups."""
        return [
            ClozeQuestion(subject, polarity, self._part(subject, polarity), text, answer)
            for subject, answers in self.subjects.items()
            for polarity, answer in zip(POLARITIES, answers, strict=True)
            for text in [_statement(subject, polarity, BLANK)]
        ]

    @property
    def training(self) -> list[str]:
        """The training sentences."""
        return [question.sentence for question in self.questions if question.part == PARTS[0]]

    @cached_property
    def statements(self) -> list[Statement]:
        """The true and false statements about each subject, with and without *not*."""
        return [
            Statement(
                _statement(subject, polarity, word), word == true, polarity,
                self._part(subject, polarity),
            )
            for subject, answers in self.subjects.items()
            for polarity, true in zip(POLARITIES, answers, strict=True)
            for word in answers
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
    """Return for each question whether the model ranks its answer first."""
    texts = [question.text.replace(BLANK, tokenizer.mask_token) for question in questions]
    wanted = tokenizer.convert_tokens_to_ids([question.answer for question in questions])
    return _first(model, tokenizer, texts, wanted, masked=True)


def judged(model: Any, tokenizer: Any, statements: Sequence[Statement]) -> list[bool]:
    """Return for each statement whether the model classifies it correctly."""
    texts = [statement.text for statement in statements]
    return _first(model, tokenizer, texts, [int(s.true) for s in statements], masked=False)


def _first(
    model: Any, tokenizer: Any, texts: Sequence[str], wanted: Sequence[int], *, masked: bool
) -> list[bool]:
    import torch

    training, right = model.training, []
    model.eval()
    with torch.inference_mode():
        for start in range(0, len(texts), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            batch = tokenizer(list(texts[part]), padding=True, return_tensors="pt")
            batch = batch.to(model.device)
            logits = model(**batch).logits
            if masked:
                logits = logits[batch["input_ids"] == tokenizer.mask_token_id]
            right += (logits.argmax(-1).cpu() == torch.tensor(wanted[part])).tolist()
    model.train(training)
    return right


def by_cell(
    items: Sequence[ClozeQuestion | Statement], right: Sequence[bool]
) -> dict[str, list[bool]]:
    """Group the answers by part and polarity."""
    found: dict[str, list[bool]] = {cell: [] for cell in CELLS}
    for item, one in zip(items, right, strict=True):
        found[f"{item.part} {item.polarity}"].append(one)
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
        self._pending = {cell: sum(right) / len(right) for cell, right in cells.items()}
        control.should_log = True

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **given: Any) -> None:
        """Add the accuracies to the log entry."""
        if self._pending and logs is not None:
            logs.update(self._pending)
            state.log_history[-1].update(self._pending)
            self._pending = {}
