"""A folder of small runs and a server over it, for the tests of the view."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from naysay import evaluate
from naysay.core.protocols import Model, ModelRequest
from naysay.models import open_model
from naysay.view.folder import RunFolder
from naysay.view.server import listening, make_server
from naysay.view.site import Site
from naysay.view.trial import Trial

SUITES = ("scnt", "gh22", "semantoneg", "lama")
MODELS = ("known:aware", "known:blind")


def make_runs(folder: Path, suites: Sequence[str] = SUITES) -> Path:
    """Runs of two models that need no weights."""
    for model in MODELS:
        evaluate(model, suites, limit=4, out=folder)
    return folder


def name_of(folder: Path, model: str) -> str:
    """The folder of a model's run."""
    return next(path.name for path in folder.glob(f"{model.replace(':', '-')}-*"))


def change_manifest(folder: Path, run: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a run's manifest."""
    file = folder / run / "manifest.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    change(record)
    file.write_text(json.dumps(record), encoding="utf-8")


def copy_runs(runs: Path, target: Path) -> Path:
    """A copy of the runs that a test may damage."""
    return Path(shutil.copytree(runs, target / "runs"))


@dataclass(frozen=True)
class Reply:
    """What the server answered."""

    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class Served:
    """A running server."""

    port: int
    site: Site
    trial: Trial

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, **headers: str) -> Reply:
        """Ask for a page; headers are named with underscores."""
        return self.send("GET", path, headers)

    def post(self, path: str, question: Any, **headers: str) -> Reply:
        """Ask a question as the server's own pages do, unless the headers say otherwise."""
        own = {"origin": self.address, "content_type": "application/json"}
        return self.send("POST", path, own | headers, json.dumps(question))

    def send(
        self, method: str, path: str, headers: Mapping[str, str], body: str | None = None
    ) -> Reply:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        plain = {name.replace("_", "-"): value for name, value in headers.items() if value}
        try:
            connection.request(method, path, body, plain)
            answer = connection.getresponse()
            text = answer.read().decode()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, found, text)
        finally:
            connection.close()


@contextmanager
def served(
    folder: Path,
    models: Sequence[str] = (),
    opening: Callable[[str, ModelRequest], Model] = open_model,
) -> Iterator[Served]:
    """A server over a folder of runs, in a thread."""
    site, trial, place = Site(RunFolder(folder)), Trial(models, opening), listening()
    server = make_server(site, trial, place)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
    thread.start()
    try:
        yield Served(place.getsockname()[1], site, trial)
    finally:
        server.should_exit = True
        thread.join(60)
        trial.close()
        site.close()
