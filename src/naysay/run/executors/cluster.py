"""The executor that asks on a Ray cluster: several workers, each with the model loaded once.

The rows come back as bytes, and the driver, the process that was started, writes them. So workers
need no folder in common, and a run has one writer; shards are a few hundred kilobytes.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from naysay.core.console import Progress
from naysay.core.errors import RunError, SpecError
from naysay.core.probes import Answer, Pieces, Probe
from naysay.core.protocols import Model, Priced
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.run.executors.pool import Job, Pool, RunWork, first_line
from naysay.run.executors.shards import ShardRows
from naysay.run.executors.worker import Opening, SuiteWork, files_of
from naysay.run.metering import Watched
from naysay.run.plan import Plan, Shard

_PART = 64 * 2**20  # bytes of a file in one object
_GREETING = 10.0  # seconds that a cluster has to answer
_FAREWELL = 5.0  # seconds that an interrupted run has to end
T = TypeVar("T")


class Cluster:
    """Places shards on the workers of a Ray cluster, which is joined when it is needed first."""

    together = True

    def __init__(self, spec: RunSpec) -> None:
        self._spec = spec
        self._pool: Pool | None = None
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._placed = threading.Event()

    @property
    def pool(self) -> Pool:
        """The workers, started when they are needed first."""
        with self._lock:
            if self._pool is None:
                spec = self._spec
                _prepare(spec)
                self._pool = Pool(
                    partial(_join, spec), spec.workers, spec.cpus_per_worker, spec.gpus_per_worker
                )
            return self._pool

    def start(self, run: Callable[[], T]) -> Future[T]:
        """Start a run beside the others, as soon as those leave workers without work."""
        result: Future[T] = Future()

        def follow() -> None:
            try:
                result.set_result(run())
            except BaseException as error:
                result.set_exception(error)
            finally:
                self._placed.set()

        self._placed.clear()
        thread = threading.Thread(target=follow, name="naysay-run", daemon=True)
        self._threads.append(thread)
        thread.start()
        self._placed.wait()
        if self._pool is not None:
            self._pool.wait_until_hungry()
        return result

    def placed(self) -> None:
        """Note that all shards of the run that was started last are in the queue."""
        self._placed.set()

    @contextlib.contextmanager
    def workers(self, plan: Plan, model: Model, progress: Progress) -> Iterator[RemoteWorkers]:
        """Return the workers of a run, until it ends."""
        if isinstance(model, Priced):
            raise SpecError(
                f"{model.name} answers many questions at a time by itself: ask it without "
                "--executor ray, and with a larger --concurrency"
            )
        remote = RemoteWorkers(self, plan, model, progress)
        try:
            yield remote
        finally:
            remote.release()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *ended: object) -> None:
        """End the workers, and the cluster if it was started here."""
        if self._pool is not None:
            self._pool.close()
            for thread in self._threads:  # they hear that there are no workers any more
                thread.join(_FAREWELL)


def _prepare(spec: RunSpec) -> None:
    """Check the address, and set what Ray reads when it is imported."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    if (address := _address(spec)) is not None:
        _check_address(address)
    else:
        # Ray's name for: this machine alone. Else its ports, which run code, are open to others.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        # Its workers would give way to everything else here; this process would not.
        os.environ.setdefault("RAY_worker_niceness", "0")


def _address(spec: RunSpec) -> str | None:
    return spec.address or os.environ.get("RAY_ADDRESS")


def _join(spec: RunSpec) -> None:
    """Join the cluster at the address, or start one on this machine for this process alone."""
    import ray

    address = _address(spec)
    given: dict[str, Any] = {"address": address}
    if address is None:
        given = {
            "address": "local",
            "num_cpus": max(os.cpu_count() or 1, (spec.workers or 0) * spec.cpus_per_worker),
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",
        }
    # It writes about lost workers to standard output, where results are; the pool tells it.
    ray._private.worker.print_to_stdstream = lambda *_, **__: None
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **given)
    except Exception as error:  # it raises many kinds, some of its own
        where = f"the Ray cluster at {address}" if address else "a Ray cluster on this machine"
        raise RunError(f"{where} cannot be used: {first_line(error)}") from error


