"""Downloading a data set to the cache: from upstream, a mirror, or a folder.

Each file is first written to a part file. It gets its final name only once its size and SHA-256
match, so a file with its final name is complete, however the process ended.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from naysay.core.errors import DatasetError
from naysay.core.paths import flush, locked
from naysay.data.datasets import transfer
from naysay.data.datasets.catalogue import (
    DATASETS,
    Dataset,
    PinnedFile,
    by_hand,
    cached_data,
    fault,
    how_many,
    in_bytes,
    is_web,
    under,
)

Report = Callable[[str], None]


def get(name: str, *, source: str | None = None, report: Report) -> Path:
    """Download the missing files of the set to the cache, and return the set's folder.

    `source` is the URL of a mirror or a local folder to use instead of upstream. The same call
    resumes an interrupted download.
    """
    dataset = DATASETS.get(name)
    local = _local(dataset, source)
    folder = cached_data() / dataset.folder
    try:
        cached_data().mkdir(parents=True, exist_ok=True)
        busy = DatasetError(f"another process is downloading the data set {name!r}; wait for it")
        with locked(cached_data() / f".{name}.lock", busy):
            missing = _missing(dataset, folder, report)
            for number, file in enumerate(missing, start=1):
                report(f"{name}: {number}/{len(missing)} {file.path}, {in_bytes(file.size)}")
                place = folder / file.path
                part = place.with_name(f".{place.name}.part")
                place.parent.mkdir(parents=True, exist_ok=True)
                if local is not None:
                    _copy(dataset, file, part, local)
                else:
                    _download(dataset, file, part, source, report)
                flush(part)
                part.replace(place)
    except KeyboardInterrupt:
        report(f"{name}: interrupted; run the same command to resume the download")
        raise
    except OSError as error:
        raise DatasetError(
            f"cannot get the data set {name!r}: {error.filename or folder}: "
            f"{error.strerror or error}. Make it writable, free some space, or set NAYSAY_CACHE "
            "to another folder; what was downloaded is kept"
        ) from error
    return folder


def _missing(dataset: Dataset, folder: Path, report: Report) -> list[PinnedFile]:
    missing = []
    for file in dataset.files:
        place = folder / file.path
        if wrong := fault(place, file.size, file.sha256):
            missing.append(file)
            if place.is_file():
                report(f"{dataset.name}: {file.path} {wrong}; downloading it again")
    if len(missing) < len(dataset.files):
        there = len(dataset.files) - len(missing)
        report(f"{dataset.name}: {there} of {how_many(dataset)} already downloaded")
    return missing


def _local(dataset: Dataset, source: str | None) -> Path | None:
    """Return the folder to copy from, None if the source is a URL or upstream."""
    if source is None or is_web(source):
        return None
    folder = Path(source)
    if not folder.is_dir():
        raise DatasetError(
            f"--from takes a folder, or a URL that begins with http:// or https://; "
            f"there is no folder {source}"
        )
    inner = folder / dataset.folder
    return inner if inner.is_dir() else folder


def _copy(dataset: Dataset, file: PinnedFile, part: Path, folder: Path) -> None:
    places = [folder / path for path in dict.fromkeys((file.path, file.upstream_path))]
    place = next((place for place in places if place.is_file()), None)
    if place is None:
        raise DatasetError(
            f"{folder} has no {file.path}: it must hold the files of {dataset.name!r} as upstream "
            f"lays them out, or the folder {dataset.folder}"
        )
    # One byte more than expected is enough to see that the file is too long.
    with place.open("rb") as stream, part.open("wb") as kept:
        left = file.size + 1
        while left and (data := stream.read(min(transfer.CHUNK, left))):
            kept.write(data)
            left -= len(data)
    _accept(dataset, file, part, str(place))


def _download(
    dataset: Dataset, file: PinnedFile, part: Path, mirror: str | None, report: Report
) -> None:
    again = f"naysay data get {dataset.name}" + (f" --from {mirror}" if mirror else "")
    addresses = _addresses(dataset, file, mirror)
    refusals = []
    for address in addresses:
        try:
            pieced = transfer.fill(part, address, file.size)
            if pieced and fault(part, file.size, file.sha256):
                report(f"{dataset.name}: {file.path} was resumed but is corrupt: restarting")
                part.unlink()
                transfer.fill(part, address, file.size)
        except transfer.NotThereError as error:
            refusals.append(str(error))
            continue
        except transfer.UnreachableError as error:
            raise DatasetError(
                f"{error}. {by_hand(dataset, cached_data())} Or copy it from a folder: "
                f"naysay data get {dataset.name} --from FOLDER"
            ) from error
        except transfer.BrokenOffError as error:
            kept = part.stat().st_size if part.is_file() else 0
            raise DatasetError(
                f"{address} could not be downloaded: {error}. {kept:,} of {file.size:,} bytes are "
                f"kept; to resume, run: {again}"
            ) from error
        _accept(dataset, file, part, address)
        return
    raise DatasetError(
        f"{'; '.join(refusals)}. It may have moved; it was pinned from {dataset.source}. If you "
        f"have a copy or a mirror: naysay data get {dataset.name} --from FOLDER_OR_URL"
    )


def _addresses(dataset: Dataset, file: PinnedFile, mirror: str | None) -> list[str]:
    """Return the URLs of a file, in the order to try them.

    A mirror may have upstream's layout or that of a data folder; few files differ.
    """
    if mirror is None:
        return [file.address(dataset.url)]
    return [under(mirror, path) for path in dict.fromkeys((file.upstream_path, file.path))]


def _accept(dataset: Dataset, file: PinnedFile, part: Path, origin: str) -> None:
    """Refuse and delete a complete part file that does not match its checksum."""
    wrong = fault(part, file.size, file.sha256)
    if wrong is None:
        return
    found = part.stat().st_size
    part.unlink()
    if found > file.size:  # the full length is unknown: reading stopped there
        wrong = f"has more than {file.size:,} bytes"
    raise DatasetError(
        f"{origin} is not the pinned file: it {wrong}. It was deleted. Either it was changed since "
        f"it was pinned ({dataset.source}), or another server answered: open the address, and "
        f"compare with `sha256sum`. To use a correct copy: "
        f"naysay data get {dataset.name} --from FOLDER"
    )
