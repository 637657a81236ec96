"""Timing ways in turns: every round runs each way once, and its best round counts."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from naysay.bench.results import Timing
from naysay.core.console import counted
from naysay.suites.benchmarks import Answers

_NEAR = 2e-3
"""How far two log-probabilities may lie apart by rounding."""


@dataclass(frozen=True)
class Round:
    """What a way did in one round."""

    passes: int
    answers: Answers


@dataclass
class Way:
    """A way to ask, and how it went."""

    name: str
    run: Callable[[int], Round]
    """Asks in a round of this number."""
    whole: int | None = None
    """The passes that everything takes, if a round is only a part of it."""
    prepare: Callable[[], object] = lambda: None
    """What happens before each round, and is not timed."""
    once: bool = False
    """Whether it takes so long that it runs in the first round only."""
    missing: str = ""
    """Why it cannot be run."""
    best: tuple[float, int] | None = None
    """Seconds and passes of the best round."""
    answers: dict[Any, tuple[Any, ...]] = field(default_factory=dict)

    def take(self, number: int) -> None:
        """Run a round."""
        self.prepare()
        clock = clock_of()[1]
        begun = clock()
        done = self.run(number)
        seconds = clock() - begun
        self.answers.update(done.answers)
        if self.best is None or seconds * self.best[1] < self.best[0] * done.passes:
            self.best = seconds, done.passes

    def timing(self, reference: Answers) -> Timing:
        """How it went, with its answers beside those of another way."""
        if self.best is None:
            return Timing(way=self.name, missing=self.missing or "not run")
        seconds, timed = self.best
        whole = timed if self.whole is None else self.whole
        both = [question for question in self.answers if question in reference]
        same = sum(agree(self.answers[question], reference[question]) for question in both)
        return Timing(
            way=self.name, passes=whole, timed=min(timed, whole), seconds=seconds * whole / timed,
            same=same, compared=len(both),
        )  # fmt: skip


def take_turns(ways: Sequence[Way], rounds: int, doing: str) -> tuple[Timing, ...]:
    """Run all ways in turns, and compare the answers of each with those of the ways before it.

    A way of another library that fails is left out, with the reason.
    """
    turns = [(number, way) for number in range(rounds) for way in ways]
    for number, way in counted(turns, doing):
        if way.missing or (way.once and number):
            continue
        try:
            way.take(number)
        except Exception as error:
            if way.name.startswith("naysay"):
                raise
            way.missing = failure(error)
            way.best = None
    found, known = [], dict(ways[0].answers)
    for way in ways:
        found.append(way.timing(known))
        known = {**way.answers, **known}
    return tuple(found)


def clock_of() -> tuple[str, Callable[[], float]]:
    """What seconds are, and the clock that tells them.

    With one thread the processor's own seconds are those of an idle machine, however busy it is.
    """
    if os.environ.get("OMP_NUM_THREADS") == "1":
        return "of the processor", time.process_time
    return "by the clock", time.perf_counter


def failure(error: Exception) -> str:
    """Why a way of another library could not be run, in a line."""
    if isinstance(error, ModuleNotFoundError):
        return f"{str(error.name).partition('.')[0]} is not installed"
    return f"fails here: {' '.join(f'{type(error).__name__}: {error}'.split())[:120]}"


def attempt(name: str, make: Callable[[], Way]) -> Way:
    """Make a way of another library; without the library, a way that says so."""
    try:
        return make()
    except Exception as error:
        return Way(name, lambda number: Round(0, {}), missing=failure(error))


def spread_out(passes: Sequence[Any], wanted: int, number: int = 0) -> list[Any]:
    """Some of the passes, evenly over all of them, and others in each round.

    >>> spread_out(range(10), 3), spread_out(range(10), 3, 1)
    ([0, 3, 6], [1, 4, 7])
    """
    if wanted >= len(passes):
        return list(passes)
    places = (k * len(passes) // wanted + number for k in range(wanted))
    return [passes[place % len(passes)] for place in places]


def agree(one: Collection[Any], other: Collection[Any]) -> bool:
    """Whether two answers are the same in all parts that both have.

    >>> agree(("run", None), ("run", -3.2)), agree((None, -3.2001), ("walk", -3.2))
    (True, True)
    """
    return all(
        math.isclose(a, b, rel_tol=_NEAR, abs_tol=_NEAR) if isinstance(a, float) else a == b
        for a, b in zip(one, other, strict=True)
        if a is not None and b is not None
    )