def _check_address(address: str) -> None:
    """Refuse an address at which nothing answers; Ray itself would try it for minutes."""
    if "://" in address:
        raise SpecError(
            f"--address {address}: give HOST:PORT of the cluster's head, and start naysay on one "
            "of the cluster's nodes"
        )
    host, colon, port = address.rpartition(":")
    if not colon:  # as `auto`, which Ray resolves
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_GREETING).close()
    except (OSError, ValueError) as error:
        raise RunError(f"no Ray cluster answers at {address}: {first_line(error)}") from error


class RemoteWorkers:
    """The cluster's workers, asking for one run."""

    def __init__(self, cluster: Cluster, plan: Plan, model: Model, progress: Progress) -> None:
        self._cluster, self._plan, self._progress = cluster, plan, progress
        self._run: RunWork | None = None
        self._digest = model.digest
        self.model = RemoteModel(model, self)

    def _opened(self) -> tuple[Pool, RunWork]:
        pool = self._cluster.pool
        if self._run is None:
            plan, size = self._plan, self._plan.spec.shard_size
            shards = sum(len(plan.shards(suite, size)) for suite in plan.suites)
            opening = Opening(plan.spec, self._digest)
            self._run = RunWork(opening, self._progress.note, self._send, shards=shards)
            pool.open(self._run)
        return pool, self._run

    def _send(self) -> Opening | None:
        """Put the model's files into the object store, from which each node fetches them once."""
        import ray

        spec = self._plan.spec
        files = files_of(spec.model, bool(spec.value("allow_pickle")))
        if not files:
            return None
        self._progress.note(f"sending the files of {spec.model} to the workers, which lack them")
        sent = {}
        for name, path in files.items():
            with path.open("rb") as stream:
                parts = iter(lambda: stream.read(_PART), b"")  # read at once
                sent[name] = tuple(ray.put(part) for part in parts)
        return Opening(spec, self._digest, sent)

    def call(self, method: str, *given: Any, **named: Any) -> Any:
        """Call a method of the model on a worker, and wait."""
        pool, run = self._opened()
        job = Job(run, "the model", "call", (method, *given), named, urgent=True)
        pool.submit([job])
        return job.result.result()

    def ask(self, shards: Sequence[Shard], fits: Mapping[str, Fit]) -> Iterator[ShardRows]:
        """Have the shards asked, in their order, by whoever is free."""
        if not shards:
            self._cluster.placed()
            return
        import ray

        pool, run = self._opened()
        works = {}
        for name in dict.fromkeys(shard.suite for shard in shards):
            setting = self._plan.settings[name]
            work = SuiteWork(setting.spec, name, setting.lexicon, fits[name])
            works[name] = ray.put(work)
        done: queue.SimpleQueue[Future[ShardRows]] = queue.SimpleQueue()
        jobs = [Job(run, shard.file, "ask", (shard, works[shard.suite])) for shard in shards]
        for job in jobs:
            job.result.add_done_callback(done.put)
        pool.submit(jobs)
        self._cluster.placed()
        for _ in jobs:
            rows = done.get().result()
            self._progress.asked(rows.record["questions"])
            yield rows

    def release(self) -> None:
        """End the run."""
        if self._run is not None:
            self._cluster.pool.release(self._run)


class RemoteModel(Watched):
    """A model that is loaded on workers; here, only its name and its hash are known."""

    def __init__(self, model: Model, workers: RemoteWorkers) -> None:
        super().__init__(model)
        self._workers = workers

    def prepare(self) -> None:
        """Load the model on a worker."""
        self._workers.call("facts")

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Return what the model answers on a worker."""
        found: list[Answer] = self._workers.call("ask", list(probes))
        return found

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """Return what the model returns on a worker."""
        found: dict[str, Pieces] = self._workers.call("single_pieces", list(words), text, bare=bare)
        return found

    def facts(self) -> dict[str, Any]:
        """Return what the model returns on a worker."""
        found: dict[str, Any] = self._workers.call("facts")
        return found
