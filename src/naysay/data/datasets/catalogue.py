"""What each data set is: one TOML file per set, with every file's size and SHA-256."""

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
    """A file of a data set, as it has to be."""

    path: str
    """Where it stands in the set's folder; parts are separated by slashes."""
    size: int
    sha256: str
    upstream_path: str
    """Where upstream keeps it, if not under the same path."""
    url: str | None = None
    """Its own address, where it is not beside the others."""

    def __post_init__(self) -> None:
        for path in (self.path, self.upstream_path):
            if not is_safe(path):
                raise DatasetError(f"the path {path!r} could lead out of the data set's folder")
        if self.url is not None and not is_web(self.url):
            raise DatasetError(f"{self.path} has the address {self.url}: only http and https do")
        if self.size < 1 or not _SHA256.fullmatch(self.sha256):
            raise DatasetError(f"{self.path} needs its size and its SHA-256 in lower-case hex")

    def address(self, base: str) -> str:
        """Where upstream offers it, if the set's base address is `base`."""
        return self.url or under(base, self.upstream_path)


@dataclass(frozen=True)
class Dataset:
    """A data set of other people's, pinned file by file."""

    name: str
    title: str
    paper: str
    licence: str
    source: str
    """The repository and commit of which the pinned files are."""
    folder: str
    """The name of its folder inside a data folder."""
    url: str
    """The address under which upstream's paths stand."""
    note: str
    files: tuple[PinnedFile, ...]

    def __post_init__(self) -> None:
        if not is_safe(self.folder) or "/" in self.folder:
            raise DatasetError(f"data set {self.name!r} has the unsafe folder {self.folder!r}")
        if not is_web(self.url):
            raise DatasetError(f"data set {self.name!r} has {self.url}: only http and https do")
        if not self.files or len({file.path for file in self.files}) != len(self.files):
            raise DatasetError(f"data set {self.name!r} must list its files, each once")

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        return sum(file.size for file in self.files)


def is_web(text: str) -> bool:
    """Whether the text is an address that may be asked."""
    return text.lower().startswith(_WEB)


def is_safe(path: str) -> bool:
    """Whether a path stays inside the folder that it is put into, on every system.

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
    """The address of a path below a base address.

    >>> under("https://example.org/a", "b c/d.txt")
    'https://example.org/a/b%20c/d.txt'
    """
    return f"{base.rstrip('/')}/{quote(path)}"


def how_many(dataset: Dataset) -> str:
    """The number of its files, in words."""
    return "1 file" if len(dataset.files) == 1 else f"{len(dataset.files)} files"


def in_bytes(size: int) -> str:
    """A size as people read it.

    >>> in_bytes(713), in_bytes(463_282), in_bytes(23_400_000)
    ('713 B', '463 kB', '23.4 MB')
    """
    if size < 1000:
        return f"{size} B"
    return f"{size / 1e3:.0f} kB" if size < 999_500 else f"{size / 1e6:.1f} MB"


def dataset_from(name: str, data: Mapping[str, Any]) -> Dataset:
    """A data set out of its TOML table."""
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
    """The sets that suites pin, each in a file of their folder `datasets`."""
    files = [f for folder in suite_folders().values() for f in folder.glob("datasets/*.toml")]
    return {path.stem: partial(_read, path) for path in sorted(files, key=lambda file: file.stem)}


DATASETS: Registry[Dataset] = Registry("data set", "naysay.datasets", _described)
