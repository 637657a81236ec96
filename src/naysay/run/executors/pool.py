"""The workers on a cluster, and the queue of what they are to do.

One thread owns all of it and acts on events: something was asked for, or a worker is done or lost.
A worker has one job at a time, so that is all that is lost with it; the job goes back to the head
of the queue, for any worker. Ray itself would repeat it on the same actor, which may wait for a
node that never comes back.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from naysay.core import VERSION
from naysay.core.errors import RunError
from naysay.run.executors.worker import LackingWeights, Opening, Refusal, Worker

DEATHS = 5
"""How many workers may die of the same job, or at their start."""
_TICK = 2.0  # seconds after which the cluster is looked at again
_PATIENCE = 20.0  # seconds without any worker, before the user is told


@dataclass(eq=False)
class RunWork:
    """A run that has jobs on the cluster."""

    opening: Opening
    note: Callable[[str], None]
    """Tells the user something."""
    send: Callable[[], Opening | None]
    """Puts the model's files where workers can fetch them; None if there are no files."""
    shards: int = 0
    """How many it has in all, so that workers start before it can tell which."""
    sent: bool = False


@dataclass(eq=False)
class Job:
    """Something to do for a run, on any worker."""

    run: RunWork
    title: str
    method: str
    given: tuple[Any, ...]
    named: dict[str, Any] = field(default_factory=dict)
    urgent: bool = False
    """Whether the run can do nothing else before."""
    result: Future[Any] = field(default_factory=Future)
    deaths: int = 0


@dataclass(eq=False)
class _Hand:
    """A worker as the pool sees it."""

    actor: Any
    ready: bool = False
    node: str = ""
    job: Job | None = None
    run: RunWork | None = None
    """The run whose model it has loaded."""


