"""Workers, nodes and the driver of a Ray cluster are killed in the middle of a run.

The cluster has several nodes on this machine, and the driver is the command line. What each worker
begins and ends is logged, so that one sees whether a shard that was finished is asked again.
`make siege` kills 20 workers and 5 nodes, the tests fewer.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

import naysay

pytest.importorskip("ray")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads the names of processes"),
]
FULL = "NAYSAY_SIEGE" in os.environ
WORKERS, NODES, DRIVERS = (20, 5, 3) if FULL else (2, 1, 1)
SHARDS = 160 if FULL else 24
LONGEST = 600.0 if FULL else 120.0
RUN = (
    "run", "-m", "known:random", "-t", "scnt", "--limit", str(SHARDS), "--shard-size", "1",
    "--cap", "3",
)  # fmt: skip
LOGGED = '''
"""Workers log what they ask, and wait as long as there is a file: so they are killed in between."""
import os, sys, time
if any(word.endswith("default_worker.py") for word in sys.orig_argv):
    from naysay.run.executors import worker
    plain = worker.ask_shard

    def ask_shard(shard, *given):
        log("begin", shard.file)
        while os.path.exists(HOLD):
            time.sleep(0.02)
        time.sleep(0.3)
        found = plain(shard, *given)
        log("end", shard.file)
        return found

    def log(what, file):
        import ray
        node = ray.get_runtime_context().get_node_id()
        line = f"{time.time()} {what} {file} {node} {os.getpid()}\\n"
        with open(LOG, "a") as stream:
            stream.write(line)

    worker.ask_shard = ask_shard
'''


class Nodes:
    """The cluster, in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.address = self._line()

    def do(self, what: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        return self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        while (line := self._process.stdout.readline()) and not line.startswith(("127.", "done:")):
            pass
        assert line, "the cluster has ended"
        return line.strip()


class Siege:
    """A cluster, a driver on it, and what its workers log."""

    def __init__(self, folder: Path, nodes: Nodes, environment: dict[str, str]) -> None:
        self.folder, self.nodes, self.environment = folder, nodes, environment
        self.place = ("--executor", "ray", "--address", nodes.address)
        self._log = folder / "log"
        self._random = random.Random(7)
        self._hold = folder / "hold"
        self._hold.touch()

    def start(self) -> subprocess.Popen[str]:
        runs = ("--runs", str(self.folder / "runs"))
        return subprocess.Popen(
            [sys.executable, "-m", "naysay", *RUN, *self.place, *runs],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def logged(self) -> list[list[str]]:
        """Time, `begin` or `end`, file, node and process of what was asked so far."""
        return [line.split() for line in self._log.read_text().splitlines()]

    def wait_for(self, holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
        end = time.monotonic() + LONGEST
        while not holds():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.05)

    def go_on(self, process: subprocess.Popen[str]) -> None:
        """Let the workers finish a shard, and stop in the middle of the next ones."""
        before = len(self.finished())
        self._hold.unlink()
        self.wait_for(lambda: len(self.finished()) > before, process)
        self._hold.touch()
        self.wait_for(lambda: bool(self.busy()), process)

    def release(self) -> None:
        """Let the workers go on."""
        self._hold.unlink()

    def finished(self) -> dict[str, int]:
        files = (self.folder / "runs").glob("*/scnt/*.parquet")
        return {f"scnt/{file.name}": file.stat().st_mtime_ns for file in files}

    def busy(self) -> list[int]:
        """The processes that have begun a shard, and not ended it."""
        last = {line[4]: line[1] for line in self.logged()}
        begun = [int(process) for process, what in last.items() if what == "begin"]
        return [process for process in begun if psutil.pid_exists(process)]

    def kill_a_worker(self) -> None:
        os.kill(self._random.choice(self.busy()), signal.SIGKILL)

    def asked_again(self) -> list[str]:
        """The shards that were begun after they were in the run's folder."""
        written = self.finished()
        return [
            line[2]
            for line in self.logged()
            if line[1] == "begin" and written.get(line[2], 2**63) < float(line[0]) * 1e9
        ]

    def lost(self) -> int:
        """How many shards were begun and not ended."""
        done = [line[1] for line in self.logged()]
        return done.count("begin") - done.count("end")


@pytest.fixture
def siege(tmp_path: Path) -> Iterator[Siege]:
    with besieged(tmp_path, 2) as ready:
        yield ready


@contextmanager
def besieged(folder: Path, nodes: int) -> Iterator[Siege]:
    log = folder / "log"
    log.touch()
    text = f"LOG, HOLD = {str(log)!r}, {str(folder / 'hold')!r}\n{LOGGED}"
    (folder / "sitecustomize.py").write_text(text, encoding="utf-8")
    source = str(Path(__file__).parents[2] / "src")
    environment = {
        **os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{source}", "OMP_NUM_THREADS": "1",
        "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "PYTHONWARNINGS": "ignore",
    }  # fmt: skip
    environment.pop("RAY_ADDRESS", None)
    host = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("ray_nodes.py")), str(nodes)],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    )  # fmt: skip
    try:
        yield Siege(folder, Nodes(host), environment)
    finally:
        children = psutil.Process(host.pid).children(recursive=True)
        try:
            host.communicate("quit\n", timeout=60)
        finally:
            for child in children:  # what a killed node has left
                if child.is_running():
                    child.kill()
            host.kill()


