"""The hub: naysay in a process of its own against a small hub on the loopback interface."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from naysay.core.keys import file_digest

REVISION = "0123456789abcdef0123456789abcdef01234567"
OLDER = "76543210fedcba9876543210fedcba9876543210"
SAFE, PICKLED, GATED, BROKEN = "tests/tiny-bert", "tests/pickled", "tests/gated", "tests/broken"
MAIN = "from naysay.cli import main; main()"
LOCATE = (
    "import sys; from naysay.models.files import locate; found = locate(sys.argv[1]); "
    "print(found.revision, found.hub, found.name)"
)


class Hub(ThreadingHTTPServer):
    """The part of the hub's interface that a download needs, over folders."""

    def __init__(self, repos: dict[str, Path], older: dict[str, Path]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repos = repos
        self.older = older
        """The same repositories at the tag v1."""
        self.served: list[str] = []
        """What was sent with status 200, as METHOD PATH."""

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        self.answer()

    def do_HEAD(self) -> None:
        self.answer()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""

    def answer(self) -> None:
        path = urlsplit(self.path).path
        if BROKEN in path:
            self.send(503, b"")
        elif GATED in path:
            self.send(403, b"", {"X-Error-Code": "GatedRepo"})
        elif repo := next((repo for repo in self.server.repos if f"{repo}/" in f"{path}/"), None):
            if "/revision/nowhere" in path:
                self.send(404, b"", {"X-Error-Code": "RevisionNotFound"})
                return
            old = repo in self.server.older and (OLDER in path or path.endswith("/revision/v1"))
            folder = self.server.older[repo] if old else self.server.repos[repo]
            files = sorted(p for p in folder.rglob("*") if p.is_file())
            named = {p.relative_to(folder).as_posix(): p for p in files}
            self.serve(path, repo, OLDER if old else REVISION, named)
        else:
            self.send(404, b"", {"X-Error-Code": "RepoNotFound"})

    def serve(self, path: str, repo: str, commit: str, files: dict[str, Path]) -> None:
        about = f"/api/models/{repo}"
        if path in (about, *(f"{about}/revision/{name}" for name in ("main", "v1", commit))):
            siblings = [{"rfilename": name} for name in files]
            self.send_json({"id": repo, "sha": commit, "siblings": siblings})
        elif path == f"{about}/tree/{commit}":
            self.send_json(
                [
                    {
                        "type": "file", "path": name, "size": file.stat().st_size,
                        "oid": file_digest(file)[:40],
                    }
                    for name, file in files.items()
                ]
            )  # fmt: skip
        elif found := files.get(path.removeprefix(f"/{repo}/resolve/{commit}/")):
            headers = {"ETag": f'"{file_digest(found)}"', "X-Repo-Commit": commit}
            self.send(200, found.read_bytes(), headers)
        else:
            self.send(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})

    def send_json(self, value: object) -> None:
        self.send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        if status == 200:
            self.server.served.append(f"{self.command} {urlsplit(self.path).path}")
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


@contextmanager
def hub_of(repos: dict[str, Path], older: dict[str, Path] | None = None) -> Iterator[Hub]:
    with Hub(repos, older or {}) as hub:
        thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield hub
        finally:
            hub.shutdown()
            thread.join()