class Pool:
    """Gives jobs to workers, and replaces workers that are lost."""

    def __init__(
        self, join: Callable[[], None], wanted: int | None, cpus: int, gpus: float
    ) -> None:
        """Have `join` called, which connects to Ray, and be ready for jobs."""
        import ray

        self._ray, self._wanted, self._cpus, self._gpus = ray, wanted, cpus, gpus
        self._kind = ray.remote(Worker).options(
            num_cpus=cpus, num_gpus=gpus, max_restarts=0, max_task_retries=0
        )
        self._events: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._jobs: list[Job] = []
        self._hands: list[_Hand] = []
        self._runs: list[RunWork] = []
        self._silence = 0.0
        self._stillborn = 0
        self._waiting: list[threading.Event] = []
        self._stopped = threading.Event()
        joined: Future[None] = Future()
        # A cluster that is started here ends with the thread that started it, so it is this one.
        self._thread = threading.Thread(
            target=self._live, args=(join, joined), name="naysay-pool", daemon=True
        )
        self._thread.start()
        joined.result()

    def _live(self, join: Callable[[], None], joined: Future[None]) -> None:
        try:
            join()
        except BaseException as error:
            joined.set_exception(error)
            return
        joined.set_result(None)
        self._serve()
        for hand in self._hands:
            self._ray.kill(hand.actor)
        self._ray.shutdown()

    def open(self, run: RunWork) -> None:
        """Begin a run."""
        self._events.put(lambda: self._runs.append(run))

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue jobs of a run; their results come as they are done."""
        self._events.put(lambda: self._jobs.extend(jobs))
        if self._stopped.is_set():  # nobody looks at the queue any more
            self._fail(jobs, RunError("the workers were stopped"))

    def release(self, run: RunWork) -> None:
        """End a run, and forget what it still has in the queue."""
        self._events.put(lambda: self._forget(run))

    def wait_until_hungry(self) -> None:
        """Return when fewer jobs are in the queue than there are workers."""
        hungry = threading.Event()
        self._events.put(lambda: self._waiting.append(hungry))
        hungry.wait()

    def close(self) -> None:
        """End all workers, and leave the cluster."""
        self._events.put(None)
        self._thread.join()

    def _serve(self) -> None:
        fault: BaseException | None = None
        while (event := self._next()) is not None:
            try:
                event()
                if fault is None:
                    self._grow()
                    self._dispatch()
            except BaseException as error:  # whoever waits must hear of it
                fault = fault or error
            if fault is not None:
                self._fail(self._jobs, fault)
                self._jobs = []
            if len(self._jobs) < max(1, len(self._hands)):
                while self._waiting:
                    self._waiting.pop().set()
        self._stopped.set()
        busy = [hand.job for hand in self._hands if hand.job is not None]
        self._fail([*self._jobs, *busy], RunError("the workers were stopped"))

    def _fail(self, jobs: Sequence[Job], error: BaseException) -> None:
        for job in jobs:
            if not job.result.done():
                job.result.set_exception(error)

    def _next(self) -> Callable[[], None] | None:
        try:
            event = self._events.get(timeout=_TICK)
        except queue.Empty:
            return self._look
        self._silence = 0.0
        return event

    def _look(self) -> None:
        """Nothing happens: tell the user, if that is because there is no worker."""
        self._silence += _TICK
        if self._jobs and self._silence == _PATIENCE and not any(h.ready for h in self._hands):
            self._jobs[0].run.note(
                f"waiting for the cluster: no node has {self._needs()} free for a worker"
            )

    def _needs(self) -> str:
        gpus = f" and {self._gpus:g} GPUs" if self._gpus else ""
        return f"{self._cpus} CPU{'s' if self._cpus > 1 else ''}{gpus}"

    def _forget(self, run: RunWork) -> None:
        self._runs.remove(run)
        self._jobs = [job for job in self._jobs if job.run is not run]

    def _grow(self) -> None:
        """Start as many workers as there is work and room for; nodes may join at any time."""
        outstanding = len(self._jobs) + sum(hand.job is not None for hand in self._hands)
        outstanding = max([outstanding, *(run.shards for run in self._runs)])
        if outstanding <= len(self._hands) or not self._jobs:
            return
        wanted = self._wanted or max(self._room(), 1)
        run = self._jobs[0].run
        for _ in range(min(wanted, outstanding) - len(self._hands)):
            hand = _Hand(self._kind.remote(self._cpus), run=run)
            self._hands.append(hand)
            self._when_done(hand.actor.hello.remote(run.opening), partial(self._started, hand))

    def _room(self) -> int:
        """How many workers the nodes of the cluster have room for, if nobody else uses them."""
        room = 0
        for node in self._ray.nodes():
            if node["Alive"]:
                has = node["Resources"]
                fits = has.get("CPU", 0) // self._cpus
                if self._gpus:
                    fits = min(fits, has.get("GPU", 0) / self._gpus)
                room += int(fits)
        return room

    def _when_done(self, reference: Any, act: Callable[[Any], None]) -> None:
        def enqueue(done: Any) -> None:
            self._events.put(lambda: act(done))

        reference.future().add_done_callback(enqueue)

    def _started(self, hand: _Hand, done: Any) -> None:
        error = done.exception()
        if error is None:
            version, hand.node = done.result()
            if version != VERSION:
                raise RunError(
                    f"a node of the cluster has naysay {version}, this one {VERSION}: "
                    "install the same version on both"
                )
            hand.ready = True
            self._stillborn = 0
        elif hand in self._hands:
            self._lose(hand, error)
            self._stillborn += 1
            if self._stillborn == DEATHS:
                raise RunError(f"{DEATHS} workers in a row could not start: {first_line(error)}")

    def _dispatch(self) -> None:
        for hand in self._hands:
            if hand.ready and hand.job is None and (job := self._job_for(hand)) is not None:
                self._jobs.remove(job)
                hand.job, hand.run = job, job.run
                method = getattr(hand.actor, job.method)
                reference = method.remote(job.run.opening, *job.given, **job.named)
                self._when_done(reference, partial(self._finished, hand, job))

    def _job_for(self, hand: _Hand) -> Job | None:
        """The next job of the run whose model is loaded, or else of the first run that has any.

        Each run keeps a worker with its model until it ends.
        """
        own = [job for job in self._jobs if job.run is hand.run]
        kept = hand.run in self._runs and not any(
            other.run is hand.run for other in self._hands if other is not hand
        )
        found = own if own or kept else self._jobs
        return next((job for job in found if job.urgent or job.deaths), found[0] if found else None)

    def _finished(self, hand: _Hand, job: Job, done: Any) -> None:
        from ray.exceptions import RayError, RayTaskError

        hand.job = None
        error = done.exception()
        if error is None:
            self._answered(job, done.result())
        elif isinstance(error, RayTaskError) or not isinstance(error, RayError):
            job.result.set_exception(error)
        else:
            self._lose(hand, error, job)

    def _answered(self, job: Job, answer: Any) -> None:
        if not isinstance(answer, LackingWeights | Refusal):
            job.result.set_result(answer)
            return
        refusal = answer.why if isinstance(answer, LackingWeights) else answer
        if isinstance(answer, LackingWeights):
            if not job.run.sent:
                job.run.sent = True
                job.run.opening = job.run.send() or job.run.opening
            if job.run.opening.files:
                self._jobs.insert(0, job)
                return
        job.result.set_exception(refusal.error)

    def _lose(self, hand: _Hand, error: BaseException, job: Job | None = None) -> None:
        """Forget a worker; its job is done again, unless it seems to be the cause."""
        self._hands.remove(hand)
        if job is None or job.run not in self._runs:
            return
        alive = {node["NodeID"] for node in self._ray.nodes() if node["Alive"]}
        job.deaths += hand.node in alive  # a node that is gone is not the job's fault
        if job.deaths < DEATHS:
            job.run.note(f"a worker was lost: {job.title} is asked again")
            self._jobs.insert(0, job)
        else:
            job.result.set_exception(
                RunError(
                    f"{DEATHS} workers died while {job.title} was asked; the last: "
                    f"{first_line(error)}"
                )
            )


def first_line(error: BaseException) -> str:
    """Return the beginning of what an error says; those of Ray have many lines."""
    error = getattr(error, "cause", None) or error
    said = [line.strip() for line in str(error).splitlines() if line.strip()]
    return said[0] if said else type(error).__name__
