"""A run's memory does not grow with the number of questions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PEAK = """
import re, sys
from pathlib import Path
import naysay
run = naysay.evaluate(
    "known:random:0.22", "scnt", limit=int(sys.argv[1]), exhaustive=True, out=sys.argv[2]
)
print(int(sum(e.value for e in run if e.metric == "tested")))
# Not ru_maxrss: on Linux that counts what the parent held before.
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


def peak(pairs: int, out: Path) -> tuple[int, int]:
    """Candidate triplets, and the peak of resident memory in MB, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(pairs), str(out)],
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
