"""What naysay finds on this machine: libraries, device, plug-ins, caches, data and runs."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.core import VERSION
from naysay.core.errors import NaysayError
from naysay.core.extras import EXTRAS, missing_modules
from naysay.core.paths import cache_folder
from naysay.core.registry import Registry
from naysay.core.spec import LOW
from naysay.data.datasets import DATASETS, find
from naysay.data.languages import LANGUAGES
from naysay.models import ADAPTERS
from naysay.run.manifest import library_versions
from naysay.run.store import BrokenRun, find_runs
from naysay.suites import SUITES

GOOD, ABSENT, FAULT = "good", "absent", "fault"


@dataclass(frozen=True)
class HealthCheck:
    """One thing that was looked at."""

    about: str
    found: str
    state: str = GOOD
    """`good`, `absent` or `fault`."""


def examine(runs: Path, *, trial: bool = True) -> Iterator[HealthCheck]:
    """Look at everything; `trial` also tries the processor's precision, which takes seconds."""
    yield HealthCheck("naysay", f"{VERSION}, Python {platform.python_version()} on {sys.platform}")
    yield HealthCheck("libraries", ", ".join(f"{n} {v}" for n, v in library_versions().items()))
    yield from _extras()
    if not missing_modules("hf"):
        yield from _guarded("device", _device)
        if trial:
            yield from _guarded("precision", _precision)
    for registry in (SUITES, ADAPTERS, LANGUAGES, DATASETS):
        yield from _entries(registry)
    yield from _guarded("cache", _cache)
    for dataset in DATASETS.all():
        folder = find(dataset.name, None)
        where = str(folder) if folder else f"not here (naysay data get {dataset.name})"
        yield HealthCheck(f"data set {dataset.name}", where, GOOD if folder else ABSENT)
    yield from _runs(runs)


def _guarded(about: str, look: Callable[[], str]) -> Iterator[HealthCheck]:
    try:
        yield HealthCheck(about, look())
    except (NaysayError, OSError, RuntimeError) as error:
        yield HealthCheck(about, str(error), FAULT)


def _extras() -> Iterator[HealthCheck]:
    for extra in EXTRAS:
        if missing_modules(extra):
            how = f"not installed (pip install 'naysay[{extra}]')"
            yield HealthCheck(f"extra {extra}", how, ABSENT)
        else:
            yield HealthCheck(f"extra {extra}", "installed")


def _device() -> str:
    from naysay.models.lm.loading import choose_device

    return f"{choose_device('auto')}, {os.cpu_count()} cores"


def _precision() -> str:
    from naysay.models.lm.processor import LIMIT, low_precision

    found = ["fp32"]
    for precision in LOW:
        tried = low_precision(precision)
        if tried.speed is None:
            found.append(f"not {precision}, of which a trial {tried.death}")
        else:
            limit = f" with {LIMIT}={tried.limit}" if tried.limit else ""
            found.append(f"{precision} at {tried.speed:.2f} × its speed{limit}")
    return "; ".join(found)


def _entries(registry: Registry[Any]) -> Iterator[HealthCheck]:
    """The entries of a registry: how many work, which come from other packages, which do not."""
    working = []
    for name in registry.names():
        try:
            registry.get(name)
        except NaysayError as error:
            yield HealthCheck(f"{registry.what} {name}", str(error), FAULT)
        else:
            working.append(name)
    yield HealthCheck(f"{registry.what}s", ", ".join(working))
    for name in working:
        if not registry.is_own(name):
            yield HealthCheck(f"{registry.what} {name}", f"from {registry.origin(name)}")


def _cache() -> str:
    folder = cache_folder()
    if not folder.exists():
        return f"{folder}, not made yet"
    if not os.access(folder, os.W_OK):
        raise OSError(f"{folder} is read-only; set NAYSAY_CACHE to another folder")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return f"{folder}, {size / 1e6:,.0f} MB"


def _runs(folder: Path) -> Iterator[HealthCheck]:
    broken: list[BrokenRun] = []
    found = find_runs(folder, broken)
    finished = sum(manifest.finished is not None for manifest in found)
    yield HealthCheck("runs", f"{len(found)} in {folder}, {finished} of them finished")
    for one in broken:
        yield HealthCheck("run", one.reason, FAULT)
