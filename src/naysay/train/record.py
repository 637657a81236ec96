"""`training.json`: what a training folder holds, section by section.

A folder belongs to one training. What that training was made of is written down first; another one
in the same folder is refused, and the error names what differs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from naysay.errors import RunError
from naysay.store.files import write_json

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
