"""Files that are whole or not there: written beside, flushed, renamed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from naysay.errors import RunError


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a file beside `path`, then put it in place at once."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(beside)
        flush(beside)
        beside.replace(path)
    except OSError as error:
        raise RunError(
            f"cannot write {path}: {error.strerror or error}. "
            "Free or unlock that place, or choose another folder with --out."
        ) from error
    finally:
        beside.unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Have the system put the file's content on disk."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    write_whole(path, lambda beside: _write_utf8(beside, text))


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, whole or not at all."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def _write_utf8(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
