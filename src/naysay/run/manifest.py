"""The record of a run: its spec and model, the machine, and the finished shards.

A shard's checksum is recorded before the shard is moved into place, so an existing shard file is
complete, and one that was truncated or changed since does not match.
"""

from __future__ import annotations

import hashlib
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
from naysay.core.files import read_bytes
from naysay.core.keys import file_digest
from naysay.core.paths import write_json
from naysay.core.spec import RunSpec
from naysay.run.options import spec_from_dict
from naysay.run.schema import ManifestRecord, checked

NAME = "manifest.json"
SCHEMA = 2
"""The schema version of manifests and rows. Version 0.1.0 wrote 1, with flat options."""
_LIBRARIES = (
    "numpy", "pyarrow", "scipy", "torch", "transformers", "tokenizers", "sentence-transformers",
)  # fmt: skip


_WHOLE: set[tuple[str, int, int, str]] = set()
"""Shards that this process has verified: path, size, modification time and checksum."""


def _seen(path: Path, sha256: str) -> tuple[str, int, int, str]:
    state = path.stat()
    return str(path.absolute()), state.st_size, state.st_mtime_ns, sha256


@dataclass
class Manifest:
    """`manifest.json` as an object; every change is saved with `save`."""

    folder: Path
    key: str
    spec: dict[str, Any]
    model: dict[str, Any]
    shard_size: int
    shards: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By file: suite, checksum, units, rows, questions and seconds."""
    planned: dict[str, int] = field(default_factory=dict)
    """By suite: its number of shards."""
    machine: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    started: str = ""
    finished: str | None = None
    complaints: list[str] = field(default_factory=list)
    """Problems during the run, such as corrupt shards that were recomputed."""
    naysay: str = VERSION
    """The version that started the run."""
    files: dict[str, str] = field(default_factory=dict)
    """Checksums of fits and examples. Runs of earlier versions have none."""

    @property
    def units(self) -> dict[str, int]:
        """The number of finished units per suite."""
        units: Counter[str] = Counter()
        for shard in self.shards.values():
            units[shard["suite"]] += shard["units"]
        return dict(units)

    @property
    def counts(self) -> dict[str, int]:
        """The number of units, rows and questions of the finished shards.

        Suites share their units, so the largest number of any suite counts.
        """
        done = self.shards.values()
        summed = {what: sum(s[what] for s in done) for what in ("rows", "questions")}
        return {"units": max(self.units.values(), default=0), **summed}

    def unmeasured(self, suite: str) -> int:
        """The number of a suite's units that the model's answers do not tell about."""
        own = (shard for shard in self.shards.values() if shard["suite"] == suite)
        return sum(int(shard.get("unmeasured", 0)) for shard in own)

    @property
    def seconds(self) -> float:
        """The time spent asking, including resumed sessions."""
        return round(sum(float(s["seconds"]) for s in self.shards.values()), 3)

    @property
    def run_spec(self) -> RunSpec:
        """The spec, with the run's current location as the folder of runs."""
        return spec_from_dict({**self.spec, "out": self.folder.parent})

    def path(self, file: str) -> Path:
        """Return the path of one of the run's files."""
        return self.folder / file

    def is_whole(self, file: str) -> bool:
        """Return whether a shard matches its checksum; it is hashed once per process."""
        path = self.path(file)
        if file not in self.shards or not path.is_file():
            return False
        seen = _seen(path, self.shards[file]["sha256"])
        if seen not in _WHOLE and file_digest(path) == self.shards[file]["sha256"]:
            _WHOLE.add(seen)
        return seen in _WHOLE

    def content(self, file: str) -> bytes | None:
        """Return the bytes of a shard; None if they do not match the checksum."""
        path, wanted = self.path(file), self.shards[file]["sha256"]
        seen = _seen(path, wanted)
        found = read_bytes(path)
        if seen not in _WHOLE and hashlib.sha256(found).hexdigest() != wanted:
            return None
        _WHOLE.add(seen)
        return found

    def wrote(self, file: str) -> None:
        """Mark a shard that this process wrote as verified."""
        _WHOLE.add(_seen(self.path(file), self.shards[file]["sha256"]))

    def keep(self, file: str, value: Any) -> None:
        """Write a file beside the manifest, and record its checksum."""
        write_json(self.path(file), value)
        self.files[file] = file_digest(self.path(file))
        self.save()

    def is_kept(self, file: str) -> bool:
        """Return whether a file beside the manifest is there and matches its checksum, if any."""
        path = self.path(file)
        return path.is_file() and self.files.get(file) in (None, file_digest(path))

    def kept(self, file: str, hint: str = "") -> bytes:
        """Return the bytes of a file beside the manifest; raise an error if they were changed."""
        try:
            content = read_bytes(self.path(file))
        except OSError as error:
            why = error.strerror or error
            raise RunError(f"{self.path(file)} cannot be read ({why}); {self.mend()}") from error
        if self.files.get(file) not in (None, hashlib.sha256(content).hexdigest()):
            raise RunError(f"{self.path(file)} is corrupt: it was changed; {hint or self.mend()}")
        return content

    def mend(self) -> str:
        """Return what to do if a file of the run is missing or corrupt."""
        return f"resume with: {self.run_spec.command()}"

    def save(self) -> None:
        """Write the manifest atomically."""
        record = {
            "schema": SCHEMA,
            "naysay": self.naysay,
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
            "files": self.files,
        }
        write_json(self.folder / NAME, record)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a run's folder."""
    path = folder / NAME
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        raise RunError(f"{folder} is not a run: it has no {NAME}") from None
    except OSError as error:
        raise RunError(f"{path} cannot be read ({error.strerror or error})") from error
    hint = "Move the folder away and run again."
    record = checked(path, content, dict[str, Any], hint)
    _check_schema(path, record)
    whole = checked(path, content, ManifestRecord, hint)
    shards, planned = whole.get("shards", {}), whole.get("planned", {})
    unplanned = {shard["suite"] for shard in shards.values()} - set(planned)
    if unplanned:  # or these rows would be passed over in silence
        raise RunError(f"{path} has shards of {sorted(unplanned)[0]} but no plan of it. {hint}")
    named = set(Manifest.__dataclass_fields__) - {"folder"}
    kept = {name: record[name] for name in record if name in named}
    return Manifest(folder=folder, **kept)


def _check_schema(path: Path, record: dict[str, Any]) -> None:
    """Refuse a run that a later version of naysay wrote with an unknown schema."""
    schema = record.get("schema", 1)
    if not isinstance(schema, int) or schema > SCHEMA:
        raise RunError(
            f"{path} was written by naysay {record.get('naysay', 'unknown')} with schema {schema}; "
            f"naysay {VERSION} reads schemas up to {SCHEMA}: upgrade naysay"
        )


def now() -> str:
    """Return the current time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def this_machine() -> dict[str, Any]:
    """Describe the machine, without identifying its owner."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def library_versions() -> dict[str, str]:
    """Return the versions of the libraries that a figure could depend on."""
    found = {}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
