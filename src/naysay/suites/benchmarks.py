"""What a suite brings to be timed by `naysay bench`: its procedure as it was released.

A suite that is timed has a file `benchmark.py` beside it, which defines `BENCHMARK`. It says on
which models the suite is timed and how the released program asks; naysay's own way is the suite's
`fit` and `probe`, as in every run. Nothing here is loaded by a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from naysay.core.probes import FillBlank
from naysay.suites.protocol import Setting, Suite

Answers = Mapping[Any, tuple[Any, ...]]
"""By question what was answered; a part of an answer that a way does not give is None."""


@dataclass(frozen=True, kw_only=True)
class LikeModel:
    """A model of real size that a suite is timed on."""

    name: str = ""
    """The model of the suite's paper that it answers like; empty if answers do not matter."""
    share: float | None = None
    """The share of verbs that it repeats, if that decides how much is asked."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The suite's options that come nearest to what its paper asked this model."""
    verbs: int | None = None
    """How many verbs the paper had for this model; all that the suite has if None."""


@dataclass(frozen=True, kw_only=True)
class Released:
    """A way to ask that others have released, as steps that can be timed in part."""

    name: str
    steps: Sequence[Any]
    """All that is asked, in order."""
    open: Callable[[], Callable[[Sequence[Any]], Answers]] | None = None
    """Loads the model, and returns what answers some of the steps.

    None for questions that are asked one sentence at a time, with the head at all positions.
    """
    passes: int = 1
    """The texts that the model computes in each step."""
    timed: int | None = None
    """How many steps are timed in each round; all if None."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What a piece of naysay's own work may take on a run of the whole suite."""

    seconds: float
    megabytes: float | None = None


class Benchmark(Protocol):
    """The released procedure of a suite, and what naysay is held against."""

    kind: str
    """The kind of model that it is timed on: `masked`, or `sentence` for embedders."""
    models: tuple[LikeModel, ...]
    least: float
    """How many times as fast as the first released way naysay should be."""
    units: int | None
    """How many units are asked; all if None."""
    few: int
    """How many in a quick run."""
    passes: str
    """What its passes are called."""
    variants: Mapping[str, Mapping[str, Any]]
    """Options of the suite by the name of a way: slower ones with the same result."""
    judged: Bounds | None
    """The bounds of judging a run at full size, if that is measured."""
    repeated: Bounds | None
    """The bounds of repeating the command of such a run, if that is measured."""

    def released(self, folder: Path, setting: Setting, rows: Sequence[Any]) -> Iterable[Released]:
        """The released ways to ask the model in a folder; the first is the one to be beaten.

        `rows` are what naysay has recorded of the same model, for procedures that go on from
        what was answered.
        """

    def answers(self, rows: Sequence[Any]) -> Answers:
        """The answers in naysay's rows, by the questions of the released ways."""

    def computed(self, rows: Sequence[Any], questions: int) -> int:
        """How many texts naysay's model computed for these rows, after so many questions."""

    def kept(self, rows: Sequence[Any]) -> frozenset[Any]:
        """What the procedure goes on with, if it selects: the same in every way."""


@runtime_checkable
class SentenceSource(Protocol):
    """A benchmark whose sentences are also those of parts that time no suite."""

    def questions(self, number: int, setting: Setting) -> list[FillBlank]:
        """Distinct questions; the word that each asks about is not in its text."""

    def continuations(self, setting: Setting, each: int) -> list[tuple[str, str]]:
        """Contexts, each with so many sentences that continue it."""


def benchmark_of(suite: Suite) -> Benchmark | None:
    """Return what the file `benchmark.py` beside a suite defines; None if there is none."""
    package = type(suite).__module__.rpartition(".")[0]
    if not package or find_spec(f"{package}.benchmark") is None:
        return None
    found: Benchmark = import_module(f"{package}.benchmark").BENCHMARK
    return found


class Timed:
    """What most benchmarks have in common."""

    kind = "masked"
    models: tuple[LikeModel, ...] = (LikeModel(),)
    units: int | None = None
    few = 1
    passes = "passes"
    variants: Mapping[str, Mapping[str, Any]] = {}
    judged: Bounds | None = None
    repeated: Bounds | None = None

    def computed(self, rows: Sequence[Any], questions: int) -> int:
        """One text for each question."""
        return questions

    def kept(self, rows: Sequence[Any]) -> frozenset[Any]:
        """Nothing is selected."""
        return frozenset()
