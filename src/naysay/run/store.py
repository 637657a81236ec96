"""Where runs are: their folders, locks, rows on disk, and short names for several of them."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from naysay.core.errors import DamagedShardError, NaysayError, RunError
from naysay.core.keys import content_key
from naysay.core.objects import ObjectPath, place_of
from naysay.core.options import declarations
from naysay.core.paths import cache_folder, locked, remove_parts
from naysay.core.protocols import Table
from naysay.core.spec import PLACEMENT, RunSpec
from naysay.run.manifest import NAME, Manifest, library_versions, now, read_manifest, this_machine
from naysay.run.plan import Plan


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock the folder; the system releases the lock however the process ends."""
    busy = RunError(f"another process is writing to {folder}; wait for it, or stop it")
    with contextlib.ExitStack() as holding:
        try:
            lock = _lock(folder)
            lock.parent.mkdir(parents=True, exist_ok=True)
            holding.enter_context(locked(lock, busy))
        except OSError as error:
            raise RunError(
                f"cannot write to {folder}: {error.strerror or error}. "
                "Choose another folder with --runs."
            ) from error
        if lock.parent == folder:
            remove_parts(folder)
        yield


def _lock(folder: Path) -> Path:
    """The file that is locked for a run.

    An object store has no locks, so only processes of this user on this machine exclude each other
    there. Others write the same bytes: their work is lost, but no row.
    """
    if not isinstance(folder, ObjectPath):
        return folder / ".lock"
    return cache_folder() / "locks" / content_key(str(folder), 16)


def check_place(plan: Plan) -> None:
    """Refuse a folder that is not writable, is itself a run, or holds another run.

    This writes nothing and comes before the model is loaded, so that no time is lost.
    """
    _check_writable(plan.spec.out)
    if (plan.spec.out / NAME).is_file():
        other = read_manifest(plan.spec.out)
        raise RunError(
            f"{plan.spec.out} is itself a run (key {other.key}), not a folder of runs: "
            f"give its parent with --runs {plan.spec.out.parent}"
        )
    if (plan.folder / NAME).is_file():
        other = read_manifest(plan.folder)
        if other.key != plan.key:
            raise RunError(
                f"{plan.folder} holds the run {other.key}, not {plan.key}: "
                "move it away, or choose another folder with --runs"
            )