def rows_in_one_process(folder: Path) -> dict[str, bytes]:
    words = [sys.executable, "-m", "naysay", *RUN, "--runs", str(folder)]
    subprocess.run(words, check=True, capture_output=True)
    return {f"scnt/{file.name}": file.read_bytes() for file in folder.glob("*/scnt/*.parquet")}


def rows(siege: Siege) -> dict[str, bytes]:
    files = (siege.folder / "runs").glob("*/scnt/*.parquet")
    return {f"scnt/{file.name}": file.read_bytes() for file in files}


def test_workers_nodes_and_drivers_are_killed(siege: Siege, tmp_path: Path) -> None:
    wanted = rows_in_one_process(tmp_path / "whole")
    assert len(wanted) == SHARDS
    kills = ["worker"] * WORKERS + ["node"] * NODES + ["driver"] * DRIVERS
    random.Random(3).shuffle(kills)
    driver = siege.start()
    for kill in kills:
        siege.go_on(driver)
        if kill == "worker":
            siege.kill_a_worker()
        elif kill == "node":
            siege.nodes.do("kill")
            siege.nodes.do("add")
        else:
            kept = siege.finished()
            driver.kill()
            driver.communicate()
            assert kept == siege.finished()
            driver = siege.start()
    siege.release()
    out, err = driver.communicate(timeout=LONGEST)
    assert driver.returncode == 0, err
    assert "Traceback" not in err and out.startswith("\nknown:random")
    assert rows(siege) == wanted
    assert siege.asked_again() == []
    # A worker loses the shard that it had; a node and a driver those of two workers at most.
    assert WORKERS <= siege.lost() <= WORKERS + 2 * (NODES + DRIVERS)
    print(f"lost {siege.lost()} shards of {SHARDS}, asked {len(siege.logged())} times")


def test_a_node_that_joins_late_is_used(tmp_path: Path) -> None:
    with besieged(tmp_path, 1) as siege:
        driver = siege.start()
        siege.go_on(driver)
        assert len({line[3] for line in siege.logged()}) == 1
        siege.nodes.do("add")
        siege.wait_for(lambda: len({line[3] for line in siege.logged()}) == 2, driver)
        siege.release()
        _, err = driver.communicate(timeout=LONGEST)
        assert driver.returncode == 0, err
        assert siege.asked_again() == [] and len(siege.finished()) == SHARDS


def test_weights_that_workers_lack_are_sent_to_them(tmp_path: Path) -> None:
    here = tmp_path / "here"  # a relative path leads nowhere on the nodes, which are elsewhere
    here.mkdir()
    shutil.copytree(Path(naysay.__file__).parent / "models/files/mini/mini-aware", here / "model")
    words = ("-m", "./model", "-t", "scnt", "--limit", "2", "--shard-size", "1", "--cap", "2")
    with besieged(tmp_path, 1) as siege:
        siege.release()
        done = subprocess.run(
            [sys.executable, "-m", "naysay", "run", *words, *siege.place, "--runs", "cluster"],
            env=siege.environment, cwd=here, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "sending the files of ./model to the workers" in done.stderr
        alone = [sys.executable, "-m", "naysay", "run", *words, "--runs", "alone"]
        subprocess.run(alone, cwd=here, check=True, capture_output=True)
    found, wanted = (
        {file.name: file.read_bytes() for file in (here / runs).glob("*/scnt/*.parquet")}
        for runs in ("cluster", "alone")
    )
    assert found == wanted and len(found) == 2
