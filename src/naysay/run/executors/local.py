"""The executor that asks in this process, one shard after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeVar

from naysay.core.console import Progress
from naysay.core.protocols import Model
from naysay.core.records import Fit
from naysay.run.executors.shards import ShardRows, ask_shard
from naysay.run.plan import Plan, Shard

T = TypeVar("T")


@dataclass(frozen=True)
class ThisProcess:
    """This process as the only worker of a run."""

    plan: Plan
    model: Model
    progress: Progress

    def ask(self, shards: Sequence[Shard], fits: Mapping[str, Fit]) -> Iterator[ShardRows]:
        """Ask the shards in their order."""
        for shard in shards:
            setting, fit = self.plan.settings[shard.suite], fits[shard.suite]
            yield ask_shard(shard, setting, fit, self.model, self.progress)


class Local:
    """Places all shards in this process."""

    together = False

    def start(self, run: Callable[[], T]) -> Future[T]:
        """Do the run; what it raises is in the result, but for what ends the process."""
        result: Future[T] = Future()
        try:
            result.set_result(run())
        except Exception as error:
            result.set_exception(error)
        return result

    def workers(
        self, plan: Plan, model: Model, progress: Progress
    ) -> AbstractContextManager[ThisProcess]:
        """Return this process."""
        return nullcontext(ThisProcess(plan, model, progress))

    def __enter__(self) -> Local:
        return self

    def __exit__(self, *ended: object) -> None:
        """Nothing was started."""


LOCAL = Local()
