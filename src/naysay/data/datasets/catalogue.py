"""The data sets that suites and trainings read, pinned, and where they are on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from naysay.core.errors import DatasetError
from naysay.core.files import read_toml
from naysay.core.keys import file_digest
from naysay.core.paths import cache_folder
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
    on_request: bool = False
    """Whether it is downloaded only by its name, not with all the others."""

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
    apart = bool(data.get("on_request", False))
    return Dataset(
        name=name, **about, folder=folder, url=url, note=note, files=files, on_request=apart
    )


def _read(path: Path) -> Dataset:
    return dataset_from(path.stem, read_toml(path))


def _described() -> dict[str, Callable[[], Dataset]]:
    """Return loaders of the sets that suites pin in their folder `datasets`, and of those here."""
    files = [f for folder in suite_folders().values() for f in folder.glob("datasets/*.toml")]
    files += Path(__file__).parent.glob("*.toml")  # read by no suite, but by trainings
    return {path.stem: partial(_read, path) for path in sorted(files, key=lambda file: file.stem)}


DATASETS: Registry[Dataset] = Registry("data set", "naysay.datasets", _described)


def cached_data() -> Path:
    """Return the folder of downloaded data sets in the cache."""
    return cache_folder() / "data"


def find(name: str, data_dir: Path | None) -> Path | None:
    """Return the set's folder, None if it is not found.

    If `data_dir` is given, only that is searched. Otherwise NAYSAY_DATA takes precedence over the
    cache. In the cache a set counts only if it is complete; a user's folder may hold any part of
    it.
    """
    dataset = DATASETS.get(name)
    if data_dir is not None:
        return _folder_in(data_dir, dataset)
    if (given := _given()) and (folder := _folder_in(given, dataset)):
        return folder
    folder = cached_data() / dataset.folder
    return folder if arrived(dataset) == len(dataset.files) else None


def find_file(path: str, data_dir: Path | None) -> Path | None:
    """Return a file of the user's data folder that belongs to no set, None if it is not there.

    The folder is `data_dir` if given, else NAYSAY_DATA.
    """
    folder = data_dir or _given()
    return folder / path if folder is not None and (folder / path).is_file() else None


def require(name: str, data_dir: Path | None) -> Path:
    """Return the set's folder; if it is not found, the error says how to get it."""
    folder = find(name, data_dir)
    if folder is not None:
        return folder
    dataset = DATASETS.get(name)
    what = f"the data set {name!r} ({dataset.title})"
    if data_dir is None:
        raise DatasetError(
            f"{what} was not found: searched {_looked(dataset)}. "
            f"Get it with: naysay data get {name}. {by_hand(dataset, cached_data())}"
        )
    if not data_dir.is_dir():
        found = f"the data folder {data_dir} does not exist"
    else:
        found = (
            f"the data folder {data_dir} has no {dataset.folder}; it must be laid out as "
            f"upstream's repositories, here {data_dir / dataset.folder / dataset.files[0].path}"
        )
        if data_dir.absolute().name == dataset.folder:
            found += f" (did you mean --data-dir {data_dir.absolute().parent}?)"
    raise DatasetError(
        f"{found}. So {what} was not found; with --data-dir nothing else is searched. Drop that "
        f"option and get the set with: naysay data get {name}. {by_hand(dataset, data_dir)}"
    )


def check(name: str, data_dir: Path | None) -> list[str]:
    """Return the problems of the set's files: missing, wrong size, or wrong SHA-256."""
    dataset = DATASETS.get(name)
    folder = find(name, data_dir)
    if folder is None and data_dir is None and arrived(dataset):
        folder = cached_data() / dataset.folder  # incomplete, so not usable, but it can be checked
    folder = folder or require(name, data_dir)
    problems = []
    for file in dataset.files:
        wrong = fault(folder / file.path, file.size, file.sha256)
        if wrong:
            problems.append(f"{file.path} {wrong}")
    return problems


def fault(path: Path, size: int, sha256: str) -> str | None:
    """Return what is wrong with one file, None if it matches."""
    if not path.is_file():
        return "is missing"
    try:
        if (found := path.stat().st_size) != size:
            return f"has {found:,} bytes, not {size:,}"
        if (digest := file_digest(path)) != sha256:
            return f"has the SHA-256 {digest}, not {sha256}"
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"
    return None


def arrived(dataset: Dataset) -> int:
    """Return how many files of the set are in the cache; only complete files have final names."""
    folder = cached_data() / dataset.folder
    return sum((folder / file.path).is_file() for file in dataset.files)


def by_hand(dataset: Dataset, data: Path) -> str:
    """Explain how to put the set into a data folder without a network."""
    folder = data / dataset.folder
    if len(dataset.files) == 1:
        (file,) = dataset.files
        return (
            f"Without a network: download {file.address(dataset.url)} elsewhere and put it at "
            f"{folder / file.path}; its SHA-256 is {file.sha256}."
        )
    text = (
        f"Without a network: download its {how_many(dataset)} ({in_bytes(dataset.size)}) from "
        f"{dataset.url} elsewhere and put them into {folder}, with the same paths"
    )
    for file in dataset.files:
        if file.url or file.upstream_path != file.path:
            text += f"; {file.path} is {file.address(dataset.url)}"
    return f"{text}. `naysay data check {dataset.name}` then compares their SHA-256."


def _given() -> Path | None:
    value = os.environ.get("NAYSAY_DATA")
    return Path(value) if value else None


def _folder_in(data: Path, dataset: Dataset) -> Path | None:
    folder = data / dataset.folder
    return folder if folder.is_dir() else None


def _looked(dataset: Dataset) -> str:
    given = _given()
    if given is None:
        first = "in NAYSAY_DATA (not set)"
    elif given.is_dir():
        first = f"in NAYSAY_DATA ({given}, which has no {dataset.folder})"
    else:
        first = f"in NAYSAY_DATA ({given}, which is not a folder)"
    count, folder = arrived(dataset), cached_data() / dataset.folder
    partly = f" (which has {count} of {how_many(dataset)})" if count else ""
    return f"{first} and in {folder}{partly}"
