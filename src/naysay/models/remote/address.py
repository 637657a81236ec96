"""The address of a server, and the key that goes with it.

The address becomes part of manifests and pages, so it must contain nothing secret. The key is read
from the environment, is sent to the address alone, and is written nowhere.
"""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from naysay.core.errors import ModelError

OWN_KEY, SHARED_KEY = "NAYSAY_SERVER_KEY", "OPENAI_API_KEY"
_HOW = "write server:http://HOST:PORT/v1"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is: `http://127.0.0.1:8080/v1`, say."""

    url: str

    @classmethod
    def of(cls, text: str) -> Address:
        """Check an address; what is refused is not repeated, since it may contain a password."""
        try:
            parts = urlsplit(text.strip())
            port = parts.port
        except ValueError as error:
            raise ModelError(f"server: the address cannot be read ({error}); {_HOW}") from None
        if parts.username is not None or parts.password is not None or "@" in parts.netloc:
            raise ModelError(
                "server: the address contains a user's name or a password, which would be written "
                f"into the run's manifest; {_HOW}, and give a key in the environment as {OWN_KEY}"
            )
        if parts.query or parts.fragment:
            raise ModelError(
                "server: the address must end with its path; what follows a ? or # may be secret. "
                f"Give a key in the environment as {OWN_KEY}"
            )
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ModelError(f"server: {text!r} is not an address; {_HOW}")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        place = host if port is None else f"{host}:{port}"
        return cls(f"{parts.scheme}://{place}{parts.path.rstrip('/')}")

    @property
    def place(self) -> str:
        """Host and port, as in `127.0.0.1:8080`."""
        return urlsplit(self.url).netloc

    @property
    def root(self) -> str:
        """The address without `/v1`: servers have their own endpoints there."""
        return self.url.removesuffix("/v1")

    @property
    def is_loopback(self) -> bool:
        """Whether the server runs on this machine, so that questions cost nothing."""
        host = urlsplit(self.url).hostname or ""
        if host == "localhost":
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    @property
    def is_private(self) -> bool:
        """Whether nobody can read along: it is this machine, or the connection is encrypted."""
        return self.is_loopback or self.url.startswith("https://")


def key_for(address: Address) -> str | None:
    """Return the key from the environment, None if there is none.

    A key for this server goes to it in any case; the key that other programs use as well goes only
    where nobody can read along.
    """
    names = (OWN_KEY, SHARED_KEY) if address.is_private else (OWN_KEY,)
    for name in names:
        key = os.environ.get(name, "").strip()
        if key and not (key.isascii() and key.isprintable()):
            raise ModelError(f"the key in {name} has signs that no header can carry; set it anew")
        if key:
            return key
    return None
