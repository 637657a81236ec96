"""A toy data set, and a file server on the loopback interface that fails as it is told."""

from __future__ import annotations

import hashlib
import random
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from naysay.data.datasets import DATASETS

SMALL = "lists/a b.txt"
BIG = "lists/big.bin"
CONTENT = {SMALL: b"one\ntwo\n", BIG: random.Random(7).randbytes(300_000)}
HALF = 150_000
"""Where a download breaks off at first."""


class Server(ThreadingHTTPServer):
    """A file server with ranges that fails as told, once per entry of `faults`."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.faults: list[str] = []
        self.asked: list[tuple[str, int]] = []
        """Each request: the path, and the first byte that was asked for."""
        self.sent, self.released = threading.Event(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/up"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""

    def do_GET(self) -> None:
        start = int(re.findall(r"\d+", self.headers.get("Range", "0"))[0])
        path = unquote(self.path).removeprefix("/up/")
        self.server.asked.append((path, start))
        fault = self.server.faults.pop(0) if self.server.faults else ""
        if fault.isdigit() or path not in self.server.files:
            return self.head(int(fault or 404), 0)
        data = self.server.files[path]
        if fault == "redirects away":
            return self.head(302, 0, Location="ftp://127.0.0.1/x")
        if fault == "ignores ranges":
            start = 0
        elif fault == "is shorter":
            data = data[:-100]
        elif fault == "is altered":
            data = data[:-1] + bytes([data[-1] ^ 1])
        elif fault == "never ends":
            data += bytes(30_000_000)
        body, end = data[start:], len(data) - 1
        shift = 5 if fault == "sends another part" else 0
        kind = {"Content-Range": f"bytes {start + shift}-{end}/{len(data)}"} if start else {}
        self.head(206 if start else 200, None if fault == "has no length" else len(body), **kind)
        try:
            if fault in ("breaks off", "has no length"):
                self.wfile.write(body[: max(HALF - start, 1000)])
            elif fault == "drips":
                for place in range(len(body)):
                    self.wfile.write(body[place : place + 1])
                    self.wfile.flush()
                    self.server.released.wait(0.02)
            elif fault == "stalls":
                self.wfile.write(body[: len(body) * 4 // 5])
                self.server.sent.set()
                self.server.released.wait(60)
            else:
                self.wfile.write(body)
        except OSError:
            self.server.sent.set()  # the client has enough, or is dead
        return None

    def head(self, status: int, length: int | None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()


@contextmanager
def serving() -> Iterator[Server]:
    """The server, with the toy set's files under /up."""
    with Server(dict(CONTENT)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "127.0.0.1")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


def pins(content: dict[str, bytes], url: str, **file: str) -> dict[str, Any]:
    """What the TOML file of a set with this content would say."""
    return {
        "title": "toy lists", "paper": "Nobody 2024", "licence": "CC0", "source": "me/toy @1",
        "folder": "Toy", "url": url, "note": "Two files.",
        "file": [
            {"path": path, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), **file}
            for path, data in content.items()
        ],
    }  # fmt: skip


@contextmanager
def installed(folder: Path, data: dict[str, Any]) -> Iterator[None]:
    """A set called toy, as another installed package would bring it."""
    info = folder / "toydata-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toydata\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[naysay.datasets]\ntoy = toydata:TOY\n")
    made = (
        "from naysay.data.datasets.catalogue import dataset_from\nTOY = dataset_from('toy', {!r})\n"
    )
    (folder / "toydata.py").write_text(made.format(data))
    DATASETS.forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("PYTHONPATH", str(folder))  # for processes of their own
        try:
            yield
        finally:
            sys.modules.pop("toydata", None)
    DATASETS.forget()


def silent(text: str) -> None:
    """A report to nobody."""


def files_under(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def part_of(toy: Path) -> Path:
    return toy / "lists" / ".big.bin.part"


def put(folder: Path, content: dict[str, bytes] = CONTENT) -> Path:
    for path, data in content.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder
