"""Servers that misbehave: a data set arrives as pinned, or not at all, and nobody waits for long.

Each seed is one download, in which the server answers every request in another wrong way.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mutation import LONGEST, HangError, damaged_bytes, no_hang, seeds

from naysay.core.errors import DatasetError
from naysay.data.datasets import get, transfer
from toy_data import CONTENT, files_under, installed, pins, silent

pytestmark = pytest.mark.slow
DATA = CONTENT["lists/a b.txt"] * 200
FILES = {"one.txt": DATA, "two/three.txt": DATA[::-1]}
PACE = 0.05  # seconds between the bytes of a server that drips


class HostileServer:
    """Answers each request on the loopback interface as `answer` says, byte by byte if it drips."""

    def __init__(self, answer: Callable[[bytes], tuple[bytes, int | None]]) -> None:
        self._answer = answer
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/up"

    def __enter__(self) -> HostileServer:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join(LONGEST)

    def _serve(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._threads.append(threading.Thread(target=self._talk, args=(connection,)))
            self._threads[-1].start()

    def _talk(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(LONGEST)
            content, drips = self._answer(connection.recv(65536))
            for place in range(len(content) if drips is None else drips, len(content)):
                connection.sendall(content[:drips] if place == drips else b"")
                connection.sendall(content[place : place + 1])
                if self._over.wait(PACE):
                    return
            if drips is None:
                connection.sendall(content)


def plain(request: bytes) -> bytes:
    """The answer of an honest server."""
    path = request.split(b" ")[1].decode().removeprefix("/up/")
    data = FILES[path]
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data)


ODD_HEADS = (
    b"HTTP/1.1 100 Continue\r\n\r\n" * 2000,
    b"HTTP/1.1 206 Partial\r\nContent-Range: bytes 7-9/10\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: /up/one.txt\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1" + b";x" * 3000,
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08",
    b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300 + b"\r\n",
    b"HTTP/1.1 200 " + b"x" * 70000 + b"\r\n\r\n",
    b"HTTP/9.9 999 \x1b[2J\r\n\r\n",
    b"HTTP/1.1 416 No\r\n\r\n", b"HTTP/1.1 503 No\r\n\r\n", b"HTTP/1.1 401 \xff\r\n\r\n",
    b"SSH-2.0-x\r\n", b"\x00" * 5000, b"",
)  # fmt: skip


def hostile(seed: int) -> Callable[[bytes], tuple[bytes, int | None]]:
    """A server's behaviour: what to answer, and from which byte on it drips, if it does."""
    chance = random.Random(seed)

    def answer(request: bytes) -> tuple[bytes, int | None]:
        good = plain(request)
        act = chance.randrange(5)
        if act == 0:
            return good, None
        content = good
        if act == 1:
            content = damaged_bytes(good, chance.randrange(10**9))
        elif act in (2, 3):
            content = chance.choice(ODD_HEADS) + chance.choice((b"", good, DATA))
        drips = chance.random() < 0.2
        return content, chance.randrange(len(content) + 1) if drips else None

    return answer


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "PAUSES", (0, 0, 0))
    monkeypatch.setattr(transfer, "TIMEOUT", 0.5)
    monkeypatch.setattr(transfer, "PATIENCE", 1.0)
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "cache"


def test_a_server_of_another_protocol_is_told_in_one_line(
    impatient: None, cache: Path, tmp_path: Path
) -> None:
    def other(request: bytes) -> tuple[bytes, int | None]:
        return b"SSH-2.0-x\r\n", None

    with (
        HostileServer(other) as server,
        installed(tmp_path / "plugin", pins(FILES, server.url)),
        pytest.raises(DatasetError) as raised,
    ):
        get("toy", report=silent)
    assert "SSH-2.0-x" in str(raised.value) and "\n" not in str(raised.value)


def test_servers(impatient: None, cache: Path, tmp_path: Path) -> None:
    for seed in seeds():
        plugin = tmp_path / "plugin"
        with HostileServer(hostile(seed)) as server, installed(plugin, pins(FILES, server.url)):
            try:
                with no_hang():
                    get("toy", report=silent)
            except DatasetError as error:
                assert "\n" not in str(error), seed
            except (Exception, HangError) as error:
                raise AssertionError(f"seed {seed}") from error
            else:
                assert files_under(cache / "data" / "Toy") == FILES, seed
        for path in (path for path in cache.rglob("*") if path.is_file()):
            name = path.relative_to(cache / "data" / "Toy").as_posix() if "Toy" in str(path) else ""
            assert path.name.startswith(".") or path.read_bytes() == FILES[name], (seed, path)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "plugin"], seed
        shutil.rmtree(plugin)
        shutil.rmtree(cache)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 5000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 500,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"y" * 5000,
    ],
    ids=["header", "continue", "chunk"],
)
def test_a_server_that_drips_before_the_data_is_given_up(
    impatient: None, tmp_path: Path, head: bytes
) -> None:
    begun = time.monotonic()
    with (
        HostileServer(lambda _: (head, 0)) as server,
        installed(tmp_path / "plugin", pins(FILES, server.url)),
        no_hang(),
        pytest.raises(DatasetError, match="4 attempts failed"),
    ):
        get("toy", report=silent)
    assert time.monotonic() - begun < LONGEST
