"""Runs that are killed at any moment: what was finished stays, and the rest is the same.

Each seed is one kill. Between kills, the commands that read runs must cope with what is left.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mutation import LONGEST, seeds

from conftest import Outcome
from naysay import judge
from naysay.run.store import read_rows

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="no such signal there"),
]
Naysay = Callable[..., Outcome]
RUN = ("run", "-m", "known:random", "-t", "scnt,semantoneg", "--limit", "60", "--shard-size", "2")
READERS = (("ls", "runs", "-o"), ("report", "--runs"), ("published", "scnt", "--runs"))


def start(out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-B", "-m", "naysay", *RUN, "-o", str(out)], env=dict(os.environ),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(out: Path) -> Path:
    """Let the run end, and return its folder."""
    process = start(out)
    _, said = process.communicate(timeout=4 * LONGEST)
    assert process.returncode == 0, said.decode()
    [folder] = (path for path in out.iterdir() if path.is_dir())
    return folder


def shards(out: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in out.glob("*/*/[0-9]*.parquet")}


def rows(folder: Path) -> dict[str, list[object]]:
    files = sorted(folder.glob("*/*.parquet"))
    return {str(file.relative_to(folder)): read_rows(file).to_pylist() for file in files}


def strays(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(".part")]


def test_kill_points(naysay: Naysay, tmp_path: Path) -> None:
    begun = time.monotonic()
    whole = finish(tmp_path / "whole")
    length = time.monotonic() - begun  # kills fall anywhere within that, on any machine
    wanted, figures = rows(whole), [estimate.as_dict() for estimate in judge(str(whole))]
    out, done = tmp_path / "killed 0", dict[Path, int]()
    for seed in seeds():
        process = start(out)
        try:
            _, said = process.communicate(timeout=random.Random(seed).uniform(0, length))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        else:  # it ended before: the next one is killed from its beginning
            assert process.returncode == 0, (seed, said.decode())
            assert not strays(out), seed
            out = tmp_path / f"killed {seed + 1}"
            done = {}
            continue
        now = shards(out)
        assert done.items() <= now.items(), f"seed {seed}: a finished shard was written again"
        done = now
        told = naysay(*READERS[seed % len(READERS)], out)
        assert told.code in (0, 1, 2) and "Traceback" not in told.err, seed
    folder = finish(out)
    assert rows(folder) == wanted
    assert done.items() <= shards(out).items()
    assert not strays(folder)
    assert [estimate.as_dict() for estimate in judge(str(folder))] == figures
