"""Answers to `ChooseWord`: the likeliest of several words, which may have several pieces.

A word's score is a sum of log-probabilities, one for each step of spelling it, and no step can
raise it. So words are spelled a step at a time, the best first, and one is given up as soon as it
has fallen behind a word that is spelled to its end. Steps that words share are run once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from naysay.errors import NotAskableError
from naysay.probes import Choice, ChooseWord
from naysay.transformer.batches import Question
from naysay.transformer.engine import Engine
from naysay.transformer.reading import TIE
from naysay.transformer.words import Frame, Words

_AT_ONCE = 8  # words that a question spells on at once


@dataclass
class _Runner:
    """A word on its way."""

    word: str
    pieces: tuple[int, ...]
    """All pieces that are scored: the word's own, and for causal models those that follow."""
    score: float = 0.0
    done: int = 0

    @property
    def arrived(self) -> bool:
        return self.done == len(self.pieces)


@dataclass
class _Race:
    """The words of one question, and the text they stand in."""

    frame: Frame
    runners: list[_Runner]
    started: bool = False
    best: float = field(default=float("-inf"))

    def movers(self) -> list[_Runner]:
        """Who has to make a step: all at first, then the best of those not yet behind."""
        if not self.started:
            self.started = True
            return self.runners
        # What is within rounding of the best must be known exactly too.
        left = [r for r in self.runners if not r.arrived and r.score >= self.best - TIE]
        return sorted(left, key=lambda runner: -runner.score)[:_AT_ONCE]

    def question(self, runner: _Runner) -> Question:
        """What the model is shown before the runner's next piece."""
        said = runner.pieces[: runner.done]
        if self.frame.mask is None:
            ids = (*self.frame.before, *said)
            return Question(ids, len(ids) - 1)
        left = (self.frame.mask,) * (len(runner.pieces) - runner.done)
        ids = (*self.frame.before, *said, *left, *self.frame.after)
        return Question(ids, len(self.frame.before) + runner.done)

    def moved(self, runner: _Runner, logprob: float) -> None:
        """Note one step."""
        runner.score += logprob
        runner.done += 1
        if runner.arrived:
            self.best = max(self.best, runner.score)

    def choice(self) -> Choice:
        """The winner; of equals the first in the list of candidates."""
        arrived = [runner for runner in self.runners if runner.arrived]
        near = [runner for runner in arrived if runner.score >= self.best - TIE]
        winner = max(near, key=lambda runner: runner.score)
        return Choice(winner.word, winner.score, tie=len(near) > 1)


def choose_words(engine: Engine, words: Words, probes: Sequence[ChooseWord]) -> list[Choice]:
    """The choices in the order of the probes."""
    races = [_race(words, probe) for probe in probes]
    while True:
        moves = [
            (race, runner, race.question(runner)) for race in races for runner in race.movers()
        ]
        if not moves:
            return [race.choice() for race in races]
        wanted: dict[Question, dict[int, None]] = {}
        for _, runner, question in moves:
            wanted.setdefault(question, {})[runner.pieces[runner.done]] = None
        scored = _logprobs(engine, wanted)
        for race, runner, question in moves:
            race.moved(runner, scored[question][runner.pieces[runner.done]])


def _race(words: Words, probe: ChooseWord) -> _Race:
    frame, spelled = words.spell(probe.text, probe.candidates)
    follow = frame.after if frame.mask is None else ()
    runners = [_Runner(word, (*pieces, *follow)) for word, pieces in spelled.items()]
    if not runners:
        raise NotAskableError(
            f"none of the candidates can be spelled at the blank of {probe.text!r}"
        )
    return _Race(frame, runners)


def _logprobs(
    engine: Engine, wanted: Mapping[Question, Iterable[int]]
) -> dict[Question, dict[int, float]]:
    """The log-probabilities of the wanted pieces at each question's place."""
    found = {}
    for batch, logits in engine.passes(wanted):
        norms = logits.logsumexp(dim=-1)
        for row, question in enumerate(batch):
            pieces = list(wanted[question])
            scores = (logits[row, pieces] - norms[row]).tolist()
            found[question] = dict(zip(pieces, scores, strict=True))
    return found
