"""Runs by name, the same in every command: by folder, by the beginning of the key, or by model.

A model's name stands for its newest run. What fits several runs of different keys or models is
refused with the candidates.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.core.console import notify
from naysay.core.errors import RunError, UnknownNameError
from naysay.core.objects import place_of
from naysay.run.manifest import NAME, Manifest, read_manifest
from naysay.run.store import find_runs, last_part


@dataclass(frozen=True)
class NamedRun:
    """A run that was found, and which one that is where its name fits several."""

    manifest: Manifest
    note: str = ""


def find_run(name: str, out: Path, suites: Collection[str] = ()) -> Manifest:
    """Find one run; tell the user which one it is where a model has several.

    With suites, a model's name stands for the newest of its runs that have most of them.
    """
    return find_each([name], out, suites)[0]


def find_each(
    names: Sequence[Manifest | str | Path], out: Path, suites: Collection[str] = ()
) -> list[Manifest]:
    """Find all of these runs; tell the user which ones they are where a model has several."""
    found = find_named(names, out, suites)
    for name, one in zip(names, found, strict=True):
        if one.note:  # on a line of its own, so in short
            notify(f"{name}: took the newest run, {one.manifest.folder.name}")
    return [one.manifest for one in found]


def find_named(
    runs: Sequence[Manifest | str | Path], out: Path, suites: Collection[str] = ()
) -> list[NamedRun]:
    """Find runs by folder, key or model.

    A model's name never stands for a run that is among `runs` already: a checkpoint's new run can
    be named by the model beside its old one.
    """
    out = place_of(out)
    in_folders = [_in_folder(run, out) for run in runs]
    every = find_runs(out) if None in in_folders else []
    exact = [
        there or _by_key(str(run), every)
        for run, there in zip(runs, in_folders, strict=True)
    ]  # fmt: skip
    taken = [manifest for manifest in exact if manifest is not None]
    found = [
        NamedRun(manifest) if manifest is not None else _newest(str(run), out, every, taken, suites)
        for run, manifest in zip(runs, exact, strict=True)
    ]
    newest = [
        one.manifest.folder for one, manifest in zip(found, exact, strict=True) if manifest is None
    ]
    if len(set(newest)) < len(newest):
        twice = next(folder for folder in newest if newest.count(folder) > 1)
        raise RunError(f"two names stand for {twice}: give one by its folder or key")
    return found


def _in_folder(run: Manifest | str | Path, out: Path) -> Manifest | None:
    """The run itself, or that in the folder of this name, here or in the folder of runs."""
    if isinstance(run, Manifest):
        return run
    for folder in (place_of(run), out / run):
        try:
            found = (folder / NAME).is_file()
        except OSError as error:
            raise RunError(f"cannot look into {folder}: {error}") from error
        if found:
            return read_manifest(folder)
    return None


def _by_key(name: str, every: Sequence[Manifest]) -> Manifest | None:
    """The run whose key begins so, unless a model is called so."""
    if not name or any(_model(one) == name for one in every):
        return None
    found = [one for one in every if one.key.startswith(name)]
    if len(found) > 1:
        listed = ", ".join(f"{one.key} ({_model(one)})" for one in found)
        raise RunError(f"{name!r} is the beginning of {len(found)} keys: {listed}; give more")
    return found[0] if found else None


def _newest(
    name: str,
    out: Path,
    every: Sequence[Manifest],
    taken: Sequence[Manifest],
    suites: Collection[str],
) -> NamedRun:
    """The newest run of a model that is not taken, of those that have most of the suites."""
    named = _of_model(name, every)
    counts = [len(set(suites) & set(one.planned)) for one in named]
    named = [one for one, count in zip(named, counts, strict=True) if count == max(counts)]
    if not named:
        known = {one.folder.name for one in every} | {_model(one) for one in every}
        hint = f"Searched in {out}: naysay ls runs lists them, --runs names another folder."
        raise UnknownNameError("run", name, known, hint)
    places = {one.folder.resolve() for one in taken}
    left = [one for one in named if one.folder.resolve() not in places]
    if not left:
        raise RunError(
            f"the only run of {name} is {named[0].folder}, which is named already: run the model "
            "again, or name another run by its folder or key"
        )
    # The start is to the second; of two within one, the later manifest is the newer.
    newest = max(left, key=lambda one: (one.started, (one.folder / NAME).stat().st_mtime_ns))
    if len(named) == 1:
        return NamedRun(newest)
    but = "" if len(left) == len(named) else ", apart from the one it is compared with"
    planned = ", ".join(newest.planned)
    return NamedRun(
        newest, f"{name} has {len(named)} runs: took the newest{but}, {newest.folder} ({planned})"
    )


def _of_model(name: str, every: Sequence[Manifest]) -> list[Manifest]:
    """The runs of the model with this name, of the weights in this folder, or of the short name."""
    folder = Path(name).resolve() if name and Path(name).is_dir() else None
    exact = [
        one
        for one in every
        if _model(one) == name or (folder is not None and Path(_model(one)).resolve() == folder)
    ]
    if exact:
        return exact
    short = [one for one in every if last_part(_model(one)) == name]
    if len(models := {_model(one) for one in short}) > 1:
        raise RunError(f"{name!r} is short for several models: {', '.join(sorted(models))}")
    return short


def _model(manifest: Manifest) -> str:
    return str(manifest.model["name"])
