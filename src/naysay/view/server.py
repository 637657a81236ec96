"""The server: addresses and their pages, on this machine only."""

from __future__ import annotations

import socket
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from naysay.core.console import notify
from naysay.core.errors import NaysayError, SpecError
from naysay.reports.page import charting_library, page_asset
from naysay.view.folder import UnknownRunError
from naysay.view.links import Links
from naysay.view.queries import LONGEST, filters_of
from naysay.view.security import Guard
from naysay.view.site import Site
from naysay.view.templates import ASSETS
from naysay.view.trial import Trial

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"
_LINKS = Links()


def make_app(site: Site, trial: Trial, port: int) -> Any:
    """Return the app, behind its guard."""
    site.prepare()
    pages = Pages(site, trial)
    routes = [
        Route("/", pages.home),
        Route("/runs", pages.runs),
        Route("/runs/{run}", pages.run),
        Route("/models/{model}", pages.model),
        Route("/items/{run}/{suite}", pages.items),
        Route("/items/{run}/{suite}/{shard}/{row:int}", pages.item),
        Route("/compare", pages.compare),
        Route("/try", pages.trial),
        Route("/try/state", pages.trial_state),
        Route("/try/ask", pages.ask, methods=["POST"]),
        Route("/try/again", pages.again, methods=["POST"]),
        Route("/assets/{name}", pages.asset),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Faults, pages.fault)],
        exception_handlers={404: pages.missing, 405: pages.missing},
    )
    return Guard(app, port)


def listening(port: int = 0) -> socket.socket:
    """Return a socket on this machine, on a free port if none is given."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
    except OSError as error:
        found.close()
        raise SpecError(
            f"port {port} of this machine cannot be used ({error.strerror}): leave --port out"
        ) from error
    return found


def make_server(site: Site, trial: Trial, place: socket.socket) -> uvicorn.Server:
    """Return a server for a socket, which is to be run with it."""
    import uvicorn

    app = make_app(site, trial, place.getsockname()[1])
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, lifespan="off", server_header=False,
        timeout_graceful_shutdown=2,
    )  # fmt: skip
    place.listen(128)
    return uvicorn.Server(config)


def serve(site: Site, trial: Trial, place: socket.socket, started: Callable[[], None]) -> None:
    """Answer requests until the process is interrupted."""
    server = make_server(site, trial, place)
    started()
    # The charts' script takes seconds to make, which a first page need not wait for.
    threading.Thread(target=charting_library, name="charts", daemon=True).start()
    try:
        server.run(sockets=[place])
    finally:
        trial.close()
        site.close()


def assets() -> dict[str, tuple[str, str]]:
    """Return the styles and scripts by name, each with its type."""
    script, style = "text/javascript", "text/css"
    return {
        "page.css": (page_asset("page.css"), style),
        "view.css": ((ASSETS / "view.css").read_text(encoding="utf-8"), style),
        "page.js": (page_asset("page.js"), script),
        "view.js": ((ASSETS / "view.js").read_text(encoding="utf-8"), script),
        "try.js": ((ASSETS / "try.js").read_text(encoding="utf-8"), script),
        "charts.js": (charting_library(), script),
    }


class Faults:
    """Answers an error that nobody foresaw; Starlette's own handler would raise it once more."""

    def __init__(
        self, app: ASGIApp, answer: Callable[[Request, Exception], Awaitable[Response]]
    ) -> None:
        self._app, self._answer = app, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            response = await self._answer(Request(scope), error)
            if not begun:
                await response(scope, receive, send)


