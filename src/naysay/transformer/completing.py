"""Answers to `Complete`: how likely each option is after the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.probes import Complete, Completion
from naysay.transformer.batches import Question
from naysay.transformer.choosing import logprobs
from naysay.transformer.engine import Engine
from naysay.transformer.words import Words

_Asked = tuple[Question, tuple[int, ...]]


def complete(engine: Engine, words: Words, probes: Sequence[Complete]) -> list[Completion]:
    """The log-likelihoods in the order of the probes; what several of them ask is run once."""
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
    begin, options = words.completions(probe)
    return [(Question(ids[:-1], begin - 1, len(ids) - begin), ids[begin:]) for ids in options]
