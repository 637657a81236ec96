"""What the server refuses: foreign hosts and origins, cross-site requests, and long bodies.

The server listens on this machine only, but every page that its user visits could send requests to
it. So it answers only to its own names, and never to what another site has asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 64_000
"""The longest body of a request."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""Only the server's own scripts run. Charts set the style of their marks, and no more than that."""
_FOREIGN = "requests from other sites are refused"
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Stands before the app, refuses what is not from its own pages, and sets the headers."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no sockets here
        if (problem := self._problem(scope["method"], Headers(scope=scope))) is not None:
            await PlainTextResponse(problem, 403)(scope, receive, _dressed(send))
            return
        await self._app(scope, _limited(receive), _dressed(send))

    def _problem(self, method: str, headers: Headers) -> str | None:
        """Why a request is refused."""
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self._hosts:
            return "this server answers only to its own address on this machine"
        own = f"http://{headers['host'].lower()}"
        origin = headers.get("origin")
        if origin is not None and origin.lower() != own:
            return _FOREIGN
        site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
        foreign = site not in (None, "same-origin", "none")
        if method in ("GET", "HEAD"):
            # A link on another site may lead here, but nothing here may be part of it.
            return _FOREIGN if foreign and mode != "navigate" else None
        if method != "POST":
            return f"{method} is not allowed"
        if origin is None or foreign:
            return _FOREIGN
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return "questions are sent as application/json"
        length = headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return f"a question has at most {MOST_BYTES} bytes"
        return None


def _limited(receive: Receive) -> Receive:
    """Read no more of a body than it may have, whatever its header says."""
    seen = 0

    async def read() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BYTES:
            return {"type": "http.disconnect"}
        return message

    return read


def _dressed(send: Send) -> Send:
    """Send an answer with the headers that every answer has."""

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return dressed
