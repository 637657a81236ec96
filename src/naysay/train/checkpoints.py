"""Verified checkpoints: sealed once all their files are on disk.

The library writes a checkpoint file by file, so a killed process leaves a partial one. The seal is
written last and lists each file with its size and checksum; a folder without it, or with different
content, is not a checkpoint.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from naysay.core.errors import RunError
from naysay.core.files import read_text
from naysay.core.keys import file_digest
from naysay.core.paths import flush, write_json

NAME = "training.json"


def read_record(folder: Path) -> dict[str, Any]:
    """Return all sections; empty if nothing was written yet."""
    path = folder / NAME
    try:
        record = json.loads(read_text(path))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RunError(
            f"{path} cannot be read ({error}). Move the folder away and train again."
        ) from error
    if not isinstance(record, dict):
        raise RunError(f"{path} is not a training record; choose another folder")
    return record


def write_sections(folder: Path, **sections: Any) -> None:
    """Update these sections of the record; the others are kept."""
    write_json(folder / NAME, read_record(folder) | sections)


@contextlib.contextmanager
def written(folder: Path) -> Iterator[None]:
    """Turn what libraries raise on a full or read-only disk into one line."""
    try:
        yield
    except OSError as error:
        reason: object = error.strerror or error
    except Exception as error:
        # safetensors and torch have errors of their own for a write that fails.
        if not isinstance(error, RuntimeError) and type(error).__name__ != "SafetensorError":
            raise
        if not re.search(r"I/O error|PytorchStreamWriter|iostream error", str(error)):
            raise
        reason = str(error).splitlines()[0]
    else:
        return
    raise RunError(
        f"cannot write to {folder}: {reason}. Free some space; the same command resumes from the "
        "last checkpoint."
    )


def claim(
    folder: Path,
    section: str,
    identity: dict[str, Any],
    upgraded: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> dict[str, Any]:
    """Return the section of this training, new or existing; refuse a folder of another one.

    `upgraded` translates what older versions recorded.
    """
    written = read_record(folder).get(section)
    plain = json.loads(json.dumps(identity))
    if written is None:
        written = {"identity": plain}
        write_sections(folder, **{section: written})
    if differences := _differences(upgraded(written.get("identity", {})), plain):
        raise RunError(
            f"{folder} holds another training ({'; '.join(differences)}). "
            "Choose another folder with --output, or move that one away."
        )
    found: dict[str, Any] = written
    return found


def _differences(there: dict[str, Any], asked: dict[str, Any], place: str = "") -> list[str]:
    found = []
    for name in sorted({*there, *asked}):
        one, other = there.get(name), asked.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            found += _differences(one, other, f"{place}{name} ")
        elif one != other:
            found.append(f"{place}{name}: found {_shown(one)}, requested {_shown(other)}")
    return found


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:14] + "…"


SEAL = "whole.json"
_PREFIX = "checkpoint-"


def step_of(checkpoint: Path) -> int:
    """Return the step of the checkpoint."""
    return int(checkpoint.name.removeprefix(_PREFIX))


def checkpoint_at(folder: Path, step: int) -> Path:
    """Return the path of the checkpoint of that step."""
    return folder / f"{_PREFIX}{step}"


def seal(checkpoint: Path) -> None:
    """Flush all files to disk, then write the seal."""
    files = sorted(path for path in checkpoint.rglob("*") if path.is_file())
    listed = {}
    for path in files:
        flush(path)
        name = path.relative_to(checkpoint).as_posix()
        listed[name] = [path.stat().st_size, file_digest(path)]
    write_json(checkpoint / SEAL, listed)


def is_whole(checkpoint: Path) -> bool:
    """Return whether all files match the seal."""
    try:
        listed = json.loads(read_text(checkpoint / SEAL))
        return all(_is_same(checkpoint / name, *recorded) for name, recorded in listed.items())
    except (OSError, ValueError, TypeError, AttributeError):
        return False


def _is_same(path: Path, size: int, digest: str) -> bool:
    return path.is_file() and path.stat().st_size == size and file_digest(path) == digest


def found(folder: Path) -> list[Path]:
    """Return all checkpoints of a folder, complete or not, oldest first."""
    paths = [path for path in folder.glob(f"{_PREFIX}*") if path.is_dir()]
    return sorted((p for p in paths if p.name.removeprefix(_PREFIX).isdigit()), key=step_of)


def last_whole(folder: Path) -> tuple[Path | None, list[Path]]:
    """Return the last complete checkpoint, and the incomplete later ones, which are deleted."""
    cut: list[Path] = []
    for checkpoint in reversed(found(folder)):
        if is_whole(checkpoint):
            return checkpoint, cut
        shutil.rmtree(checkpoint)
        cut.append(checkpoint)
    return None, cut


def prune(folder: Path, keep: int, besides: Collection[int] = ()) -> None:
    """Delete all but the last `keep` checkpoints and those of the given steps."""
    checkpoints = found(folder)
    for checkpoint in checkpoints[: max(len(checkpoints) - keep, 0)]:
        if step_of(checkpoint) not in besides:
            # The seal goes first: a process killed here leaves nothing that looks complete.
            (checkpoint / SEAL).unlink(missing_ok=True)
            shutil.rmtree(checkpoint)


def state_of(checkpoint: Path) -> dict[str, Any]:
    """Return the trainer's state in a checkpoint: its step and its log."""
    state: dict[str, Any] = json.loads(read_text(checkpoint / "trainer_state.json"))
    return state
