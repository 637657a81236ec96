"""Executors: where the shards of a run are asked. They decide nothing else, and no row differs.

An executor gives each run its workers. The runner has them ask shards, and puts what comes back
into the run's folder; no worker writes there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeVar

from naysay.core.console import Progress
from naysay.core.protocols import Model
from naysay.core.records import Fit
from naysay.core.spec import RAY, RunSpec
from naysay.run.executors.local import LOCAL
from naysay.run.executors.shards import ShardRows
from naysay.run.plan import Plan, Shard

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["LOCAL", "Executor", "ShardRows", "Workers", "executor_of"]
T = TypeVar("T")


class Workers(Protocol):
    """Those who ask for one run."""

    @property
    def model(self) -> Model:
        """The model, for the questions that are in no shard: fits and examples."""

    def ask(self, shards: Sequence[Shard], fits: Mapping[str, Fit]) -> Iterator[ShardRows]:
        """Ask the shards, and yield the rows of each as soon as it is done, in any order."""


class Executor(Protocol):
    """Places the shards of runs."""

    together: bool
    """Whether the suites of a run are asked at the same time, not one after another."""

    def workers(
        self, plan: Plan, model: Model, progress: Progress
    ) -> AbstractContextManager[Workers]:
        """Return the workers of a run, until it ends."""

    def start(self, run: Callable[[], T]) -> Future[T]:
        """Start one of several runs; return when there is room for the next one."""

    def __enter__(self) -> Executor: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...  # fmt: skip


def executor_of(spec: RunSpec) -> Executor:
    """Return the executor that the spec names; it starts nothing before it is entered."""
    if spec.executor != RAY:
        return LOCAL
    from naysay.core.extras import need

    need("cluster", "--executor ray")
    from naysay.run.executors.cluster import Cluster

    return Cluster(spec)
