"""Measuring in a process of its own: seconds, and a peak of memory that nothing else has raised."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from naysay.core.errors import RunError

MODEL = "known:random:0.22"
"""A model that follows rules, so that only naysay's own work is measured; it repeats as many verbs
as bert-base-cased."""
_START = "from naysay.bench.processes import main; main()"


@dataclass(frozen=True)
class Spent:
    """What a piece of work took."""

    seconds: float
    """Of the work itself, without the start of the process."""
    processor: float
    """Of the same, what the processor worked: other programs do not add to it. For a command, from
    the start of the process."""
    whole: float
    """Of the process, from start to end."""
    megabytes: float | None
    """The peak of its memory; None if the system does not tell."""
    counted: int
    """What the work returned, for example the number of questions."""


def measured(work: str, *arguments: str) -> Spent:
    """Do one of the pieces of work below in a new process."""
    begun = time.perf_counter()
    ended = subprocess.run(
        [sys.executable, "-c", _START, work, *arguments],
        capture_output=True, text=True, check=False,
        # One thread: the workers of a library would only wait for each other here.
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    whole = time.perf_counter() - begun
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or ["without a message"])[-1]
        raise RunError(f"the benchmark's process for {work!r} failed: {last}")
    found = json.loads(ended.stdout.splitlines()[-1])
    return Spent(whole=whole, **found)


def main() -> None:
    """Do a piece of work in this process, and print what it took."""
    work, *arguments = sys.argv[1:]
    print(json.dumps(_WORK[work](*arguments)))


def _begun() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _spent(begun: tuple[float, float], counted: int) -> dict[str, float | int | None]:
    seconds, processor = (now - then for now, then in zip(_begun(), begun, strict=True))
    return {
        "seconds": seconds, "processor": processor, "megabytes": peak_megabytes(),
        "counted": counted,
    }  # fmt: skip


def peak_megabytes() -> float | None:
    """Return the peak memory of this process; None if the system does not report it.

    `ru_maxrss` is more portable, but on Linux it includes the parent's memory.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), None)


def _run(suite: str, limit: str) -> dict[str, float | int | None]:
    """Run a suite, from the call to the figures, after a run that loads what is loaded once."""
    from naysay.run.evaluation import evaluate

    with TemporaryDirectory() as folder:
        evaluate(MODEL, suite, limit=1, out=Path(folder))
        begun = _begun()
        done = evaluate(MODEL, suite, limit=int(limit), out=Path(folder), seed=1)
        return _spent(begun, done.manifest.counts["questions"])


def _judge(run: str) -> dict[str, float | int | None]:
    """Judge and measure a finished run."""
    from naysay.run.evaluation import judge

    begun = _begun()
    return _spent(begun, judge(run).manifest.counts["rows"])


def _command(*words: str) -> dict[str, float | int | None]:
    """Run a command, without its output."""
    import contextlib
    import io
    import runpy

    sys.argv = ["naysay", *words]
    begun = time.perf_counter(), 0.0
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_module("naysay", run_name="__main__")  # as `python -m naysay`
    except SystemExit as end:
        if end.code:
            raise
    return _spent(begun, 0)


_WORK: dict[str, Callable[..., dict[str, float | int | None]]] = {
    "run": _run,
    "judge": _judge,
    "command": _command,
}
