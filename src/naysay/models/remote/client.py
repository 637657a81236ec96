"""JSON over HTTP: one question at a time, tried again where that can help.

A server that is busy (429), fails (500 and others) or stalls is asked again after a pause that
doubles each time, or that the server names. What it refuses is not asked again. Some servers answer
500 to what they cannot do, so a second 500 counts as a refusal while they are being explored.
Redirects are not followed: the key is meant for the address that the user gave.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from naysay.core.errors import ServerError, ServerRefusalError
from naysay.models.remote.address import OWN_KEY, Address

Reply = dict[str, Any]
_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 300.0  # seconds
_WORDS = 300  # characters of a server's own words that an error repeats
_LARGEST = 64 * 2**20  # bytes of a reply


class _PassingError(Exception):
    """A try that failed in a way that may pass."""

    def __init__(
        self, why: str, pause: float | None = None, refusal: ServerRefusalError | None = None
    ) -> None:
        """`refusal` is what it means if it does not pass."""
        super().__init__(why)
        self.why, self.pause, self.refusal = why, pause, refusal


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Leaves a redirect to the caller, as an error with its status."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Client:
    """Sends requests to one address."""

    def __init__(
        self,
        address: Address,
        key: str | None,
        *,
        timeout: float = 60.0,
        tries: int = 6,
        pause: Callable[[float], None] | None = None,
    ) -> None:
        """`pause` waits for so many seconds; tests give one that only notes them."""
        self.address = address
        self._key, self._timeout, self._tries = key, timeout, tries
        self._pause = pause
        self._stopped = threading.Event()
        self._met = False
        self._failing: set[str] = set()
        """Paths whose last answer was a 500 with a message."""
        # A proxy cannot reach this machine's loopback.
        proxies = urllib.request.ProxyHandler({} if address.is_loopback else None)
        self._opener = urllib.request.build_opener(proxies, _NoRedirects)

    def get(self, path: str, *, tries: int | None = None) -> Reply:
        """Ask for a resource; a path that begins with `/` is below the server's root."""
        return self._ask("GET", path, None, tries)

    def post(
        self, path: str, body: Mapping[str, Any], *, tries: int | None = None,
        explores: bool = False,
    ) -> Reply:  # fmt: skip
        """Ask a question; `tries` limits how often.

        With `explores`, a 500 that does not pass is a refusal; further ones there are not awaited.
        """
        content = json.dumps(body, ensure_ascii=False).encode()
        return self._ask("POST", path, content, tries, explores=explores)

    def stop(self) -> None:
        """Let no thread try again: one of them has failed for good."""
        self._stopped.set()

    def _ask(
        self, method: str, path: str, body: bytes | None, tries: int | None, *,
        explores: bool = False,
    ) -> Reply:  # fmt: skip
        tries = self._tries if tries is None else min(tries, self._tries)
        for number in range(tries):
            try:
                reply = self._once(method, path, body)
            except _PassingError as error:
                last = error
            else:
                self._met = True
                self._failing.discard(path)
                return reply
            if explores and last.refusal is not None:
                if path in self._failing:
                    raise last.refusal
                self._failing.add(path)
            pause = _FIRST_PAUSE * 2**number if last.pause is None else last.pause
            if number + 1 == tries or pause > _LONGEST_PAUSE or self._stopped.is_set():
                break
            self._wait(pause)
        waits = f" and asks to wait {last.pause:,.0f} s" if (last.pause or 0) > 60 else ""
        raise ServerError(
            f"{self.address.url} {last.why}{waits}; given up after {_times(number + 1)}. All "
            "answers so far are kept; the same command resumes the run."
        )

    def _wait(self, seconds: float) -> None:
        if self._pause is not None:
            self._pause(seconds)
        else:
            self._stopped.wait(seconds)

    def _once(self, method: str, path: str, body: bytes | None) -> Reply:
        base = self.address.root if path.startswith("/") else f"{self.address.url}/"
        request = urllib.request.Request(base + path, data=body, method=method)
        request.add_header("Content-Type", "application/json")
        request.add_header("Accept", "application/json")
        if self._key is not None:
            # Not repeated on a redirect, even if one were followed.
            request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                content = response.read(_LARGEST + 1)
                if len(content) < int(response.headers.get("Content-Length") or 0) <= _LARGEST:
                    raise http.client.IncompleteRead(content)
                return self._read(content)
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from None
        except TimeoutError:
            raise _PassingError(f"did not answer within {self._timeout:g} s") from None
        except http.client.IncompleteRead:
            raise _PassingError("broke off in the middle of an answer") from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise _PassingError(f"did not answer within {self._timeout:g} s") from None
            if not self._met:
                raise ServerError(
                    f"no server at {self.address.url}: {self._plain(str(reason))}. Start it, or "
                    "check host, port and path (most servers want /v1 at the end)"
                ) from None
            raise _PassingError(f"no longer answers ({self._plain(str(reason))})") from None

    def _read(self, content: bytes) -> Reply:
        if len(content) > _LARGEST:
            raise ServerError(f"{self.address.url} sent more than {_LARGEST:,} bytes in one answer")
        try:
            reply = json.loads(self._without_key(content.decode()))
        except ValueError:
            raise _PassingError("sent an answer that is no JSON, or breaks off") from None
        if not isinstance(reply, dict):
            raise ServerError(f"{self.address.url} sent an answer that is no JSON object")
        return reply

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        """What a status other than success means."""
        with error:
            try:
                text = error.read(_LARGEST).decode("utf-8", "replace")
            except (OSError, http.client.HTTPException):
                text = ""
        words = self._plain(_message(text))
        said = f"answered {error.code} {error.reason or ''}".rstrip()
        said += f": {words}" if words else ""
        if 300 <= error.code < 400:
            return ServerError(
                f"{self.address.url} redirects elsewhere ({error.code}), which naysay does not "
                "follow; give the final address"
            )
        refusal = ServerRefusalError(f"{self.address.url} {said}", error.code, words)
        if error.code in _BUSY:
            pause = _named_pause(error.headers.get("Retry-After"))
            return _PassingError(said, pause, refusal if error.code == 500 and words else None)
        if error.code in (401, 403):
            state = "its key was refused" if self._key else f"set a key in {OWN_KEY}"
            return ServerError(f"{self.address.url} {said} ({state})")
        return refusal

    def _plain(self, text: str) -> str:
        """The server's own words on one line, without the key."""
        line = " ".join(self._without_key(text).split())
        return line if len(line) <= _WORDS else f"{line[: _WORDS - 1]}…"

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


def _message(text: str) -> str:
    """The message in the body of an error; servers put it in different places."""
    try:
        found: Any = json.loads(text)
    except ValueError:
        return text
    for name in ("error", "detail", "message"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def _named_pause(header: str | None) -> float | None:
    """The pause of a Retry-After header, in seconds or as a date; None if there is none."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _times(number: int) -> str:
    return "one try" if number == 1 else f"{number} tries"
