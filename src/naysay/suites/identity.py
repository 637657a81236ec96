"""Which model a run has tested: its name on the hub, and the digests of its weights.

A paper's model is recognised by its full name on the hub or by its weights, never by the last part
of a name or path: `klue/roberta-base` is not `roberta-base`, and neither is a folder of that name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.models.files.weights import snapshot_of

_KIND = re.compile(r"[A-Za-z][\w-]+:")  # as in masked:bert-base-cased; C:\ is a path


@dataclass(frozen=True)
class ModelIdentity:
    """What a model can be recognised by."""

    name: str | None
    """Its full name on the hub, in small letters; None if it is not from there."""
    weights: frozenset[str] = frozenset()
    """The SHA-256 of each of its weight files."""
    digest: str = ""
    """naysay's hash of all its files, kind and precision."""

    @classmethod
    def named(cls, name: str) -> ModelIdentity:
        """A model that is known by its name only."""
        return cls(_plain(name))

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> ModelIdentity:
        """The model of a run, from what its manifest records."""
        weights = frozenset(map(str, (facts.get("weights") or {}).values()))
        return cls(_hub_name(facts), weights, str(facts.get("digest", "")))

    def is_one_of(self, names: Collection[str], digests: Collection[str] = ()) -> bool:
        """Whether it has one of these names, or none but these weights."""
        if self.name is not None and self.name in {name.lower() for name in names}:
            return True
        known = set(digests)
        return self.digest in known or (bool(self.weights) and self.weights <= known)


def _hub_name(facts: Mapping[str, Any]) -> str | None:
    """The name on the hub.

    Runs of 0.1.0 record a commit where the files come from the hub, and None where they do not.
    """
    name = str(facts["name"])
    if "hub" in facts:
        hub = facts["hub"]
        return None if hub is None else _plain(str(hub))
    address = _address(name)
    hub, _ = snapshot_of(address)
    if hub is not None:
        return hub.lower()
    from_files = "revision" in facts and not facts["revision"]
    return None if from_files or _is_path(address) else _plain(name)


def _plain(name: str) -> str:
    """The name on the hub, without the revision behind it."""
    return _address(name).partition("@")[0].lower()


def _address(name: str) -> str:
    """The name without its kind."""
    found = _KIND.match(name)
    return name[found.end() :] if found else name


def _is_path(address: str) -> bool:
    if address.startswith((".", "/", "~")) or "\\" in address or address.count("/") > 1:
        return True
    try:
        return Path(address).exists()
    except (OSError, ValueError):  # too long, a null character
        return False
