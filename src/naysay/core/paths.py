"""Atomic file writes, lock files, and the cache directory."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from naysay.core.errors import NaysayError, RunError


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file next to `path`, then rename it into place."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(beside)
        flush(beside)
        beside.replace(path)
    except OSError as error:
        raise RunError(
            f"cannot write {path}: {error.strerror or error}. "
            "Make it writable, free some space, or choose another directory with --out."
        ) from error
    finally:
        beside.unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Flush the file's content to disk."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_whole(path, lambda beside: _write_utf8(beside, text))


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file atomically."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def _write_utf8(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


try:
    import fcntl
except ImportError:  # Windows has no fcntl; users must avoid concurrent runs there
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def locked(file: Path, busy: NaysayError) -> Iterator[None]:
    """Hold the lock file; raise `busy` if another process holds it."""
    with file.open("w") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise busy from None
        yield


def cache_folder() -> Path:
    """Return the directory for downloads: NAYSAY_CACHE, else the user's cache directory."""
    if given := os.environ.get("NAYSAY_CACHE"):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "naysay"