def _check_writable(out: Path) -> None:
    if isinstance(out, ObjectPath):
        try:
            if not ObjectPath(*out.parts[:2]).exists():
                raise RunError(f"there is no bucket {out.parts[1]}: create it, or choose another")
        except OSError as error:
            raise RunError(f"cannot write to {out}: {error}") from error
        return
    nearest = next(folder for folder in (out, *out.absolute().parents) if folder.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise RunError(
            f"cannot write to {out}: {nearest} is "
            f"{'read-only' if nearest.is_dir() else 'a file'}. Choose another folder with --runs."
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


@dataclass(frozen=True)
class BrokenRun:
    """A folder whose run cannot be read, and why."""

    folder: Path
    reason: str


def find_runs(out: Path, broken: list[BrokenRun] | None = None) -> list[Manifest]:
    """Return all runs in a folder of runs, oldest first.

    Those that cannot be read are left out, and appended to `broken` if it is given.
    """
    manifests = []
    for path in _manifests(place_of(out)):
        try:
            manifest = read_manifest(path.parent)
            manifest.run_spec  # noqa: B018  # options of a suite that is not installed
        except NaysayError as error:
            if broken is not None:
                broken.append(BrokenRun(path.parent, str(error)))
        else:
            manifests.append(manifest)
    return sorted(manifests, key=lambda manifest: (manifest.started, manifest.folder.name))


def _manifests(out: Path) -> list[Path]:
    try:
        return list(out.glob(f"*/{NAME}"))
    except OSError as error:  # of a store that cannot be reached
        raise RunError(f"cannot list {out}: {error}") from error


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


def parquet_of(table: Table) -> bytes:
    """Return the table as the bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = pa.BufferOutputStream()
    pq.write_table(table, stream, compression="zstd")
    content: bytes = stream.getvalue().to_pybytes()
    return content


_MOST_ROWS, _MOST_BYTES = 20_000_000, 4 << 30
"""What a shard may have at most; a small file can claim far more than there is memory."""


def rows_of(content: bytes, columns: list[str] | None = None) -> Table:
    """Read the rows from the bytes of a shard, in this thread alone.

    A command that ends soon after Arrow's pool of threads has started may be aborted by it, with
    all its work done (apache/arrow#34314: one in a hundred on a busy machine).
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        about = file.metadata
        size = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
        if about.num_rows > _MOST_ROWS or size > _MOST_BYTES:
            raise DamagedShardError(f"it claims {about.num_rows:,} rows of {size:,} bytes")
        return file.read(columns=columns, use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise DamagedShardError(f"it is not a readable Parquet file ({error})") from error


def read_rows(path: Path, columns: list[str] | None = None) -> Table:
    """Read the rows in a file, whatever they are."""
    try:
        return rows_of(path.read_bytes(), columns)
    except (OSError, DamagedShardError) as error:
        raise DamagedShardError(f"{path}: {error}") from error


def check_rows(rows: Table, row_type: type, columns: list[str] | None = None) -> None:
    """Refuse rows that lack a column, or have one of another type, gaps, or what is no number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    schema = schema_of(row_type)
    for name in columns or schema.names:
        if rows.schema.names.count(name) != 1:
            raise DamagedShardError(f"it has {rows.schema.names.count(name)} columns {name}")
        column, kind = rows[name], schema.field(name).type
        if column.type != kind:
            raise DamagedShardError(f"its column {name} is {column.type}, not {kind}")
        if any(_has_gaps(chunk) for chunk in column.chunks):
            raise DamagedShardError(f"its column {name} has empty cells")
        if pa.types.is_floating(kind) and not pc.all(pc.is_finite(column)).as_py():
            raise DamagedShardError(f"its column {name} has figures that are not finite")


def _has_gaps(chunk: Any) -> bool:
    """Whether an entry is missing: none is named, or one that is itself missing."""
    import pyarrow as pa

    inside = chunk.dictionary.null_count if pa.types.is_dictionary(chunk.type) else 0
    return bool(chunk.null_count or inside)


_OPTIONS = ("language", "readout", "items", "lexicon", "verbs", "precision", "seed", "limit")
"""The options that distinguish runs of one model best; the others come after these."""
_NO_DIFFERENCE = (
    "model", "out", "data_dir", "device", "token_budget", "batch_size", "shard_size",
    "allow_pickle", "trust_remote_code", *PLACEMENT,
)  # fmt: skip
"""Options that do not change what is asked."""


def run_labels(manifests: Sequence[Manifest], specs: Sequence[RunSpec]) -> list[str]:
    """A label for each run.

    It is the model's name, without folders where that is enough. Runs of one model also get the
    options in which they differ, or the run's key. A run that is given twice gets a number.
    """
    names = [str(manifest.model["name"]) for manifest in manifests]
    short = [last_part(name) for name in names]
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


def last_part(name: str) -> str:
    """A model's name without folders, if it is made of folders.

    >>> last_part("google-bert/bert-base-cased"), last_part("</i> a model")
    ('bert-base-cased', '</i> a model')
    """
    last = name.rstrip("/").rpartition("/")[2]
    return last if re.fullmatch(r"[\w.:@-]+", last) else name


def _facts(manifest: Manifest, spec: RunSpec, names: Sequence[str]) -> list[str | None]:
    """What can distinguish a run; None for an option that none of its suites reads."""
    read = {name for options in spec.options.values() for name in options.as_dict()}
    read |= {*declarations(RunSpec), "suites"}
    values = {name: spec.value(name) for name in names} | {"suites": spec.suites}
    values["precision"] = spec.answers_in
    facts = [f"{name} {_shown(values[name])}" if name in read else None for name in names]
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


def _differing(run: int, names: Sequence[str], facts: Sequence[Sequence[str | None]]) -> list[str]:
    """The facts that distinguish a run from the others of its model, no more than are needed."""
    alike = [k for k, name in enumerate(names) if name == names[run]]
    parts = []
    for place, fact in enumerate(facts[run]):
        if fact is None:
            continue
        same = [k for k in alike if facts[k][place] in (fact, None)]
        if len(same) < len(alike):
            parts.append(fact)
            alike = same
    return parts
