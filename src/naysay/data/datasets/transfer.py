"""Downloading one file, with resumption.

The data is written to a part file and not trusted here. The caller compares its SHA-256.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
    InvalidURL,
)
from pathlib import Path
from typing import Any
from urllib import request
from urllib.error import HTTPError, URLError

from naysay.core import VERSION
from naysay.core.errors import DatasetError
from naysay.data.datasets.catalogue import is_web

TIMEOUT = 30.0
PATIENCE, SLOWEST = 60.0, 500.0
"""After so many seconds, a server that sends fewer bytes a second is given up on."""
PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each retry."""
CHUNK = 1 << 16
_LATER = {408, 425, 429, 500, 502, 503, 504}


class BrokenOffError(Exception):
    """The response ended early; a retry may help."""


class UnreachableError(Exception):
    """The server cannot be reached; an immediate retry will not help."""


class NotThereError(Exception):
    """The server does not have the file."""


def fill(part: Path, address: str, size: int) -> bool:
    """Complete the part file, resuming from its current size.

    Return whether it was assembled from more than one response. It never exceeds `size` by more
    than one byte.
    """
    for attempt in range(len(PAUSES) + 1):
        if attempt:
            time.sleep(PAUSES[attempt - 1])
        had = part.stat().st_size if part.is_file() else 0
        if had == size:
            return True  # complete, but the process that wrote it was killed
        if had > size:
            part.unlink()
            had = 0
        try:
            return _ask(part, address, size, had)
        except BrokenOffError as error:
            reason = " ".join(str(error).split())  # a server may answer with lines of its own
    raise BrokenOffError(f"{len(PAUSES) + 1} attempts failed; the last one {reason}")


def _ask(part: Path, address: str, size: int, had: int) -> bool:
    headers = {"User-Agent": f"naysay/{VERSION}", "Accept-Encoding": "identity"}
    if had:
        headers["Range"] = f"bytes={had}-"
    with _answer(address, headers, part) as answer:
        start = 0
        if answer.status == 206:
            if not str(answer.headers.get("Content-Range", "")).startswith(f"bytes {had}-"):
                part.unlink(missing_ok=True)
                raise BrokenOffError("returned a different range than requested")
            start = had
        done = start
        begun = time.monotonic()
        with part.open("ab" if start else "wb") as kept:
            while done <= size and (data := _read(answer, min(CHUNK, size + 1 - done))):
                kept.write(data)
                kept.flush()  # so that a killed process keeps what was received
                done += len(data)
                spent = time.monotonic() - begun
                if spent > PATIENCE and done - start < SLOWEST * spent:
                    raise BrokenOffError(f"sent {done - start:,} bytes in {spent:.0f} s")
        # http.client counts down the announced length; otherwise only chunks mark the end.
        ended = answer.length == 0 or answer.chunked
        if done < size and not ended:
            raise BrokenOffError(f"ended after {done:,} of {size:,} bytes")
        return start > 0


def _answer(address: str, headers: dict[str, str], part: Path) -> Any:
    if not is_web(address):
        raise DatasetError(f"{address} is neither an http nor an https address")
    try:
        return _opener().open(request.Request(address, headers=headers), timeout=TIMEOUT)
    except HTTPError as error:
        error.close()
        if error.code == 416:  # the part does not match the server's file: restart
            part.unlink(missing_ok=True)
            raise BrokenOffError("could not be resumed") from error
        if error.code in (404, 410):
            raise NotThereError(f"{address} does not exist (HTTP {error.code})") from error
        if error.code in _LATER:
            raise BrokenOffError(f"returned HTTP {error.code}") from error
        raise DatasetError(f"{address} was refused: HTTP {error.code} {error.reason}") from error
    except URLError as error:
        gone = (socket.gaierror, ConnectionRefusedError, ssl.SSLCertVerificationError)
        if isinstance(error.reason, gone) or not isinstance(error.reason, OSError):
            raise UnreachableError(f"{address} cannot be reached: {error.reason}") from error
        raise BrokenOffError(f"failed: {error.reason}") from error
    except (InvalidURL, ValueError) as error:
        raise DatasetError(f"{address} is not an address: {error}") from error
    except (OSError, HTTPException) as error:
        raise BrokenOffError(f"failed: {str(error) or type(error).__name__}") from error


@contextlib.contextmanager
def _patience(connection: Any) -> Iterator[None]:
    """Hang up on a server that takes too long, however often it sends a byte."""

    def hang_up() -> None:
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(PATIENCE, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _Impatient(HTTPConnection):
    """A connection that waits for the head of an answer as a whole, not for each byte of it."""

    def getresponse(self) -> HTTPResponse:
        """Return the answer, with its connection, which http.client lets go of."""
        connection = self.sock
        with _patience(connection):
            answer = super().getresponse()
        answer.connection = connection  # type: ignore[attr-defined]
        return answer


class _ImpatientSecure(HTTPSConnection, _Impatient):
    """The same, encrypted."""


class _Plain(request.HTTPHandler):
    """Opens http addresses."""

    def http_open(self, req: request.Request) -> HTTPResponse:
        """Open the address."""
        return self.do_open(_Impatient, req)


class _Secure(request.HTTPSHandler):
    """Opens https addresses; certificates are checked."""

    def https_open(self, req: request.Request) -> HTTPResponse:
        """Open the address."""
        return self.do_open(_ImpatientSecure, req)


def _opener() -> request.OpenerDirector:
    """Return an opener for http and https with redirects and the user's proxy, and nothing else."""
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler,
        _Plain,
        _Secure,
        request.HTTPRedirectHandler,
        request.HTTPDefaultErrorHandler,
        request.HTTPErrorProcessor,
        request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


def _read(answer: Any, most: int) -> bytes:
    try:
        with _patience(answer.connection):
            data: bytes = answer.read1(most)  # what is there; a slow server would hold up the rest
    except (OSError, HTTPException) as error:
        raise BrokenOffError(f"broke off: {str(error) or type(error).__name__}") from error
    return data
