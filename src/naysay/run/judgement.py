"""A run's judgement, kept beside its rows, so that a finished run is not judged again.

It stands for exactly one judging: it is used only if the manifest, every shard and fit, the options
of judging, and the programs that judge are those that it was made of and by. A judgement that is
missing, damaged, or of something else is made anew; it never is an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

import msgspec

from naysay.core import VERSION
from naysay.core.errors import NaysayError
from naysay.core.files import read_bytes
from naysay.core.keys import content_key, file_digest
from naysay.core.paths import write_bytes
from naysay.core.records import Finding
from naysay.core.spec import RunSpec
from naysay.run.manifest import NAME, Manifest
from naysay.run.rows import fit_file, shard_files
from naysay.suites import SUITES

FILE = "judgement.json"
_LIBRARIES = ("numpy", "pyarrow", "scipy")
"""The libraries that compute figures."""
_PROGRAM = (".py", ".toml")
"""The endings of files that decide how rows are judged: code, published figures, reports."""


class _Stored(msgspec.Struct, forbid_unknown_fields=True):
    """The file."""

    key: str
    """What was judged, and by what."""
    sha256: str
    """The checksum of the findings, as they are written here."""
    findings: msgspec.Raw


def read_judgement(manifest: Manifest, spec: RunSpec) -> tuple[Finding, ...] | None:
    """Return the findings of an earlier judging if it was the same one, and None otherwise."""
    path = manifest.path(FILE)
    try:
        stored = msgspec.json.decode(read_bytes(path), type=_Stored)
        content = bytes(stored.findings)
        if stored.sha256 != hashlib.sha256(content).hexdigest():
            return None
        if stored.key != _key(manifest, spec):
            return None
        return msgspec.json.decode(content, type=tuple[Finding, ...])
    except (OSError, ValueError, RecursionError, NaysayError):  # msgspec's errors are ValueErrors
        return None


def keep_judgement(manifest: Manifest, spec: RunSpec, findings: tuple[Finding, ...]) -> None:
    """Write the findings beside the rows that they were made of, whole or not at all.

    What would not come back as it is, such as an infinite number, is not kept.
    """
    with contextlib.suppress(OSError, ValueError, TypeError, NaysayError):
        key = _key(manifest, spec)
        content = msgspec.json.encode(findings)
        if key is None or msgspec.json.decode(content, type=tuple[Finding, ...]) != findings:
            return
        stored = _Stored(key, hashlib.sha256(content).hexdigest(), msgspec.Raw(content))
        write_bytes(manifest.path(FILE), msgspec.json.encode(stored))


def _key(manifest: Manifest, spec: RunSpec) -> str | None:
    """Return the hash of all that decides a judgement; None where that cannot be known.

    The manifest has the checksums of the shards, so it stands for their rows once these have been
    compared with it. Other packages may judge by code that is not in the folder of their suite.
    """
    suites = [SUITES.get(name) for name in manifest.planned]
    if not all(SUITES.is_own(suite.name) for suite in suites) or (code := code_digest()) is None:
        return None
    shards = [file for suite in suites for file in shard_files(manifest, suite)]
    if not all(map(manifest.is_whole, shards)):
        return None
    return content_key(
        {
            "naysay": VERSION,
            "code": code,
            "python": platform.python_version(),
            "libraries": {name: version(name) for name in _LIBRARIES},
            "manifest": file_digest(manifest.path(NAME)),
            "fits": {file: file_digest(manifest.path(file)) for file in map(fit_file, suites)},
            "spec": spec.as_dict(),
        }
    )


@cache
def code_digest() -> str | None:
    """Return the hash of naysay's own files, so that no change of a rule needs a new version."""
    folder = Path(__file__).parent.parent
    return digest_of(path for path in folder.rglob("*") if path.suffix in _PROGRAM)


def digest_of(paths: Iterable[Path]) -> str | None:
    """Return the hash of some files with their places; None if there are none."""
    found = hashlib.sha256()
    for path in (every := sorted(paths)):
        found.update(f"{path}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest() if every else None
