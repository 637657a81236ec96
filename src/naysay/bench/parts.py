"""Running the parts of a benchmark, and what must be known of the machine beside their results."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from naysay.bench.results import BenchReport, PartReport
from naysay.bench.sizes import FULL, QUICK
from naysay.bench.turns import clock_of
from naysay.core import VERSION
from naysay.core.errors import UnknownNameError
from naysay.core.extras import missing_modules, need

PARTS = ("masked", "causal", "suites", "embedder", "scale", "harness")
_WITHOUT_MODELS = ("harness",)
_LIBRARIES = ("torch", "transformers", "sentence-transformers", "minicons", "lm-eval")


def chosen_parts(names: Sequence[str]) -> list[str]:
    """Return the parts of these names, or all, in their order; refuse what they lack."""
    for name in names:
        if name not in PARTS:
            raise UnknownNameError("part of the benchmark", name, PARTS)
    found = [name for name in PARTS if name in names or not names]
    if any(name not in _WITHOUT_MODELS for name in found):
        need("hf", "naysay bench (all but harness)")
    return found


def run_parts(names: Sequence[str], rounds: int | None, *, quick: bool) -> Iterator[BenchReport]:
    """Run the parts one after another; yield the report after each of them."""
    sizes = QUICK if quick else FULL
    rounds = rounds or sizes.rounds
    done: list[PartReport] = []
    machine = machine_facts()
    for name in names:
        part: Any = import_module(f"naysay.bench.{name}")
        if name not in _WITHOUT_MODELS:
            _quiet()
        begun = time.perf_counter()
        with TemporaryDirectory(prefix="naysay-bench-") as folder:
            results = tuple(part.measure(sizes, Path(folder), rounds))
        done.append(
            PartReport(
                name=name, title=part.TITLE, results=results, seconds=time.perf_counter() - begun
            )
        )
        yield BenchReport(
            naysay=VERSION, quick=quick, rounds=rounds, machine=machine, parts=tuple(done)
        )


def _quiet() -> None:
    """Leave out the progress bars of others.

    Whether this processor multiplies in 16 bits is tried before torch is imported, since it may
    have to be kept from some instructions.
    """
    from naysay.models.lm.processor import lower_precision

    lower_precision("cpu")
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def machine_facts() -> dict[str, str]:
    """Return what speed depends on: processor, cores, load, and libraries."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else
                     os.cpu_count()),
        "threads": os.environ.get("OMP_NUM_THREADS", "one for each core"),
        "load at the start": load,
        "seconds": clock_of()[0],
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: _version(name) for name in _LIBRARIES},
    }  # fmt: skip


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


def missing_libraries() -> list[str]:
    """Return the other libraries that naysay could be compared with, and that are not here."""
    return missing_modules("bench")
