"""A run's memory does not grow with the number of questions."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from naysay.core.console import Silent
from naysay.core.protocols import ModelRequest
from naysay.models import open_model
from naysay.run.options import spec_of
from naysay.run.plan import settings_of
from naysay.run.runner import run
from naysay.run.store import read_rows

MODEL = "known:random:0.22"
PEAK = """
import re, sys
from pathlib import Path
import naysay
run = naysay.evaluate(
    sys.argv[1], "scnt", limit=int(sys.argv[2]), exhaustive=True, out=sys.argv[3]
)
print(int(sum(e.value for e in run if e.metric == "tested")))
# Not ru_maxrss: on Linux that counts what the parent held before.
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


class Weighed(Silent):
    """Weighs what Python and Arrow hold whenever a shard is done."""

    def __init__(self) -> None:
        self.held: list[int] = []

    def advanced(self, units: int) -> None:
        gc.collect()
        self.held.append(tracemalloc.get_traced_memory()[0] + pa.total_allocated_bytes())


@pytest.fixture
def traced() -> Iterator[None]:
    """Python's allocations are counted."""
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.usefixtures("traced")
def test_a_shard_is_let_go_before_the_next_one_is_asked(tmp_path: Path) -> None:
    progress = Weighed()
    options = {"limit": 8, "shard_size": 1, "exhaustive": True, "out": tmp_path}
    settings = settings_of(spec_of(MODEL, ("scnt",), options))
    manifest = run(settings, open_model(MODEL, ModelRequest()), progress)
    files = sorted(manifest.folder.glob("scnt/*.parquet"))
    assert len(files) == len(progress.held) == 8
    smallest = min(read_rows(file).nbytes for file in files)
    # What is made once is there after two shards. A runner that kept the rows of all shards
    # would hold six more by the end.
    assert progress.held[-1] - progress.held[1] < smallest


def peak(pairs: int, out: Path) -> tuple[int, int]:
    """Candidate triplets, and the peak of resident memory in MB, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, MODEL, str(pairs), str(out)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    triplets, megabytes = map(int, done.stdout.split())
    return triplets, megabytes


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_stays_flat_over_a_hundredfold(tmp_path: Path) -> None:
    few, low = peak(1, tmp_path / "few")
    many, high = peak(95, tmp_path / "many")
    assert few == 1076 and many > 100_000
    assert high - low < 200
