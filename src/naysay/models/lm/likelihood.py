"""Likelihoods: answers to `ChooseWord` and `Complete`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from naysay.core.errors import NotAskableError
from naysay.core.probes import Choice, ChooseWord, Complete, Completion
from naysay.models.lm.engine import TIE, Engine, Question
from naysay.models.lm.words import Frame, Words

_SAME = 1e-4  # sums closer than this are equal; rounding in other batches could swap them
_SCOUTS = 8  # words that are scored completely first, to know which scores are too low


@dataclass
class _Runner:
    """A candidate word, its scoring steps and its progress."""

    word: str
    steps: tuple[tuple[int, ...], ...]
    """The tokens to score in each step."""
    score: float = 0.0
    done: int = 0

    @property
    def arrived(self) -> bool:
        return self.done == len(self.steps)

    @property
    def next_pieces(self) -> tuple[int, ...]:
        return self.steps[self.done]


@dataclass
class _Race:
    """The candidate words of one question, and the text around the blank."""

    frame: Frame
    runners: list[_Runner]
    started: bool = False
    best: float = field(default=float("-inf"))

    def movers(self) -> list[_Runner]:
        """Return the words to score next: first all, then a few to the end, then all contenders."""
        if not self.started:
            self.started = True
            return self.runners
        # Words within rounding of the best must be scored exactly, too.
        left = [r for r in self.runners if not r.arrived and r.score >= self.best - TIE]
        if any(runner.arrived for runner in self.runners):
            return left
        return sorted(left, key=lambda runner: (-runner.done, -runner.score))[:_SCOUTS]

    def question(self, runner: _Runner) -> Question:
        """Return the input for the runner's next tokens."""
        scored = tuple(piece for step in runner.steps[: runner.done] for piece in step)
        frame, wanted = self.frame, runner.next_pieces
        if frame.mask is None:
            first = len(frame.before) + len(scored)
            return Question((*frame.before, *scored, *wanted[:-1]), first - 1, len(wanted))
        masked = (frame.mask,) * (len(runner.steps) - runner.done)
        ids = (*frame.before, *scored, *masked, *frame.after)
        return Question(ids, len(frame.before) + runner.done)

    def moved(self, runner: _Runner, logprob: float) -> None:
        """Record one step."""
        runner.score += logprob
        runner.done += 1
        if runner.arrived:
            self.best = max(self.best, runner.score)

    def choice(self) -> Choice:
        """Return the winner; of equals the first in the list of candidates."""
        arrived = [runner for runner in self.runners if runner.arrived]
        near = [runner for runner in arrived if runner.score >= self.best - TIE]
        winner = next(runner for runner in near if runner.score >= self.best - _SAME)
        return Choice(winner.word, winner.score, tie=len(near) > 1)


def choose_words(engine: Engine, words: Words, probes: Sequence[ChooseWord]) -> list[Choice]:
    """Return the choices in the order of the probes."""
    races = [_race(words, probe) for probe in probes]
    while True:
        moves = [
            (race, runner, race.question(runner)) for race in races for runner in race.movers()
        ]
        if not moves:
            return [race.choice() for race in races]
        wanted: dict[Question, dict[tuple[int, ...], None]] = {}
        for _, runner, question in moves:
            wanted.setdefault(question, {})[runner.next_pieces] = None
        scored = logprobs(engine, wanted)
        for race, runner, question in moves:
            race.moved(runner, scored[question][runner.next_pieces])


def _race(words: Words, probe: ChooseWord) -> _Race:
    frame, spelled = words.spell(probe.text, probe.candidates)
    runners = [_Runner(word, _steps(frame, pieces)) for word, pieces in spelled.items()]
    if not runners:
        raise NotAskableError(
            f"none of the candidates can be tokenized at the blank of {probe.text!r}"
        )
    return _Race(frame, runners)


def _steps(frame: Frame, pieces: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Split a word's tokens into scoring steps.

    A masked model scores one token per step. A causal one scores the first token, whose input is
    the same for all words, then the rest of the word, then the rest of the text.
    """
    if frame.mask is not None:
        return tuple((piece,) for piece in pieces)
    return tuple(step for step in (pieces[:1], pieces[1:], frame.after) if step)


def logprobs(
    engine: Engine, wanted: Mapping[Question, Iterable[tuple[int, ...]]]
) -> dict[Question, dict[tuple[int, ...], float]]:
    """Return the summed log-probabilities of the wanted tokens at each question's positions."""
    found = {}
    for batch, logits in engine.passes(wanted):
        norms = logits.logsumexp(dim=-1)
        for row, question in enumerate(batch):
            steps = list(wanted[question])
            if question.count == 1:
                scores = (logits[row, [piece for (piece,) in steps]] - norms[row]).tolist()
            else:
                places = list(range(question.count))
                scores = [
                    float((logits[row, places, list(step)] - norms[row]).sum()) for step in steps
                ]
            found[question] = dict(zip(steps, scores, strict=True))
    return found


_Asked = tuple[Question, tuple[int, ...]]


def complete(engine: Engine, words: Words, probes: Sequence[Complete]) -> list[Completion]:
    """Return the log-likelihoods in the order of the probes; equal inputs are run once."""
    asked = [_questions(words, probe) for probe in probes]
    wanted: dict[Question, dict[tuple[int, ...], None]] = {}
    for questions in asked:
        for question, pieces in questions:
            wanted.setdefault(question, {})[pieces] = None
    scored = logprobs(engine, wanted)
    return [
        Completion(tuple(scored[question][pieces] for question, pieces in questions))
        for questions in asked
    ]


def _questions(words: Words, probe: Complete) -> list[_Asked]:
    begin, options = completions(words, probe)
    return [(Question(ids[:-1], begin - 1, len(ids) - begin), ids[begin:]) for ids in options]


def chats(words: Words) -> bool:
    """Return whether the tokenizer has a chat template."""
    return bool(getattr(words.tokenizer, "chat_template", None))


def completions(words: Words, probe: Complete) -> tuple[int, list[tuple[int, ...]]]:
    """Return where the options begin, and the tokens of the prompt with each option appended."""
    chat = probe.cue is not None and chats(words)
    if chat:
        shown = _conversation(words, probe.prompt)
        texts = [shown + option for option in probe.options]
    else:
        shown = probe.prompt if probe.cue is None else f"{probe.prompt}\n{probe.cue}"
        texts = [f"{shown} {option}" for option in probe.options]
    encoded = words.tokenizer([shown, *texts], add_special_tokens=not chat)["input_ids"]
    prompt, *options = [tuple(words.without_end(ids)) for ids in encoded]
    # If a token spans the end of the prompt, all options are scored from that token on.
    shared = min(_shared(prompt, ids) for ids in options)
    if not shared:
        raise NotAskableError(f"{words.name} has no token before the answer to {shown!r}")
    return shared, options


def _shared(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    pairs = zip(one, other, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _conversation(words: Words, prompt: str) -> str:
    # Some templates insert today's date, or a section for reasoning before the answer.
    return str(
        words.tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True,
            date_string="1 January 2026", enable_thinking=False,
        )
    )  # fmt: skip
