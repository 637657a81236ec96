"""The catalogue of data sets: one TOML file per set, with every file's size and SHA-256."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from naysay.core.errors import DatasetError
from naysay.core.registry import Registry, suite_folders

_WEB = ("http://", "https://")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class PinnedFile:
    """A file of a data set, with its expected size and checksum."""

    path: str
    """Its path in the set's folder, separated by slashes."""
    size: int
    sha256: str
    upstream_path: str
    """Its path upstream, which may differ."""
    url: str | None = None
    """Its own URL, if it is not next to the others."""

    def __post_init__(self) -> None:
        for path in (self.path, self.upstream_path):
            if not is_safe(path):
                raise DatasetError(f"the path {path!r} could lead out of the data set's folder")
        if self.url is not None and not is_web(self.url):
            raise DatasetError(
                f"{self.path} has the address {self.url}: only http and https are allowed"
            )
        if self.size < 1 or not _SHA256.fullmatch(self.sha256):
            raise DatasetError(f"{self.path} needs its size and its SHA-256 in lower-case hex")

    def address(self, base: str) -> str:
        """Return its upstream URL, given the set's base URL."""
        return self.url or under(base, self.upstream_path)


@dataclass(frozen=True)
class Dataset:
    """A third-party data set, pinned file by file."""

    name: str
    title: str
    paper: str
    licence: str
    source: str
    """The repository and commit of the pinned files."""
    folder: str
    """The name of its folder inside a data folder."""
    url: str
    """The base URL of the upstream paths."""
    note: str
    files: tuple[PinnedFile, ...]

    def __post_init__(self) -> None:
        if not is_safe(self.folder) or "/" in self.folder:
            raise DatasetError(f"data set {self.name!r} has the unsafe folder {self.folder!r}")
        if not is_web(self.url):
            raise DatasetError(
                f"data set {self.name!r} has {self.url}: only http and https are allowed"
            )
        if not self.files or len({file.path for file in self.files}) != len(self.files):
            raise DatasetError(f"data set {self.name!r} must list its files, each once")

    @property
    def size(self) -> int:
        """The total size in bytes."""
        return sum(file.size for file in self.files)


def is_web(text: str) -> bool:
    """Return whether the text is an http or https URL."""
    return text.lower().startswith(_WEB)


def is_safe(path: str) -> bool:
    """Return whether a relative path stays inside its folder, on every system.

    >>> is_safe("data/TREx/P19.jsonl"), is_safe("../up"), is_safe("/etc/passwd")
    (True, False, False)
    """
    parts = PurePosixPath(path).parts
    return (
        bool(parts)
        and "/".join(parts) == path
        and ".." not in parts
        and not path.startswith("/")
        and not any(sign in path for sign in ("\\", ":", "\0"))
    )


def under(base: str, path: str) -> str:
    """Return the URL of a path below a base URL.

    >>> under("https://example.org/a", "b c/d.txt")
    'https://example.org/a/b%20c/d.txt'
    """
    return f"{base.rstrip('/')}/{quote(path)}"


def how_many(dataset: Dataset) -> str:
    """Format the number of files."""
    return "1 file" if len(dataset.files) == 1 else f"{len(dataset.files)} files"


def in_bytes(size: int) -> str:
    """Format a size.

    >>> in_bytes(713), in_bytes(463_282), in_bytes(23_400_000)
    ('713 B', '463 kB', '23.4 MB')
    """
    if size < 1000:
        return f"{size} B"
    return f"{size / 1e3:.0f} kB" if size < 999_500 else f"{size / 1e6:.1f} MB"


def dataset_from(name: str, data: Mapping[str, Any]) -> Dataset:
    """Create a data set from its TOML table."""
    about = {key: str(data[key]) for key in ("title", "paper", "licence", "source")}
    files = tuple(
        PinnedFile(
            path=entry["path"],
            size=entry["size"],
            sha256=entry["sha256"],
            upstream_path=entry.get("from", entry["path"]),
            url=entry.get("url"),
        )
        for entry in data["file"]
    )
    folder, url, note = data["folder"], data["url"], data.get("note", "")
    return Dataset(name=name, **about, folder=folder, url=url, note=note, files=files)


def _read(path: Path) -> Dataset:
    with path.open("rb") as stream:
        return dataset_from(path.stem, tomllib.load(stream))


def _described() -> dict[str, Callable[[], Dataset]]:
    """Return loaders of the data sets that suites pin in their folder `datasets`."""
    files = [f for folder in suite_folders().values() for f in folder.glob("datasets/*.toml")]
    return {path.stem: partial(_read, path) for path in sorted(files, key=lambda file: file.stem)}


DATASETS: Registry[Dataset] = Registry("data set", "naysay.datasets", _described)
