"""The folder of runs as it is now: each run's manifest, or why it cannot be read.

Manifests are parsed once and again when their file changes. A run is found by its name in the
list, never by a path out of a request, and what is a link to somewhere else is not followed.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.core.errors import NaysayError, RunError
from naysay.core.keys import content_key
from naysay.core.objects import ObjectPath, place_of
from naysay.run.lookup import find_each
from naysay.run.manifest import NAME, Manifest, read_manifest

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,120}")
_FRESH = 0.5  # seconds for which a listing is taken as it is


def slug(name: str) -> str:
    """Return a name as a part of an address, and of a file's name: plain letters, and unique.

    >>> slug("mini-aware-7eb8"), slug("a/b c")
    ('mini-aware-7eb8', 'a-b-c-0af99a60')
    """
    if _PLAIN.fullmatch(name) and not name.endswith(".html"):
        return name
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-._")[:60] or "run"
    return f"{plain}-{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"


@dataclass(frozen=True)
class SeenRun:
    """A run in the folder: its manifest as it was last read, or why it cannot be read."""

    folder: Path
    stamp: str
    """Changes whenever the manifest does."""
    manifest: Manifest | None = None
    broken: str = ""

    @property
    def slug(self) -> str:
        """Its name in addresses."""
        return slug(self.folder.name)

    @property
    def model(self) -> str:
        """The model's name."""
        return str(self.manifest.model["name"]) if self.manifest else ""

    @property
    def finished(self) -> bool:
        """Whether all was asked."""
        return self.manifest is not None and self.manifest.finished is not None

    @property
    def progress(self) -> tuple[int, int]:
        """How many shards are done, and how many are planned."""
        if self.manifest is None:
            return 0, 0
        return len(self.manifest.shards), sum(self.manifest.planned.values())

    @property
    def age(self) -> float:
        """How many seconds ago it was last written to."""
        try:
            return max(0.0, time.time() - (self.folder / NAME).stat().st_mtime)
        except OSError:
            return float("inf")

    def read(self) -> Manifest:
        """Return the manifest; raise an error if the run is broken."""
        if self.manifest is None:
            raise RunError(self.broken)
        return self.manifest


class RunFolder:
    """All runs in a folder, or some of them."""

    def __init__(self, folder: Path, only: frozenset[str] | None = None) -> None:
        """Take the folder; `only` are the names of the folders to show, all if not given."""
        place = place_of(folder)
        if isinstance(place, ObjectPath):
            raise RunError(f"{folder} is in an object store: copy the runs to a local folder first")
        if not place.is_dir():
            raise RunError(f"there is no folder {folder}: start a run first, or give --runs")
        self.folder, self._only = place.resolve(), only
        self._seen: dict[str, SeenRun] = {}
        self._lock = threading.Lock()
        self._listed = 0.0

    def runs(self) -> list[SeenRun]:
        """Return all runs, the newest first; those that cannot be read come last."""
        with self._lock:
            if time.monotonic() - self._listed > _FRESH:
                self._seen = self._list()
                self._listed = time.monotonic()
            found = list(self._seen.values())
        found.sort(key=lambda run: run.folder.name)
        found.sort(key=lambda run: run.manifest.started if run.manifest else "", reverse=True)
        return found

    def find(self, name: str) -> SeenRun:
        """Return the run with this name in addresses."""
        self.runs()
        if (found := self._seen.get(name)) is None:
            raise UnknownRunError(f"there is no run {name!r} in {self.folder}")
        return found

    @property
    def stamp(self) -> str:
        """Changes whenever a run does."""
        return content_key([(repr(one.folder.name), one.stamp) for one in self.runs()], 16)

    def _list(self) -> dict[str, SeenRun]:
        found = {}
        for place in sorted(self.folder.glob(f"*/{NAME}")):
            folder = place.parent
            if self._only is not None and folder.name not in self._only:
                continue
            before = self._seen.get(slug(folder.name))
            seen = self._read(folder, before)
            found[seen.slug] = seen
        return found

    def _read(self, folder: Path, before: SeenRun | None) -> SeenRun:
        try:
            state = (folder / NAME).lstat()
            stamp = f"{state.st_mtime_ns}-{state.st_size}-{state.st_ino}"
        except OSError as error:
            return SeenRun(folder, "gone", broken=f"{folder.name} cannot be read: {error.strerror}")
        if before is not None and before.stamp == stamp:
            return before
        if (foreign := leads_out(folder, NAME)) is not None:
            return SeenRun(folder, stamp, broken=foreign)
        try:
            manifest = read_manifest(folder)
            manifest.run_spec  # noqa: B018  # options of a suite that is not installed
        except NaysayError as error:
            return SeenRun(folder, stamp, broken=str(error))
        return SeenRun(folder, stamp, manifest)


def find_folder(names: Sequence[str], folder: Path) -> RunFolder:
    """Return the runs that are named: a folder of runs, or single runs, which lie in one folder."""
    if not names:
        return RunFolder(folder)
    if len(names) == 1 and Path(names[0]).is_dir() and not (Path(names[0]) / NAME).is_file():
        return RunFolder(Path(names[0]))
    found = [manifest.folder for manifest in find_each(names, folder)]
    if len({one.resolve().parent for one in found}) > 1:
        listed = ", ".join(map(str, found))
        raise RunError(f"these runs are in several folders: {listed}; view one folder at a time")
    return RunFolder(found[0].resolve().parent, frozenset(one.resolve().name for one in found))


class UnknownRunError(RunError):
    """A run, item or model that an address names is not there."""


def leads_out(folder: Path, file: str) -> str | None:
    """Return why a file is not read: it, or the run's folder, is a link to another place."""
    path = folder / file
    try:
        inside = path.resolve(strict=True).is_relative_to(folder.parent.resolve() / folder.name)
    except OSError as error:
        return f"{path} cannot be read: {error.strerror or error}"
    return None if inside else f"{path} is a link out of the folder of runs, and is not followed"
