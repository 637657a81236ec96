"""A run's memory does not grow with the number of questions.

Both measures are taken in processes of their own: tracing allocations crashes Python 3.11 where
libraries have threads, and a test before may have loaded such.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from naysay.run.store import read_rows

MODEL = "known:random:0.22"
PEAK = """
import re, sys
from pathlib import Path
import naysay
run = naysay.evaluate(
    sys.argv[1], "scnt", limit=int(sys.argv[2]), exhaustive=True, verbs="wide", out=sys.argv[3]
)
print(int(sum(e.value for e in run if e.metric == "tested")))
# Not ru_maxrss: on Linux that counts what the parent held before.
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""
HELD = """
import gc, json, sys, tracemalloc
import pyarrow as pa
from naysay.core.console import Silent
from naysay.core.protocols import ModelRequest
from naysay.models import open_model
from naysay.run.options import spec_of
from naysay.run.plan import settings_of
from naysay.run.runner import run

class Weighed(Silent):
    held = []

    def advanced(self, units):
        gc.collect()
        self.held.append(tracemalloc.get_traced_memory()[0] + pa.total_allocated_bytes())

model, out = sys.argv[1:]
options = {"limit": 8, "shard_size": 1, "exhaustive": True, "out": out}
settings = settings_of(spec_of(model, ("scnt",), options))
tracemalloc.start()
run(settings, open_model(model, ModelRequest()), Weighed())
print(json.dumps(Weighed.held))
"""


def printed(script: str, *arguments: str | Path | int) -> str:
    """What a script prints in a process of its own."""
    words = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_a_shard_is_let_go_before_the_next_one_is_asked(tmp_path: Path) -> None:
    held = json.loads(printed(HELD, MODEL, tmp_path))
    files = sorted(tmp_path.glob("*/scnt/*.parquet"))
    assert len(files) == len(held) == 8
    smallest = min(read_rows(file).nbytes for file in files)
    # What is made once is there after two shards. A runner that kept the rows of all shards
    # would hold six more by the end.
    assert held[-1] - held[1] < smallest


def peak(pairs: int, out: Path) -> tuple[int, int]:
    """Candidate triplets, and the peak of resident memory in MB."""
    triplets, megabytes = map(int, printed(PEAK, MODEL, pairs, out).split())
    return triplets, megabytes


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_stays_flat_over_a_hundredfold(tmp_path: Path) -> None:
    few, low = peak(1, tmp_path / "few")
    many, high = peak(120, tmp_path / "many")
    assert few > 800 and many > 100_000
    assert high - low < 200
