"""Where runs are: their folders, locks, rows on disk, and short names for several of them."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from naysay.core.errors import DamagedShardError, RunError, UnknownNameError
from naysay.core.options import declarations
from naysay.core.paths import locked
from naysay.core.protocols import Table
from naysay.core.spec import RunSpec
from naysay.run.manifest import NAME, Manifest, library_versions, now, read_manifest, this_machine
from naysay.run.plan import Plan


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock the folder; the system releases the lock however the process ends."""
    busy = RunError(f"another process is writing to {folder}; wait for it, or stop it")
    with contextlib.ExitStack() as holding:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            holding.enter_context(locked(folder / ".lock", busy))
        except OSError as error:
            raise RunError(
                f"cannot write to {folder}: {error.strerror or error}. "
                "Choose another folder with --out."
            ) from error
        for left_behind in folder.rglob(".*.part"):
            left_behind.unlink()  # from a process that was killed while writing
        yield


def check_place(plan: Plan) -> None:
    """Refuse a folder that is not writable, is itself a run, or holds another run.

    This writes nothing and comes before the model is loaded, so that no time is lost.
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
            f"cannot write to {out}: {nearest} is "
            f"{'read-only' if nearest.is_dir() else 'a file'}. Choose another folder with --out."
        )


def open_manifest(plan: Plan, facts: dict[str, object]) -> Manifest:
    """Return the run's manifest, existing or new."""
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
    """Return all runs in a folder of runs, oldest first."""
    manifests = [read_manifest(path.parent) for path in out.glob(f"*/{NAME}")]
    return sorted(manifests, key=lambda manifest: manifest.started)


def find_run(name: str, out: Path) -> Manifest:
    """Find a run by its folder, its folder's name, or the start of its key."""
    for folder in (Path(name), out / name):
        if (folder / NAME).is_file():
            return read_manifest(folder)
    found = [m for m in find_runs(out) if m.key.startswith(name)] if name else []
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(str(m.folder) for m in found)
        raise RunError(f"{name!r} is ambiguous ({listed}): give the folder")
    known = [m.folder.name for m in find_runs(out)]
    raise UnknownNameError("run", name, known, f"Searched in {out}.")


@cache
def schema_of(row_type: type) -> Any:
    """Return the Arrow schema of a row type; strings repeat, so they are dictionary-encoded."""
    import pyarrow as pa

    types = {
        str: pa.dictionary(pa.int32(), pa.string()),
        int: pa.int32(),
        bool: pa.bool_(),
        float: pa.float64(),
    }
    hints = get_type_hints(row_type)
    names = [field.name for field in dataclasses.fields(row_type)]
    return pa.schema([pa.field(name, types[hints[name]], nullable=False) for name in names])


def table_of(rows: Iterable[Any], row_type: type) -> Table:
    """Convert the rows to a table."""
    import pyarrow as pa

    schema = schema_of(row_type)
    columns: list[list[Any]] = [[] for _ in schema.names]
    adders = [(column.append, name) for column, name in zip(columns, schema.names, strict=True)]
    for row in rows:
        for add, name in adders:
            add(getattr(row, name))
    arrays = [
        # Arrow encodes a plain array faster than it builds a dictionary value by value.
        pa.array(column).dictionary_encode() if pa.types.is_dictionary(field.type) and column
        else pa.array(column, type=field.type)
        for column, field in zip(columns, schema, strict=True)
    ]  # fmt: skip
    return pa.table(arrays, schema=schema)


def write_rows(table: Table, path: Path) -> None:
    """Write the table as a Parquet file."""
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="zstd")


def read_rows(path: Path, columns: list[str] | None = None) -> Table:
    """Read the rows of one shard."""
    try:
        return rows_of(path.read_bytes(), columns)
    except (OSError, DamagedShardError) as error:
        raise DamagedShardError(f"{path} is not a readable Parquet file: {error}") from error


def rows_of(content: bytes, columns: list[str] | None = None) -> Table:
    """Read the rows from the bytes of a shard."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(pa.BufferReader(content), columns=columns)
    except (OSError, pa.ArrowInvalid) as error:
        raise DamagedShardError(str(error)) from error


_OPTIONS = ("language", "readout", "items", "lexicon", "precision", "seed", "limit")
"""The options that distinguish runs of one model best; the others come after these."""
_NO_DIFFERENCE = (
    "model", "out", "data_dir", "device", "token_budget", "shard_size", "allow_pickle",
    "trust_remote_code",
)  # fmt: skip
"""Options that do not change what is asked."""


def run_labels(manifests: Sequence[Manifest], specs: Sequence[RunSpec]) -> list[str]:
    """A label for each run.

    It is the model's name, without folders where that is enough. Runs of one model also get the
    options in which they differ, or the run's key. A run that is given twice gets a number.
    """
    names = [str(manifest.model["name"]) for manifest in manifests]
    short = [_last_part(name) for name in names]
    if len(set(short)) < len(set(names)):
        short = names
    options = _options(specs)
    facts = [_facts(*run, options) for run in zip(manifests, specs, strict=True)]
    labels = [
        f"{name} ({', '.join(parts)})" if (parts := _differing(k, names, facts)) else name
        for k, name in enumerate(short)
    ]
    counts = Counter(labels)
    return [
        f"{label} ({number})" if counts[label] > 1 else label
        for number, label in enumerate(labels, 1)
    ]


def _last_part(name: str) -> str:
    """A model's name without folders, if it is made of folders.

    >>> _last_part("google-bert/bert-base-cased"), _last_part("</i> a model")
    ('bert-base-cased', '</i> a model')
    """
    last = name.rstrip("/").rpartition("/")[2]
    return last if re.fullmatch(r"[\w.:-]+", last) else name


def _facts(manifest: Manifest, spec: RunSpec, names: Sequence[str]) -> list[str]:
    """What can distinguish a run."""
    values = {name: spec.value(name) for name in names} | {"suites": spec.suites}
    facts = [f"{name} {_shown(values[name])}" for name in names]
    return [*facts, f"run {manifest.key[:8]}"]


def _options(specs: Sequence[RunSpec]) -> list[str]:
    """The options that any of the runs has, in one order for all of them."""
    own = [n for spec in specs for options in spec.options.values() for n in options.as_dict()]
    named = dict.fromkeys((*_OPTIONS, *declarations(RunSpec), "suites", *own))
    return [name for name in named if name not in _NO_DIFFERENCE]


def _shown(value: Any) -> str:
    if value is None:
        return "default"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _differing(run: int, names: Sequence[str], facts: Sequence[Sequence[str]]) -> list[str]:
    """The facts that distinguish a run from the others of its model, no more than are needed."""
    alike = [k for k, name in enumerate(names) if name == names[run]]
    parts = []
    for place, fact in enumerate(facts[run]):
        same = [k for k in alike if facts[k][place] == fact]
        if len(same) < len(alike):
            parts.append(fact)
            alike = same
    return parts
