"""Locating a data set: in a folder that the user names, or in naysay's cache."""

from __future__ import annotations

import os
from pathlib import Path

from naysay.core.errors import DatasetError
from naysay.core.keys import file_digest
from naysay.core.paths import cache_folder
from naysay.data.datasets.catalogue import DATASETS, Dataset, how_many, in_bytes


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
