"""Executors: the same bytes wherever shards are asked, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

import naysay as naysay_package
from conftest import Outcome, model_request, refused
from fake_server import FakeServer
from naysay.core.errors import SpecError
from naysay.core.spec import EXECUTORS
from naysay.models import open_model
from naysay.run.executors.pool import DEATHS
from naysay.run.options import read_spec_file, spec_file, spec_of

Cli = Callable[..., Outcome]
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra cluster")


def run(folder: Path, *words: str) -> Outcome:
    """Run the command line in a process of its own, as Ray is loaded there."""
    done = subprocess.run(
        [sys.executable, "-m", "naysay", "run", *words], check=False, cwd=folder, text=True,
        capture_output=True, env=dict(os.environ), timeout=300,
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout, done.stderr)


def shards(runs: Path) -> dict[str, bytes]:
    files = sorted(runs.glob("*/*/*.parquet"))
    return {str(file.relative_to(runs)): file.read_bytes() for file in files}


def test_without_ray_the_extra_is_named(naysay: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    ended = naysay("run", "-m", "known:blind", "-t", "scnt", "--executor", "ray")
    refused(ended, "--executor ray needs ray", "pip install 'naysay[cluster]'")


def test_an_unknown_executor_is_refused(naysay: Cli) -> None:
    ended = naysay("run", "-m", "known:blind", "-t", "scnt", "--executor", "slurm")
    refused(ended, "--executor must be", *EXECUTORS)


def test_priced_models_are_asked_from_here(naysay: Cli) -> None:
    with FakeServer("llama") as server:
        ended = naysay(
            "run", "-m", server.name, "-t", "scnt", "--limit", 2, "--executor", "ray", "--yes"
        )
    refused(ended, "ask it without --executor ray", "--concurrency")


def test_workers_need_a_name(tmp_path: Path) -> None:
    model = open_model("known:blind", model_request())
    with pytest.raises(SpecError, match="name it"):
        naysay_package.evaluate(model, "scnt", limit=2, executor="ray", out=tmp_path)


def test_where_a_run_was_made_is_not_in_its_spec_file(tmp_path: Path) -> None:
    spec = spec_of("known:blind", ("scnt",), {"executor": "ray", "workers": 3, "out": tmp_path})
    assert "--executor ray" in spec.command() and "--workers 3" in spec.command()
    assert "ray" not in spec_file(spec) and "workers" not in spec_file(spec)


def test_nothing_answers_at_the_address(naysay: Cli) -> None:
    words = ("run", "-m", "known:blind", "-t", "scnt", "--limit", 2, "--executor", "ray")
    refused(naysay(*words, "--address", "127.0.0.1:1"), "no Ray cluster answers at 127.0.0.1:1")
    refused(naysay(*words, "--address", "ray://head:10001"), "HOST:PORT")


def test_a_spec_file_may_list_seeds(naysay: Cli, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text('model = "known:random"\nsuites = "scnt"\nlimit = 3\nseed = [0, 1]\n')
    assert read_spec_file(spec)["seeds"] == [0, 1]
    both = naysay("run", spec, "--json")
    assert both.code == 0 and "known:random, seed 1: run 2 of 2" in both.err
    first, second = json.loads(both.out)
    assert first["run"] != second["run"]
    assert json.loads(naysay("run", spec, "--seed", 1, "--json").out) == second
    spec.write_text('model = "known:random"\nseed = [0, "x"]\n')
    refused(naysay("run", spec), "--seed must be a whole number from 0 on")


@pytest.mark.slow
@needs_ray
def test_two_workers_write_the_same_bytes_for_several_models(tmp_path: Path) -> None:
    words = (
        "-m", "known:random", "-m", "mini-aware", "-t", "scnt,gh22,lama_misprimed",
        "--limit", "4", "--shard-size", "1", "--json",
    )  # fmt: skip
    alone = run(tmp_path, *words, "--runs", "alone")
    placed = run(tmp_path, *words, "--runs", "placed", "--executor", "ray", "--workers", "2")
    assert alone.code == placed.code == 0, placed.err
    assert shards(tmp_path / "placed") == shards(tmp_path / "alone") != {}
    for one, other in zip(json.loads(alone.out), json.loads(placed.out), strict=True):
        assert one["estimates"] == other["estimates"]
        assert (one["run"], one["model"]) == (other["run"], other["model"])
    again = run(tmp_path, *words, "--runs", "placed", "--executor", "ray")
    assert again.code == 0 and "already done" in again.err and " of ~" not in again.err


@pytest.mark.slow
@needs_ray
def test_an_interrupted_run_leaves_no_process_and_resumes(tmp_path: Path) -> None:
    import psutil

    words = ("-m", "known:random", "-t", "scnt", "--limit", "400", "--shard-size", "1")
    place = ("--runs", "runs", "--executor", "ray", "--workers", "2")
    process = subprocess.Popen(
        [sys.executable, "-m", "naysay", "run", *words, *place], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ),
    )  # fmt: skip
    assert process.stderr is not None
    while "1 of 400 units" not in (line := process.stderr.readline()):
        assert line, "it ended before"
    children = psutil.Process(process.pid).children(recursive=True)
    # Workers are as important as the command itself, or a busy machine starves them.
    niceness = {child.nice() for child in children if child.name().startswith("ray::")}
    assert niceness == {os.getpriority(os.PRIO_PROCESS, process.pid)}
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == ""
    assert "naysay: stopped." in err and "Traceback" not in err
    _, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []
    kept = shards(tmp_path / "runs")
    assert 0 < len(kept) < 400
    resumed = run(tmp_path, *words, "--runs", "runs")
    assert resumed.code == 0 and f"{len(kept)} already done" in resumed.err
    assert kept.items() <= shards(tmp_path / "runs").items()


DEADLY = """
import os, sys
if any(word.endswith("default_worker.py") for word in sys.orig_argv):
    from naysay.run.executors import worker
    plain = worker.ask_shard
    worker.ask_shard = lambda shard, *given: os._exit(9) if shard.number else plain(shard, *given)
"""


@pytest.mark.slow
@needs_ray
def test_a_shard_that_kills_its_workers_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(DEADLY, encoding="utf-8")
    paths = [str(tmp_path), str(Path(naysay_package.__file__).parents[1])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    words = ("-m", "known:random", "-t", "scnt", "--limit", "2", "--shard-size", "1")
    ended = run(tmp_path, *words, "--executor", "ray", "--workers", "1")
    refused(ended, f"{DEATHS} workers died while scnt/00001.parquet was asked", details=True)
    assert next(iter(shards(tmp_path / "runs"))).endswith("scnt/00000.parquet")
