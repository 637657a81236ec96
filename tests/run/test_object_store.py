"""Runs in an object store, with a server on this machine that speaks S3."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from conftest import Outcome, refused
from naysay import judge
from naysay.core import objects
from naysay.core.errors import RunError
from naysay.core.objects import ObjectPath, place_of
from naysay.core.paths import write_text
from naysay.run.store import held

Cli = Callable[..., Outcome]
pytestmark = pytest.mark.slow
SERVER = """
from werkzeug.serving import make_server
from moto.server import DomainDispatcherApplication, create_backend_app
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
"""
RUN = ("run", "-m", "known:random", "-t", "scnt", "--limit", "6", "--shard-size", "2", "--cap", "3")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of the server."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", SERVER], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    address = f"http://127.0.0.1:{int(process.stdout.readline())}"
    try:
        yield address
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty bucket, and an environment that leads to it."""
    reset = urllib.request.Request(f"{server}/moto-api/reset", method="POST")
    put = urllib.request.Request(f"{server}/mine", method="PUT")
    for request in (reset, put):
        urllib.request.urlopen(request).close()
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "anybody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "anything")
    objects._store.cache_clear()
    return "s3://mine/some/runs"


def shards(runs: str | Path) -> dict[str, bytes]:
    return {
        f"{path.parent.parent.name}/{path.name}": path.read_bytes()
        for path in place_of(runs).glob("*/scnt/*.parquet")
    }


def test_an_address_behaves_like_a_path(bucket: str) -> None:
    runs = place_of(bucket)
    assert isinstance(runs, ObjectPath) and str(runs) == bucket
    file = runs / "one" / "file.txt"
    assert str(file) == f"{bucket}/one/file.txt" and file.parent.parent == runs
    assert not file.exists() and not runs.exists() and list(runs.iterdir()) == []
    write_text(file, "é")
    assert file.is_file() and not file.is_dir() and file.parent.is_dir() and runs.exists()
    assert file.read_bytes() == "é".encode() and file.stat().st_size == 2
    assert list(runs.glob("*/file.txt")) == list(runs.glob("o*/*.txt")) == [file]
    assert list(runs.glob("*/other")) == []
    file.unlink()
    assert not file.exists()
    with pytest.raises(FileNotFoundError):
        file.read_bytes()
    with pytest.raises(TypeError, match="object store"):
        os.fspath(file)


def test_every_command_reads_runs_there(naysay: Cli, bucket: str, tmp_path: Path) -> None:
    assert naysay(*RUN, "--runs", "here").code == 0
    made = naysay(*RUN, "--runs", bucket)
    assert made.code == 0 and f"in {bucket}/known-random-" in made.out.replace("\n", "")
    assert shards(bucket) == shards("here") and len(shards(bucket)) == 3
    again = naysay(*RUN, "--runs", bucket)
    assert "6 already done" in again.err and " of ~" not in again.err
    naysay("run", "-m", "known:blind", "-t", "scnt", "--limit", 6, "--cap", 3, "--runs", bucket)
    for words in (
        "ls runs", "judge known:random", "show known:random -n 1", "report -o page.md",
        "compare known:random known:blind",
        "published scnt known:random", f"judge {place_of(bucket)}/known-blind-{{key}}",
    ):  # fmt: skip
        key = json.loads(naysay("judge", "known:blind", "--json", "--runs", bucket).out)["run"]
        told = naysay(*words.format(key=key).split(), "--runs", bucket)
        assert told.code == 0 and told.err == "", (words, told)
    assert naysay("gate", "known:blind", "--baseline", "known:random", "--runs", bucket).code < 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "here", "page.md"]


def test_a_damaged_shard_is_refused_and_asked_again(naysay: Cli, bucket: str) -> None:
    naysay(*RUN, "--runs", bucket)
    before = shards(bucket)
    [shard] = place_of(bucket).glob("*/scnt/00001.parquet")
    shard.write_bytes(b"PAR1")
    refused(naysay("judge", "known:random", "--runs", bucket), "00001.parquet is corrupt")
    mended = naysay(*RUN, "--runs", bucket)
    assert "00001.parquet is corrupt: recomputing it" in mended.err
    assert "6 units, 4 already done" in mended.err and shards(bucket) == before


def test_a_killed_run_resumes(bucket: str) -> None:
    words = [sys.executable, "-m", "naysay", *RUN[:-5], "60", "--shard-size", "1", "--runs", bucket]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    assert process.stderr is not None
    while "5 of 60 units" not in (line := process.stderr.readline()):
        assert line, "it ended before"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = shards(bucket)
    assert 5 <= len(kept) < 60
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=dict(os.environ))
    [already] = re.findall(r"(\d+) already done", done.stderr)
    assert int(already) >= len(kept) - 1
    assert len(shards(bucket)) == 60 and kept.items() <= shards(bucket).items()


def test_what_cannot_be_reached_is_said(
    naysay: Cli, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(naysay(*RUN, "--runs", "s3://other/runs"), "there is no bucket other")
    run = place_of(bucket) / "run"
    with held(run), pytest.raises(RunError, match="another process"), held(run):
        pass
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    objects._store.cache_clear()
    refused(naysay("ls", "runs", "--runs", bucket), f"cannot list {bucket}", "127.0.0.1:1")
    refused(naysay(*RUN, "--runs", bucket), f"cannot write to {bucket}")


@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra cluster")
def test_workers_of_a_cluster_and_a_store(naysay: Cli, bucket: str, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "naysay", *RUN, "--runs", bucket, "--executor", "ray"]
    subprocess.run(words, check=True, capture_output=True, env=dict(os.environ), cwd=tmp_path)
    naysay(*RUN, "--runs", "here")
    assert shards(bucket) == shards("here")
    figures = [estimate.as_dict() for estimate in judge("known:random", place_of(bucket))]
    assert figures == [estimate.as_dict() for estimate in judge("known:random", Path("here"))]