class Pages:
    """Answers each kind of request; the work is done in threads, so that none waits for another."""

    def __init__(self, site: Site, trial: Trial) -> None:
        self._site, self._trial = site, trial
        self._assets: dict[str, tuple[str, str]] = {}

    async def home(self, request: Request) -> Response:
        """The leaderboard."""
        if request.headers.get("x-stamp") == await run_in_threadpool(self._site.stamp):
            return Response(status_code=204)
        return await self._page(self._site.home)

    async def runs(self, request: Request) -> Response:
        """The list of runs."""
        if request.headers.get("x-stamp") == await run_in_threadpool(self._site.stamp):
            return Response(status_code=204)
        return await self._page(self._site.runs)

    async def run(self, request: Request) -> Response:
        """One run."""
        return await self._page(partial(self._site.run, request.path_params["run"]))

    async def model(self, request: Request) -> Response:
        """One model."""
        return await self._page(partial(self._site.model, request.path_params["model"]))

    async def items(self, request: Request) -> Response:
        """The items of a run's suite."""
        path, query = request.path_params, request.query_params
        return await self._page(
            partial(
                self._site.items, path["run"], path["suite"], filters_of(query),
                _whole(query.get("page", "")) or 1,
            )
        )  # fmt: skip

    async def item(self, request: Request) -> Response:
        """One item."""
        path, query = request.path_params, request.query_params
        sides = [query.get(name, "")[:LONGEST] for name in ("left", "right")]
        draw = partial(
            self._site.item, path["run"], path["suite"], path["shard"], path["row"], sides,
            filters=filters_of(query), at=_whole(query.get("at", "")),
            askable=self._trial.names(),
        )  # fmt: skip
        return await self._page(draw)

    async def compare(self, request: Request) -> Response:
        """Two runs."""
        first, other = (request.query_params.get(name, "") for name in ("first", "other"))
        return await self._page(partial(self._site.compare, first, other))

    async def trial(self, request: Request) -> Response:
        """The page where a model is tried."""
        return await self._page(partial(self._trial.page, self._site))

    async def trial_state(self, request: Request) -> Response:
        """Whether a model is loaded, and for how long it has been loading."""
        return JSONResponse(self._trial.state(request.query_params.get("model", "")))

    async def ask(self, request: Request) -> Response:
        """The answer to a question, unless a newer one has come meanwhile."""
        return await self._answer(request, self._trial.ask)

    async def again(self, request: Request) -> Response:
        """An item of a run, asked again."""
        return await self._answer(request, partial(self._trial.again, self._site))

    async def _answer(self, request: Request, answer: Callable[[Any], Any]) -> Response:
        try:
            question = await request.json()
        except (ValueError, RecursionError):  # the latter if it is nested too deeply
            return JSONResponse({"problem": "the question is no JSON"}, 400)
        try:
            return JSONResponse(await run_in_threadpool(answer, question))
        except NaysayError as error:
            return JSONResponse({"problem": str(error)})

    async def asset(self, request: Request) -> Response:
        """A style or a script, by its name in a fixed list."""
        if not self._assets:
            self._assets = await run_in_threadpool(assets)
        name = request.path_params["name"]
        if name not in self._assets:
            return await self.missing(request, None)
        text, kind = self._assets[name]
        return Response(text, media_type=kind, headers={"cache-control": "no-cache"})

    async def missing(self, request: Request, error: object) -> Response:
        """The page for an address that leads nowhere."""
        return await self._refuse("There is no such page.", 404)

    async def fault(self, request: Request, error: Exception) -> Response:
        """The page for an error that nobody foresaw; the terminal gets it in one line."""
        problem = f"{type(error).__name__}: {error}"
        notify(f"{request.url.path} cannot be shown: {problem}")
        if request.method == "POST":
            return JSONResponse({"problem": f"this cannot be answered ({problem})"}, 500)
        return await self._refuse(f"This page cannot be shown ({problem}).", 500)

    async def _page(self, draw: Callable[[Links], str]) -> Response:
        try:
            return HTMLResponse(await run_in_threadpool(draw, _LINKS))
        except UnknownRunError as error:
            return await self._refuse(str(error), 404)
        except NaysayError as error:
            return await self._refuse(str(error), 422)

    async def _refuse(self, problem: str, status: int) -> Response:
        return HTMLResponse(await run_in_threadpool(self._site.error, problem, _LINKS), status)


def _whole(text: str) -> int:
    """A number in an address; 0 for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0
