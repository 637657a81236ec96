"""Models behind an OpenAI-compatible address: llama.cpp, vLLM, Ollama and others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from naysay.core.console import notify
from naysay.core.errors import SpecError
from naysay.core.options import PLACE, Options, option
from naysay.core.protocols import Model, ModelRequest
from naysay.models.remote.address import Address, key_for

ENDPOINTS = ("completions", "chat", "embeddings")


@dataclass(frozen=True, kw_only=True)
class ServerOptions(Options):
    """What models behind an address read."""

    served_model: str | None = option(None, "Its name on the server. [default: the only one]")
    endpoint: str | None = option(None, "Only endpoint.", choices=ENDPOINTS)
    concurrency: int = option(4, "Requests at a time.", least=1, role=PLACE)
    timeout: float = option(60.0, "Seconds to wait for an answer.", least=1, role=PLACE)
    yes: bool = option(False, "Ask many questions without confirmation.", role=PLACE)


class ServerAdapter:
    """Opens `server:http://HOST:PORT/v1`."""

    kind = "server"
    prefixes = ("server",)
    options_type = ServerOptions
    summary = "any OpenAI-compatible server, as server:http://HOST:PORT/v1"

    def recognises(self, weights: object) -> bool:
        """Return False; a server has no files here."""
        return False

    def open(self, address: Any, request: ModelRequest) -> Model:
        """Find out what the server can do, and say so."""
        from naysay.models.remote.client import Client
        from naysay.models.remote.explorer import Explorer
        from naysay.models.remote.identity import identify
        from naysay.models.remote.server_model import ServerModel
        from naysay.models.remote.session import Session

        if request.precision != "fp32":
            raise SpecError("--precision is the server's own choice; start it with another one")
        options = ServerOptions.of(request.options)
        place = Address.of(str(address))
        client = Client(place, key_for(place), timeout=options.timeout)
        identity = identify(client, options.served_model)
        session = Session(client, options.concurrency)
        found = Explorer(session, identity.model).explore(options.endpoint)
        software = f" ({identity.software})" if identity.software else ""
        notify(f"{identity.name}{software}: {found.line()}")
        return ServerModel(session, identity, found, request, yes=options.yes)


ADAPTER = ServerAdapter()
