"""A run's folder: made or opened again, and held by one process at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from naysay.errors import RunError, UnknownNameError
from naysay.run.manifest import NAME, Manifest, library_versions, now, read_manifest, this_machine
from naysay.run.plan import Plan
from naysay.store.locks import locked


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the folder; the system lets go of it however the process ends."""
    busy = RunError(f"another process is writing the run {folder}; wait for it, or stop it")
    with contextlib.ExitStack() as holding:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            holding.enter_context(locked(folder / ".lock", busy))
        except OSError as error:
            raise RunError(
                f"cannot write into {folder}: {error.strerror or error}. "
                "Choose another folder with --out."
            ) from error
        for left_behind in folder.rglob(".*.part"):
            left_behind.unlink()  # by a process that was killed while it wrote
        yield


def check_place(plan: Plan) -> None:
    """Refuse a place that cannot be written, is itself a run, or holds another run.

    Looks only, and comes before the model is loaded: nothing is made yet, and no time is lost.
    """
    _check_writable(plan.spec.out)
    if (plan.spec.out / NAME).is_file():
        other = read_manifest(plan.spec.out)
        raise RunError(
            f"{plan.spec.out} is itself a run (key {other.key}), not a folder of runs: "
            f"give its parent with --out {plan.spec.out.parent}"
        )
    if (plan.folder / NAME).is_file():
        other = read_manifest(plan.folder)
        if other.key != plan.key:
            raise RunError(
                f"{plan.folder} holds the run {other.key}, not {plan.key}: "
                "move it away, or choose another folder with --out"
            )


def _check_writable(out: Path) -> None:
    nearest = next(folder for folder in (out, *out.absolute().parents) if folder.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise RunError(
            f"cannot write into {out}: {nearest} is "
            f"{'read-only' if nearest.is_dir() else 'a file'}. Choose another folder with --out."
        )


def open_manifest(plan: Plan, facts: dict[str, object]) -> Manifest:
    """The run's manifest, as it was left or new."""
    if (plan.folder / NAME).is_file():
        return read_manifest(plan.folder)
    return Manifest(
        folder=plan.folder,
        key=plan.key,
        spec=plan.spec.as_dict(),
        model=dict(facts),
        shard_size=plan.spec.shard_size,
        machine=this_machine(),
        versions=library_versions(),
        started=now(),
    )


def find_runs(out: Path) -> list[Manifest]:
    """All runs below a folder of runs, oldest first."""
    manifests = [read_manifest(path.parent) for path in out.glob(f"*/{NAME}")]
    return sorted(manifests, key=lambda manifest: manifest.started)


def find_run(name: str, out: Path) -> Manifest:
    """A run by its folder, its folder's name, or the beginning of its key."""
    for folder in (Path(name), out / name):
        if (folder / NAME).is_file():
            return read_manifest(folder)
    found = [m for m in find_runs(out) if m.key.startswith(name)] if name else []
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(str(m.folder) for m in found)
        raise RunError(f"{name!r} could be any of {listed}: give the folder")
    known = [m.folder.name for m in find_runs(out)]
    raise UnknownNameError("run", name, known, f"Runs are looked for in {out}.")
