"""Checkpoints that are known to be whole: sealed when everything in them is on disk.

The library writes a checkpoint file by file into its place, so a killed process leaves part of one
behind. The seal comes last and lists each file with its size and checksum; a folder without it, or
with another content, is no checkpoint.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

from naysay.core.errors import RunError
from naysay.core.keys import file_digest
from naysay.core.paths import flush, write_json

NAME = "training.json"


def read_record(folder: Path) -> dict[str, Any]:
    """All sections, none if nothing was written yet."""
    path = folder / NAME
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RunError(
            f"{path} cannot be read ({error}). Move the folder away and train again."
        ) from error
    if not isinstance(record, dict):
        raise RunError(f"{path} is not the record of a training; choose another folder")
    return record


def write_sections(folder: Path, **sections: Any) -> None:
    """Put these sections into the record; the others stay."""
    write_json(folder / NAME, read_record(folder) | sections)


def claim(folder: Path, section: str, identity: dict[str, Any]) -> dict[str, Any]:
    """The section of this training, new or as it was left; refuses a folder of another one."""
    written = read_record(folder).get(section)
    plain = json.loads(json.dumps(identity))
    if written is None:
        written = {"identity": plain}
        write_sections(folder, **{section: written})
    if differences := _differences(written.get("identity", {}), plain):
        raise RunError(
            f"{folder} holds another training ({'; '.join(differences)}). "
            "Choose another folder with --out, or move that one away."
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
            found.append(f"{place}{name}: there {_shown(one)}, asked {_shown(other)}")
    return found


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:14] + "…"


SEAL = "whole.json"
_PREFIX = "checkpoint-"


def step_of(checkpoint: Path) -> int:
    """The step after which it was written."""
    return int(checkpoint.name.removeprefix(_PREFIX))


def checkpoint_at(folder: Path, step: int) -> Path:
    """The place of the checkpoint of that step."""
    return folder / f"{_PREFIX}{step}"


def seal(checkpoint: Path) -> None:
    """Have all files on disk, then say so."""
    files = sorted(path for path in checkpoint.rglob("*") if path.is_file())
    listed = {}
    for path in files:
        flush(path)
        name = path.relative_to(checkpoint).as_posix()
        listed[name] = [path.stat().st_size, file_digest(path)]
    write_json(checkpoint / SEAL, listed)


def is_whole(checkpoint: Path) -> bool:
    """Whether everything is there as it was when the checkpoint was sealed."""
    try:
        listed = json.loads((checkpoint / SEAL).read_text(encoding="utf-8"))
        return all(_is_same(checkpoint / name, *told) for name, told in listed.items())
    except (OSError, ValueError, TypeError, AttributeError):
        return False


def _is_same(path: Path, size: int, digest: str) -> bool:
    return path.is_file() and path.stat().st_size == size and file_digest(path) == digest


def found(folder: Path) -> list[Path]:
    """All checkpoints of a folder, whole or not, the oldest first."""
    paths = [path for path in folder.glob(f"{_PREFIX}*") if path.is_dir()]
    return sorted((p for p in paths if p.name.removeprefix(_PREFIX).isdigit()), key=step_of)


def last_whole(folder: Path) -> tuple[Path | None, list[Path]]:
    """The last whole checkpoint, and those after it that were cut, which are taken away."""
    cut: list[Path] = []
    for checkpoint in reversed(found(folder)):
        if is_whole(checkpoint):
            return checkpoint, cut
        shutil.rmtree(checkpoint)
        cut.append(checkpoint)
    return None, cut


def prune(folder: Path, keep: int, besides: Collection[int] = ()) -> None:
    """Leave the last `keep` checkpoints, and those of the named steps."""
    checkpoints = found(folder)
    for checkpoint in checkpoints[: max(len(checkpoints) - keep, 0)]:
        if step_of(checkpoint) not in besides:
            # Without its seal first: a process that is killed here leaves nothing that looks whole.
            (checkpoint / SEAL).unlink(missing_ok=True)
            shutil.rmtree(checkpoint)


def state_of(checkpoint: Path) -> dict[str, Any]:
    """The trainer's state in a checkpoint: its step and its log."""
    state: dict[str, Any] = json.loads(
        (checkpoint / "trainer_state.json").read_text(encoding="utf-8")
    )
    return state
