"""Which model a server says it has. It is the server's own word, and nothing of it is verified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from naysay.core.errors import ServerError, ServerRefusalError, UnknownNameError
from naysay.models.remote.address import Address
from naysay.models.remote.client import Client
from naysay.models.remote.session import Mark

_STATED = ("root", "owned_by", "parent")
_SIZES = ("n_vocab", "n_params", "n_embd", "size")
"""What llama.cpp tells of its weights. Times are left out: servers name that of the request."""


@dataclass(frozen=True)
class ServerIdentity:
    """A server and the model that it was asked for, in its own words."""

    address: Address
    model: str
    software: str | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model's name and the place where it was asked; of a path, the file."""
        model = self.model.rpartition("/")[2] if self.model.startswith("/") else self.model
        return f"{model}@{self.address.place}"

    def content(self, marks: Mapping[str, Mark]) -> list[Any]:
        """Return all that a run's key covers; `marks` are how its answers name the model."""
        named = sorted([path, *mark] for path, mark in marks.items() if any(mark))
        return [self.address.url, self.model, dict(self.stated), named]

    def facts(self, marks: Mapping[str, Mark]) -> dict[str, Any]:
        """Return what the manifest records."""
        fingerprints = {mark[1] for mark in marks.values() if mark[1]}
        return {
            "device": self.address.place,
            "precision": "the server's precision",
            "parameters": self.stated.get("n_params"),
            "hub": None,
            "revision": None,
            "address": self.address.url,
            "served_model": self.model,
            "server": self.software,
            "fingerprint": " ".join(sorted(fingerprints)) or None,
            "stated": dict(self.stated),
            "verified": False,
        }


def identify(client: Client, wanted: str | None) -> ServerIdentity:
    """Ask a server which models it has, and choose the wanted one, or the only one."""
    try:
        listed = client.get("models").get("data")
    except ServerRefusalError as error:
        if wanted is None:
            raise ServerError(
                f"{client.address.url} lists no models ({error.status} {error.words}): name one "
                "with --served-model, and check the path (most servers want /v1 at the end)"
            ) from None
        listed = None
    entries = [each for each in listed or [] if isinstance(each, Mapping) and "id" in each]
    models = {str(each["id"]): each for each in entries}
    if wanted is None:
        if len(models) != 1:
            names = ", ".join(sorted(models)[:10]) or "none"
            raise ServerError(
                f"{client.address.url} serves {len(models)} models ({names}): choose one with "
                "--served-model"
            )
        [wanted] = models
    aliases = {alias for each in entries for alias in each.get("aliases") or ()}
    if models and wanted not in models and wanted not in aliases:
        raise UnknownNameError("served model", wanted, models)
    entry = models.get(wanted, {})
    meta = entry.get("meta")
    stated = {name: entry[name] for name in _STATED if isinstance(entry.get(name), str)}
    if isinstance(meta, Mapping):
        stated |= {name: meta[name] for name in _SIZES if isinstance(meta.get(name), int)}
    software, told = _llama_cpp(client)
    return ServerIdentity(client.address, wanted, software or entry.get("owned_by"), stated | told)


def _llama_cpp(client: Client) -> tuple[str | None, dict[str, Any]]:
    """Return what llama.cpp tells of itself; nothing if the server is another."""
    try:
        props = client.get("/props", tries=1)
    except ServerError:
        return None, {}
    if "default_generation_settings" not in props:
        return None, {}
    told: dict[str, Any] = {n: props[n] for n in ("model_path", "build_info") if n in props}
    return "llama.cpp", told
