"""The run's record of itself: what was asked of what, on what machine, and what is done.

A shard's checksum is written here before the shard is put in place, so a shard file that is there
is finished, and one that was cut or changed since does not match.
"""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from naysay.core import VERSION
from naysay.core.errors import RunError
from naysay.core.keys import file_digest
from naysay.core.paths import write_json
from naysay.core.spec import RunSpec

NAME = "manifest.json"
_LIBRARIES = (
    "numpy", "pyarrow", "scipy", "torch", "transformers", "tokenizers", "sentence-transformers",
)  # fmt: skip


@dataclass
class Manifest:
    """`manifest.json` as an object; every change is saved with `save`."""

    folder: Path
    key: str
    spec: dict[str, Any]
    model: dict[str, Any]
    shard_size: int
    shards: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By file: its suite, checksum, units, rows, questions and seconds."""
    planned: dict[str, int] = field(default_factory=dict)
    """By suite: how many shards it has."""
    machine: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    started: str = ""
    finished: str | None = None
    complaints: list[str] = field(default_factory=list)
    """Shards that were found damaged and asked again."""

    @property
    def units(self) -> dict[str, int]:
        """How many units of each suite are done."""
        units: Counter[str] = Counter()
        for shard in self.shards.values():
            units[shard["suite"]] += shard["units"]
        return dict(units)

    @property
    def counts(self) -> dict[str, int]:
        """Units, rows and questions of the shards that are done.

        Suites share their units, so the suite with most of them tells how many there are.
        """
        done = self.shards.values()
        summed = {what: sum(s[what] for s in done) for what in ("rows", "questions")}
        return {"units": max(self.units.values(), default=0), **summed}

    @property
    def seconds(self) -> float:
        """Time spent asking, over all sittings."""
        return round(sum(float(s["seconds"]) for s in self.shards.values()), 3)

    @property
    def run_spec(self) -> RunSpec:
        """The spec; its folder of runs is where the run lies now."""
        return RunSpec.from_dict({**self.spec, "out": self.folder.parent})

    def path(self, file: str) -> Path:
        """The place of one of the run's files."""
        return self.folder / file

    def is_whole(self, file: str) -> bool:
        """Whether a shard is there with the checksum on record."""
        path = self.path(file)
        return file in self.shards and path.is_file() and (
            file_digest(path) == self.shards[file]["sha256"]
        )  # fmt: skip

    def save(self) -> None:
        """Write the manifest, whole or not at all."""
        record = {
            "naysay": VERSION,
            "key": self.key,
            "spec": self.spec,
            "model": self.model,
            "machine": self.machine,
            "versions": self.versions,
            "started": self.started,
            "finished": self.finished,
            "seconds": self.seconds,
            "counts": self.counts,
            "complaints": self.complaints,
            "shard_size": self.shard_size,
            "planned": self.planned,
            "shards": self.shards,
        }
        write_json(self.folder / NAME, record)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run's folder."""
    path = folder / NAME
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        kept = {name: record[name] for name in Manifest.__dataclass_fields__ if name in record}
        return Manifest(folder=folder, **kept)
    except FileNotFoundError:
        raise RunError(f"{folder} is not a run: it has no {NAME}") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RunError(
            f"{path} cannot be read ({error}). Move the folder away and run again."
        ) from error


def made_by(manifest: Manifest) -> str:
    """The version of naysay that made the run, which may be an older one."""
    record = json.loads(manifest.path(NAME).read_text(encoding="utf-8"))
    return str(record.get("naysay", "unknown"))


def now() -> str:
    """This moment, in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def this_machine() -> dict[str, Any]:
    """What the run is made on; says nothing about whose machine it is."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def library_versions() -> dict[str, str]:
    """The versions of the libraries that a figure could depend on."""
    found = {}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
