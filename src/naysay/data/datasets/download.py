"""Getting a data set into the cache: from upstream, a mirror, or a folder.

Each file is written into a part file beside its place. Only when its size and SHA-256 are as
pinned does it get its name, so a file that has its name is whole, however the process ended.
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
    how_many,
    in_bytes,
    is_web,
    under,
)
from naysay.data.datasets.folders import by_hand, cached_data, fault

Report = Callable[[str], None]


def get(name: str, *, source: str | None = None, report: Report) -> Path:
    """Bring every file of the set into the cache, unless it is there, and return the set's folder.

    `source` is a mirror's address or a local folder to use instead of upstream. Interrupted in any
    way, the same call goes on from where it was.
    """
    dataset = DATASETS.get(name)
    local = _local(dataset, source)
    folder = cached_data() / dataset.folder
    try:
        cached_data().mkdir(parents=True, exist_ok=True)
        busy = DatasetError(f"another process is getting the data set {name!r}; wait for it")
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
        report(f"{name}: interrupted; what has arrived is kept, and the same command goes on")
        raise
    except OSError as error:
        raise DatasetError(
            f"cannot get the data set {name!r}: {error.filename or folder}: "
            f"{error.strerror or error}. Free or unlock that place, or choose another cache folder "
            "with NAYSAY_CACHE; what has arrived is kept"
        ) from error
    return folder


def _missing(dataset: Dataset, folder: Path, report: Report) -> list[PinnedFile]:
    missing = []
    for file in dataset.files:
        place = folder / file.path
        if wrong := fault(place, file.size, file.sha256):
            missing.append(file)
            if place.is_file():
                report(f"{dataset.name}: {file.path} {wrong}; it is fetched again")
    if len(missing) < len(dataset.files):
        there = len(dataset.files) - len(missing)
        report(f"{dataset.name}: {there} of {how_many(dataset)} here already")
    return missing


def _local(dataset: Dataset, source: str | None) -> Path | None:
    """The folder to copy from, None if the source is an address or upstream."""
    if source is None or is_web(source):
        return None
    folder = Path(source)
    if not folder.is_dir():
        raise DatasetError(
            f"--from takes a folder, or an address that begins with http:// or https://; "
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
    # No more is copied than needed to tell that the file is too long.
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
                report(f"{dataset.name}: {file.path} was resumed but is not right; from the start")
                part.unlink()
                transfer.fill(part, address, file.size)
        except transfer.NotThereError as error:
            refusals.append(str(error))
            continue
        except transfer.UnreachableError as error:
            raise DatasetError(
                f"{error}. {by_hand(dataset, cached_data())} Or from a folder with a copy: "
                f"naysay data get {dataset.name} --from FOLDER"
            ) from error
        except transfer.BrokenOffError as error:
            kept = part.stat().st_size if part.is_file() else 0
            raise DatasetError(
                f"{address} could not be downloaded: {error}. {kept:,} of {file.size:,} bytes are "
                f"kept; the same command goes on from there: {again}"
            ) from error
        _accept(dataset, file, part, address)
        return
    raise DatasetError(
        f"{'; '.join(refusals)}. It may have been moved; {dataset.source} is where it was. If you "
        f"have a copy or a mirror: naysay data get {dataset.name} --from FOLDER_OR_ADDRESS"
    )


def _addresses(dataset: Dataset, file: PinnedFile, mirror: str | None) -> list[str]:
    """Where to ask for a file, in this order.

    A mirror may keep upstream's layout or that of a data folder; few files differ.
    """
    if mirror is None:
        return [file.address(dataset.url)]
    return [under(mirror, path) for path in dict.fromkeys((file.upstream_path, file.path))]


def _accept(dataset: Dataset, file: PinnedFile, part: Path, origin: str) -> None:
    """Refuse and delete a part that is whole but not as pinned."""
    wrong = fault(part, file.size, file.sha256)
    if wrong is None:
        return
    found = part.stat().st_size
    part.unlink()
    if found > file.size:  # how much longer is not known: reading stopped there
        wrong = f"has more than {file.size:,} bytes"
    raise DatasetError(
        f"{origin} is not the file that naysay knows: it {wrong}. It was deleted. Either it was "
        f"altered since it was pinned ({dataset.source}), or something else answered: open the "
        f"address, and compare with `sha256sum`. A true copy goes in with: "
        f"naysay data get {dataset.name} --from FOLDER"
    )
