"""Items asked once more, for the model's first words and how likely they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from naysay.examples.item import Item, Side
from naysay.probes import Choice, ChooseWord, Fill, FillBlank
from naysay.protocols import Model

DIGITS = 6


def with_scores(model: Model, items: Sequence[Item]) -> list[Item]:
    """The items with their main sides only, each with its first words and scores."""
    sides = [side for item in items for side in item.main]
    asked = [side for side in sides if side.question is not None]
    more = [side for side in asked if side.also and isinstance(side.question, FillBlank)]
    # Questions after other words come along: what they share with the first ones is run once.
    probes: list[Any] = [side.question for side in asked] + [_with_more(side) for side in more]
    answers = model.ask(probes) if probes else []
    first, second = answers[: len(asked)], answers[len(asked) :]
    extra = {id(side): answer for side, answer in zip(more, second, strict=True)}
    filled = {
        id(side): _filled(side, answer, extra.get(id(side)))
        for side, answer in zip(asked, first, strict=True)
    }
    return [
        replace(item, sides=tuple(filled.get(id(side), side) for side in item.main))
        for item in items
    ]


def differing(items: Sequence[Item]) -> list[tuple[Item, Side]]:
    """The sides whose first word is not the row's answer, though nothing was a tie."""
    return [
        (item, side)
        for item in items
        for side in item.sides
        if side.top and not side.tie and side.top[0][0] != side.answer
    ]


def probability(logprob: float) -> float:
    """A probability as it is written; further digits depend on the batch.

    >>> probability(0.0), probability(-99.0)
    (1.0, 0.0)
    """
    return round(math.exp(logprob), DIGITS)


def _with_more(side: Side) -> FillBlank:
    assert isinstance(side.question, FillBlank)
    return replace(side.question, words=(*side.question.words, *side.also), top_k=1)


def _filled(side: Side, answer: Fill | Choice, more: Fill | None) -> Side:
    if isinstance(answer, Choice):
        assert isinstance(side.question, ChooseWord)
        best = (answer.best, probability(answer.logprob))
        return replace(side, top=(best,), scores=dict((best,)))
    assert isinstance(side.question, FillBlank)
    words, scores = side.question.words, answer.scores
    if more is not None:
        words, scores = (*words, *side.also), more.scores
    return replace(
        side,
        top=tuple((guess.word, probability(guess.logprob)) for guess in answer.top),
        scores={
            word: probability(score)
            for word, score in zip(words, scores, strict=False)  # some models give no scores
            if score is not None
        },
    )
