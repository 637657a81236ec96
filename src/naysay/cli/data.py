"""`naysay data`: upstream's data sets, listed, fetched and checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from naysay.core.console import tell
from naysay.core.errors import SpecError, UnknownNameError

if TYPE_CHECKING:
    from naysay.data.datasets import Dataset

_ACTIONS = ("ls", "get", "path", "check")


def data(
    action: Annotated[str, typer.Argument(help="ls, get, path or check.")],
    name: Annotated[
        str | None, typer.Argument(help="A data set; for get also all, for check none is all.")
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder with upstream's data; else NAYSAY_DATA, the cache.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", help="get: a mirror's address or a folder instead of upstream."),
    ] = None,
) -> None:
    """List, get, find or check upstream's data sets.

    None of them ships with naysay. Each file is held to its SHA-256; an interrupted download goes
    on with the same command.
    """
    if action not in _ACTIONS:
        raise UnknownNameError("action", action, _ACTIONS)
    if source is not None and action != "get":
        raise SpecError(f"--from goes with naysay data get, not with {action}")
    if data_dir is not None and action == "get":
        raise SpecError("naysay data get writes into the cache; move that with NAYSAY_CACHE")
    if name is None and action in ("get", "path"):
        raise SpecError(f"naysay data {action} needs a name; naysay data ls has them")
    if action == "ls":
        _ls(name, data_dir)
    elif action == "get":
        _get(str(name), source)
    elif action == "path":
        from naysay.data.datasets import require

        print(require(str(name), data_dir))
    elif not _check(name, data_dir):
        raise typer.Exit(1)


def rows(name: str | None = None, data_dir: Path | None = None) -> list[tuple[str, ...]]:
    """The sets as a table: name, size, number of files, licence, and where it is."""
    from naysay.data.datasets import DATASETS
    from naysay.data.datasets.catalogue import how_many, in_bytes

    return [
        (
            dataset.name,
            in_bytes(dataset.size),
            how_many(dataset),
            dataset.licence,
            _where(dataset, data_dir),
        )
        for dataset in ([DATASETS.get(name)] if name else DATASETS.all())
    ]


def _where(dataset: Dataset, data_dir: Path | None) -> str:
    from naysay.data.datasets import find
    from naysay.data.datasets.folders import arrived

    folder = find(dataset.name, data_dir)
    if folder is not None:
        return str(folder)
    if data_dir is not None:
        return f"not in {data_dir}"
    if count := arrived(dataset):
        return f"{count} of its files here, the rest: naysay data get {dataset.name}"
    return f"not here: naysay data get {dataset.name}"


def _ls(name: str | None, data_dir: Path | None) -> None:
    from naysay.cli.ls import show_rows

    show_rows(rows(name, data_dir))


def _get(name: str, source: str | None) -> None:
    from naysay.data.datasets import DATASETS, find, get
    from naysay.data.datasets.catalogue import is_web

    for each in DATASETS.names() if name == "all" else [name]:
        dataset = DATASETS.get(each)
        tell(f"{each}: {dataset.title}; licence: {dataset.licence}; cite {dataset.paper}")
        if dataset.note:
            tell(f"{each}: {dataset.note}")
        place = source
        if source and is_web(source) and name == "all":
            place = f"{source.rstrip('/')}/{dataset.folder}"  # as the folders of a data folder
        folder = get(each, source=place, report=tell)
        used = find(each, None)
        if used != folder:
            tell(f"{each}: note that NAYSAY_DATA comes first: {used} is what naysay reads")
        print(folder)


def _check(name: str | None, data_dir: Path | None) -> bool:
    """Print one line per set and one per problem; whether all is well."""
    from naysay.data.datasets import DATASETS, check, find
    from naysay.data.datasets.catalogue import how_many
    from naysay.data.datasets.folders import arrived

    well = True
    for dataset in [DATASETS.get(name)] if name else DATASETS.all():
        here = find(dataset.name, data_dir) or (data_dir is None and arrived(dataset))
        if not here and not name:
            print(f"{dataset.name}: {_where(dataset, data_dir)}")
            continue
        problems = check(dataset.name, data_dir)
        if problems:
            well = False
            print(f"{dataset.name}: {len(problems)} of {how_many(dataset)} not as upstream's")
            for problem in problems:
                print(f"  {problem}")
        else:
            print(f"{dataset.name}: {how_many(dataset)}, as upstream's")
    return well


COMMAND = data
