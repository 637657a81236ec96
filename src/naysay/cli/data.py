"""`naysay data`: list, download and verify the papers' data sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from naysay.cli._output import show_listing
from naysay.core.console import notify
from naysay.core.errors import SpecError, UnknownNameError

if TYPE_CHECKING:
    from naysay.data.datasets import Dataset

_ACTIONS = ("ls", "get", "path", "check")


def data(
    action: Annotated[str, typer.Argument(help="One of ls, get, path, check.")],
    name: Annotated[
        str | None,
        typer.Argument(
            help="Data set. Required for get and path; get also takes 'all'. [default: all]"
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(help="Directory with the data. [default: $NAYSAY_DATA, then the cache]"),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", help="With get: URL of a mirror, or a local directory."),
    ] = None,
) -> None:
    """List, download, locate or verify the papers' data sets.

    The data sets are not part of naysay. Every file is checked against its SHA-256. To resume an
    interrupted download, run the same command again.
    """
    if action not in _ACTIONS:
        raise UnknownNameError("action", action, _ACTIONS)
    if source is not None and action != "get":
        raise SpecError(f"--from is an option of naysay data get, not of naysay data {action}")
    if data_dir is not None and action == "get":
        raise SpecError(
            "naysay data get does not take --data-dir: it writes to the cache, whose location is "
            "set by NAYSAY_CACHE"
        )
    if name is None and action in ("get", "path"):
        raise SpecError(f"naysay data {action} needs the name of a data set; see naysay data ls")
    if action == "ls":
        _ls(name, data_dir)
    elif action == "get":
        _get(str(name), source)
    elif action == "path":
        from naysay.data.datasets import require

        print(require(str(name), data_dir))
    elif not _check(name, data_dir):
        raise typer.Exit(1)


def listing(name: str | None = None, data_dir: Path | None = None) -> Iterator[tuple[str, ...]]:
    """Yield each data set's name, its size, licence and place, and what it is."""
    from naysay.data.datasets import DATASETS
    from naysay.data.datasets.catalogue import how_many, in_bytes

    for dataset in [DATASETS.get(name)] if name else DATASETS.all():
        size = f"{in_bytes(dataset.size)} in {how_many(dataset)}; licence: {dataset.licence}"
        yield dataset.name, dataset.title, size, _where(dataset, data_dir)


def _where(dataset: Dataset, data_dir: Path | None) -> str:
    from naysay.data.datasets import find
    from naysay.data.datasets.catalogue import arrived

    folder = find(dataset.name, data_dir)
    if folder is not None:
        return str(folder)
    if data_dir is not None:
        return f"not in {data_dir}"
    if count := arrived(dataset):
        return (
            f"incomplete, {count} of its files; get the rest with: naysay data get {dataset.name}"
        )
    return f"not downloaded; get it with: naysay data get {dataset.name}"


def _ls(name: str | None, data_dir: Path | None) -> None:
    show_listing(listing(name, data_dir))


def _get(name: str, source: str | None) -> None:
    from naysay.data.datasets import DATASETS, find, get
    from naysay.data.datasets.catalogue import is_web

    for each in DATASETS.names() if name == "all" else [name]:
        dataset = DATASETS.get(each)
        if dataset.on_request and name == "all":
            notify(f"{each}: not part of all; get it with: naysay data get {each}")
            continue
        notify(f"{each}: {dataset.title}; licence: {dataset.licence}; cite {dataset.paper}")
        if dataset.note:
            notify(f"{each}: {dataset.note}")
        place = source
        if source and is_web(source) and name == "all":
            # A mirror of all data sets has one folder for each.
            place = f"{source.rstrip('/')}/{dataset.folder}"
        folder = get(each, source=place, report=notify)
        used = find(each, None)
        if used != folder:
            notify(f"{each}: NAYSAY_DATA takes precedence; naysay reads {used}")
        print(folder)


def _check(name: str | None, data_dir: Path | None) -> bool:
    """Print one line per data set and one per problem; return whether there were none."""
    from naysay.data.datasets import DATASETS, check, find
    from naysay.data.datasets.catalogue import arrived, how_many

    well = True
    for dataset in [DATASETS.get(name)] if name else DATASETS.all():
        here = find(dataset.name, data_dir) or (data_dir is None and arrived(dataset))
        if not here and not name:
            print(f"{dataset.name}: {_where(dataset, data_dir)}")
            continue
        problems = check(dataset.name, data_dir)
        if problems:
            well = False
            print(f"{dataset.name}: {len(problems)} of {how_many(dataset)} differ from upstream")
            for problem in problems:
                print(f"  {problem}")
        else:
            print(f"{dataset.name}: {how_many(dataset)}, identical to upstream")
    return well


COMMAND = data