def closed_endpoint() -> str:
    """An address where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def python(
    code: str, *words: str, endpoint: str, folder: Path, offline: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run code in a new process: the library reads its settings when it is imported."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("HF_") and not name.lower().endswith("_proxy")
    }
    env = {
        **kept,
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_OFFLINE": "1" if offline else "0",
        "HF_HUB_DISABLE_XET": "1",
        "NAYSAY_CACHE": str(folder / "cache"),
    }
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(
        command, env=env, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def run(model: str, *options: str, endpoint: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = ("run", "-m", model, "-t", "scnt", "--limit", "1", "--exhaustive", "--json")
    return python(MAIN, *words, *options, endpoint=endpoint, folder=folder)


def refused(done: subprocess.CompletedProcess[str], *says: str) -> None:
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("naysay: ")
    for part in says:
        assert part in last


@dataclass(frozen=True)
class Download:
    """A run that had to download its model, after which the hub was stopped."""

    folder: Path
    endpoint: str
    done: subprocess.CompletedProcess[str]
    served: list[str]

    @property
    def estimates(self) -> object:
        return json.loads(self.done.stdout)["estimates"]


@pytest.fixture(scope="module")
def download(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Download:
    folder = tmp_path_factory.mktemp("hub")
    repo = Path(shutil.copytree(tiny_bert, folder / "repo"))
    for unneeded in ("README.md", "pytorch_model.bin", "tf_model.h5"):
        (repo / unneeded).write_text("not needed")
    with hub_of({SAFE: repo}) as hub:
        done = run(SAFE, endpoint=hub.endpoint, folder=folder)
    return Download(folder, hub.endpoint, done, hub.served)


@pytest.fixture
def hub(tiny_bert: Path, tmp_path: Path) -> Iterator[Hub]:
    """A hub with a model that has only pickles."""
    repo = Path(shutil.copytree(tiny_bert, tmp_path / "repo"))
    (repo / "model.safetensors").rename(repo / "pytorch_model.bin")
    with hub_of({PICKLED: repo}) as started:
        yield started


@pytest.mark.slow
def test_a_model_is_downloaded_and_its_revision_is_on_record(download: Download) -> None:
    assert download.done.returncode == 0, download.done.stderr
    said = json.loads(download.done.stdout)
    assert said["model"] == SAFE
    manifest = json.loads((download.folder / said["folder"] / "manifest.json").read_text())
    assert manifest["model"]["revision"] == REVISION


def test_only_the_files_that_are_needed_are_downloaded(download: Download, tiny_bert: Path) -> None:
    resolve = f"GET /{SAFE}/resolve/{REVISION}/"
    got = [line.removeprefix(resolve) for line in download.served if line.startswith(resolve)]
    assert sorted(got) == sorted(path.name for path in tiny_bert.iterdir())


@pytest.mark.slow
def test_without_the_hub_a_downloaded_model_gives_the_same_figures(download: Download) -> None:
    again = run(SAFE, "-o", "again", endpoint=download.endpoint, folder=download.folder)
    assert again.returncode == 0, again.stderr
    said = json.loads(again.stdout)
    assert said["estimates"] == download.estimates
    manifest = json.loads((download.folder / said["folder"] / "manifest.json").read_text())
    assert manifest["model"]["revision"] == REVISION


def test_with_the_hub_switched_off_a_downloaded_model_is_found(download: Download) -> None:
    found = python(LOCATE, SAFE, endpoint=download.endpoint, folder=download.folder, offline=True)
    assert (found.returncode, found.stdout) == (0, f"{REVISION} {SAFE} {SAFE}\n"), found.stderr


def test_a_model_the_hub_does_not_have_is_said_so(hub: Hub, tmp_path: Path) -> None:
    done = run("tests/no-such-model", endpoint=hub.endpoint, folder=tmp_path)
    refused(
        done, "unknown model 'tests/no-such-model'", "the hub has no such model, or it is private"
    )


def test_a_gated_model_tells_to_ask_for_access(hub: Hub, tmp_path: Path) -> None:
    refused(run(GATED, endpoint=hub.endpoint, folder=tmp_path), "is gated", "log in")


@pytest.mark.parametrize("answers", [False, True], ids=["unreachable", "out of order"])
def test_without_the_hub_the_error_says_at_once_what_to_do(
    hub: Hub, tmp_path: Path, answers: bool
) -> None:
    begun = time.monotonic()
    done = run(BROKEN, endpoint=hub.endpoint if answers else closed_endpoint(), folder=tmp_path)
    refused(done, "the hub cannot be reached", "Offline, give a folder", "naysay models get")
    assert "unknown model" not in done.stderr
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("answers", [False, True], ids=["unreachable", "not found"])
def test_a_typo_is_told_with_what_is_near(hub: Hub, tmp_path: Path, answers: bool) -> None:
    (tmp_path / "my-checkpoint").mkdir()
    (tmp_path / "models" / "tuned").mkdir(parents=True)
    endpoint = hub.endpoint if answers else closed_endpoint()
    for typed, meant in {
        "my-chekpoint": "my-checkpoint", "models/tunned": "models/tuned", "smollm": "smollm2",
    }.items():  # fmt: skip
        done = run(typed, endpoint=endpoint, folder=tmp_path)
        refused(done, f"Did you mean {meant}", "no such model" if answers else "cannot be reached")
    refused(
        run("./my-chekpoint", endpoint=endpoint, folder=tmp_path),
        "there is no folder or file ./my-chekpoint", "Did you mean ./my-checkpoint?",
    )  # fmt: skip


def test_a_revision_is_a_model_of_its_own(tiny_bert: Path, tmp_path: Path) -> None:
    repo = Path(shutil.copytree(tiny_bert, tmp_path / "repo"))
    older = Path(shutil.copytree(tiny_bert, tmp_path / "older"))
    config = json.loads((older / "config.json").read_text())
    (older / "config.json").write_text(json.dumps({**config, "layer_norm_eps": 1e-3}))
    with hub_of({SAFE: repo}, {SAFE: older}) as hub:
        done = [
            run(SAFE, endpoint=hub.endpoint, folder=tmp_path),
            run(f"{SAFE}@v1", endpoint=hub.endpoint, folder=tmp_path),
            run(SAFE, "--revision", "v1", endpoint=hub.endpoint, folder=tmp_path),
            run(f"masked:{SAFE}@{OLDER}", endpoint=hub.endpoint, folder=tmp_path),
        ]
        gone = run(f"{SAFE}@nowhere", endpoint=hub.endpoint, folder=tmp_path)
        twice = run(f"{SAFE}@v1", "--revision", "v1", endpoint=hub.endpoint, folder=tmp_path)
    for one in done:
        assert one.returncode == 0, one.stderr
    new, *old = [json.loads(one.stdout) for one in done]
    assert len({one["run"] for one in old}) == 1 and new["run"] != old[0]["run"]
    assert [one["model"] for one in old] == [f"{SAFE}@{name}" for name in ("v1", "v1", OLDER)]
    manifest = json.loads((tmp_path / old[0]["folder"] / "manifest.json").read_text())
    assert manifest["model"]["revision"] == OLDER and manifest["model"]["hub"] == SAFE
    refused(gone, f"{SAFE} is on the hub, but has no revision 'nowhere'")
    refused(twice, "give the revision once")
    offline = python(LOCATE, f"{SAFE}@v1", endpoint=hub.endpoint, folder=tmp_path, offline=True)
    assert offline.stdout == f"{OLDER} {SAFE} {SAFE}@v1\n", offline.stderr


def test_pickled_weights_are_refused_before_they_are_downloaded(hub: Hub, tmp_path: Path) -> None:
    done = run(PICKLED, endpoint=hub.endpoint, folder=tmp_path)
    refused(done, "only pickled weights", "--allow-pickle")
    assert hub.served == [f"GET /api/models/{PICKLED}"]


EMBED = (
    "import sys; from naysay.models.files import locate; "
    "print(*locate(sys.argv[1]).files, sep='\\n')"
)


def test_an_embedder_comes_with_its_modules_and_goes_by_its_bare_name(
    tiny_embedder: Path, tmp_path: Path
) -> None:
    repo = Path(shutil.copytree(tiny_embedder, tmp_path / "repo"))
    (repo / "onnx").mkdir()
    (repo / "onnx" / "model.onnx").write_text("not needed")
    with hub_of({"sentence-transformers/tiny-embedder": repo}) as hub:
        found = python(EMBED, "tiny-embedder", endpoint=hub.endpoint, folder=tmp_path)
        other = python(EMBED, "tiny-embeder", endpoint=hub.endpoint, folder=tmp_path)
    assert found.returncode == 0, found.stderr
    names = {Path(line).name for line in found.stdout.split()}
    assert {"model.safetensors", "modules.json", "tokenizer.json"} <= names
    assert any("2_Dense" in line for line in found.stdout.split())
    assert not any("onnx" in line for line in hub.served)
    assert "unknown model 'tiny-embeder'" in other.stderr


def test_chat_templates_are_fetched_with_the_rest() -> None:
    from naysay.models.files.hub import files_to_fetch

    files = [
        "config.json", "model.safetensors", "chat_template.jinja", "notes.pdf",
        "additional_chat_templates/tools.jinja", "other/x.jinja",
    ]  # fmt: skip
    assert set(files_to_fetch("m", files, allow_pickle=False)) == {
        "config.json", "model.safetensors", "chat_template.jinja",
        "additional_chat_templates/tools.jinja",
    }  # fmt: skip
