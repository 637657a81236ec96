"""The rows of a run's suite, filtered and paged by DuckDB on their Parquet files.

Columns and their kinds are those that the suite declares for its rows. Whatever a row says is a
value in a query, never a part of it.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from naysay.core.errors import DamagedShardError, RunError, UnknownNameError
from naysay.run.manifest import Manifest
from naysay.run.store import read_rows
from naysay.suites import SUITES
from naysay.suites.protocol import Suite
from naysay.view.folder import SeenRun, UnknownRunError
from naysay.view.outcomes import NONE, RIGHT, WRONG, Outcomes
from naysay.view.verdicts import check_files

PAGE = 50
"""Rows on a page."""
MOST_VALUES = 3_000
"""A column with more values is searched, not chosen from."""
_KEY = "unit"
_FEW = 200  # values that a column may have however few rows there are
_KEPT = 8  # suites whose values and outcomes are remembered
_MEMORY = "400MB"


@dataclass(frozen=True)
class Facet:
    """A column to filter by, with its values, the most frequent first."""

    name: str
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Filters:
    """What rows are wanted: values of columns, a text, and how the model fared."""

    values: Mapping[str, str]
    text: str = ""
    verdict: str = ""
    """`right`, `wrong` or nothing."""
    measure: str = ""
    """The figure that the verdict is about; all of them if empty."""


@dataclass(frozen=True)
class FoundRow:
    """One row, where it is stored, and how the model fared."""

    file: str
    place: int
    """Its number in the file."""
    values: Mapping[str, Any]
    right: bool | None


@dataclass(frozen=True)
class RowPage:
    """A page of rows, and how many there are on all pages."""

    rows: tuple[FoundRow, ...]
    total: int
    number: int

    @property
    def pages(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.total // PAGE))


class Database:
    """A connection that reads the folder of runs and nothing else."""

    def __init__(self, folder: Path) -> None:
        import duckdb

        self._connection = duckdb.connect(":memory:", config={"memory_limit": _MEMORY})
        # A row's text cannot make it read other files, nor load code, nor write.
        for statement in (
            f"SET allowed_directories = ['{str(folder).replace(chr(39), 2 * chr(39))}']",
            "SET enable_external_access = false",
            "SET autoinstall_known_extensions = false",
            "SET lock_configuration = true",
        ):
            self._connection.execute(statement)
        self._tables: OrderedDict[tuple[str, str, str], RowTable] = OrderedDict()
        self._judging = ThreadPoolExecutor(1, "outcomes")
        self._lock = threading.Lock()

    def table(self, run: SeenRun, suite: str) -> RowTable:
        """Return the rows of one of the run's suites."""
        manifest = run.read()
        if suite not in manifest.planned:
            raise UnknownRunError(f"{run.folder.name} has no suite {suite!r}")
        name = run.slug, run.stamp, suite
        with self._lock:
            found = self._tables.pop(name, None)
            if found is None:
                found = RowTable(self._connection, manifest, SUITES.get(suite))
            self._tables[name] = found
            while len(self._tables) > _KEPT:
                self._tables.popitem(last=False)
        return found

    def judge(self, table: RowTable) -> None:
        """Have the rows of a finished run judged in the background, unless that was begun."""
        with self._lock:
            if table.judging is None and table.manifest.finished is not None:
                table.judging = self._judging.submit(Outcomes.of, table.manifest, table.suite)

    def close(self) -> None:
        """Close the connection, after the run that is being judged."""
        self._judging.shutdown(cancel_futures=True)
        self._connection.close()


class RowTable:
    """The rows of one suite of a run, as far as it is finished."""

    def __init__(self, connection: Any, manifest: Manifest, suite: Suite) -> None:
        self._connection, self.manifest, self.suite = connection, manifest, suite
        hints = get_type_hints(suite.row_type)
        self.kinds = {field.name: hints[field.name] for field in dataclasses.fields(suite.row_type)}
        """The type of each column."""
        self.judging: Future[Outcomes] | None = None
        """How the model fared in each row, when that is known; None if nobody has asked yet."""

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The finished shards; an error is raised if one of them was changed."""
        manifest = self.manifest
        check_files(manifest)
        own = sorted(f for f, one in manifest.shards.items() if one["suite"] == self.suite.name)
        files = tuple(file for file in own if manifest.path(file).is_file())
        if not files:
            raise RunError(f"{manifest.folder.name} has no rows of {self.suite.name} yet")
        for file in files:
            if not manifest.is_whole(file):
                raise DamagedShardError(
                    f"{manifest.path(file)} is corrupt: it was truncated or changed; "
                    f"{manifest.mend()}"
                )
        return files

    @cached_property
    def starts(self) -> dict[str, int]:
        """The number of the first row of each shard."""
        counts = [int(self.manifest.shards[file]["rows"]) for file in self.files]
        ends = np.cumsum([0, *counts]).tolist()
        return dict(zip(self.files, ends, strict=False))

    @property
    def count(self) -> int:
        """How many rows there are."""
        return sum(int(self.manifest.shards[file]["rows"]) for file in self.files)

    def place(self, row: int) -> tuple[str, int]:
        """Return the shard of a row that is counted over all shards, and its number there."""
        file = [file for file, start in self.starts.items() if start <= row][-1]
        return file, row - self.starts[file]

    @property
    def pending(self) -> bool:
        """Whether the rows are being judged."""
        return self.judging is not None and not self.judging.done()

    @property
    def outcomes(self) -> Outcomes | None:
        """How the model fared in each row; None if that is not known, or not yet."""
        if self.judging is None or not self.judging.done() or self.judging.exception():
            return None
        return self.judging.result()

    @cached_property
    def facets(self) -> tuple[Facet, ...]:
        """The columns to filter by, with their values."""
        return tuple(
            Facet(name, tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))))
            for name, counts in self._counted.items()
            if len(counts) > 1
        )

    @cached_property
    def _counted(self) -> dict[str, Counter[str]]:
        """How often each value occurs, of columns with few values.

        The files store words as numbers with a dictionary, so most of the work is done there.
        """
        names = [name for name, kind in self.kinds.items() if kind in (str, bool) and name != _KEY]
        found: dict[str, Counter[str]] = {name: Counter() for name in names}
        for file in self.files:
            table = read_rows(self.manifest.path(file), list(found))
            for name in list(found):
                for chunk in table[name].chunks:
                    found[name].update(_counts(chunk))
                many = len(found[name]) > min(MOST_VALUES, max(_FEW, len(table) // 4))
                if many:  # mostly sentences, which would take long to count
                    del found[name]
        return found

    @property
    def texts(self) -> list[str]:
        """The columns with too many values to choose from, which hold sentences."""
        few = (*self._counted, _KEY)
        return [name for name, kind in self.kinds.items() if kind is str and name not in few]

    def page(self, filters: Filters, number: int = 1, count: int = PAGE) -> RowPage:
        """Return a page of the rows that pass the filters."""
        where, values = self._where(filters)
        source = self._source
        cursor = self._connection.cursor()
        if (wanted := self._wanted(filters)) is not None:
            import pyarrow as pa

            cursor.register("wanted", pa.table({"taken": pa.array(wanted)}))
            source = f"({source} POSITIONAL JOIN wanted)"
            where.append("wanted.taken")
        condition = f" WHERE {' AND '.join(where)}" if where else ""
        total = self.count
        if where:
            [[total]] = self._run(f"SELECT count(*) FROM {source}{condition}", values, cursor)
        number = max(1, min(number, -(-total // count)))
        rows = self._run(
            f"SELECT filename, file_row_number, {self._columns} FROM {source}{condition} "
            f"LIMIT {count:d} OFFSET {(number - 1) * count:d}",
            values,
            cursor,
        )
        cursor.close()
        return RowPage(tuple(self._found(row) for row in rows), total, number)

    def spread(self, count: int) -> tuple[FoundRow, ...]:
        """Return so many rows, evenly spaced over all shards."""
        chosen: dict[str, list[str]] = {}
        for row in np.unique(np.linspace(0, self.count - 1, count).astype(np.int64)).tolist():
            file, place = self.place(row)
            chosen.setdefault(file, []).append(str(place))
        found: list[Any] = []
        for file, places in chosen.items():
            found += self._run(
                f"SELECT filename, file_row_number, {self._columns} FROM "
                f"{_scan([self._path(file)])} WHERE file_row_number IN ({', '.join(places)})",
                [],
            )
        return tuple(self._found(row) for row in found)

    def row(self, file: str, place: int) -> FoundRow:
        """Return one row."""
        if file not in self.files or not 0 <= place < int(self.manifest.shards[file]["rows"]):
            raise UnknownRunError(f"there is no row {place} in {file}")
        source = _scan([self._path(file)])
        rows = self._run(
            f"SELECT filename, file_row_number, {self._columns} FROM {source} "
            f"WHERE file_row_number = {place:d}",
            [],
        )
        return self._found(rows[0])

    def _found(self, row: Sequence[Any]) -> FoundRow:
        path, place, *values = row
        file = "/".join(Path(path).parts[-2:])
        named = dict(zip(self.kinds, values, strict=True))
        outcomes = self.outcomes
        right = None if outcomes is None else outcomes.right(self.starts[file] + place)
        return FoundRow(file, int(place), named, right)

    @property
    def _columns(self) -> str:
        return ", ".join(f"CAST({_quoted(name)} AS VARCHAR)" for name in self.kinds)

    @property
    def _source(self) -> str:
        return _scan([self._path(file) for file in self.files])

    def _path(self, file: str) -> str:
        return str(self.manifest.path(file))

    def _where(self, filters: Filters) -> tuple[list[str], list[str]]:
        where, values = [], []
        for name, value in filters.values.items():
            if name not in self.kinds:
                raise UnknownNameError("column", name, self.kinds)
            kind = self.kinds[name]
            where.append(f"{_quoted(name)} = {'?' if kind is str else f'CAST(? AS {_sql(kind)})'}")
            values.append(value)
        if filters.text:
            searched = self.texts or [n for n, kind in self.kinds.items() if kind is str]
            found = (f"contains(lower({_quoted(name)}), lower(?))" for name in searched)
            where.append(f"({' OR '.join(found)})")
            values += [filters.text] * len(searched)
        return where, values

    def _wanted(self, filters: Filters) -> Any | None:
        """Which rows have the verdict, or belong to the figure; None if that does not matter."""
        if not (filters.verdict or filters.measure):
            return None
        if (outcomes := self.outcomes) is None:
            return np.zeros(self.count, np.bool_)
        codes = outcomes.codes(filters.measure)
        if filters.verdict:
            return codes == {"right": RIGHT, "wrong": WRONG}.get(filters.verdict, -1)
        return codes != NONE

    def _run(self, query: str, values: Sequence[Any], cursor: Any = None) -> list[Any]:
        import duckdb

        own = cursor or self._connection.cursor()
        try:
            rows: list[Any] = own.execute(query, values).fetchall()
            return rows
        except duckdb.ConversionException as error:
            raise UnknownRunError(f"no row has such a value: {error}") from error
        except duckdb.Error as error:
            first = str(error).strip().splitlines()[0]
            raise DamagedShardError(
                f"{self.manifest.folder} cannot be queried ({first}); {self.manifest.mend()}"
            ) from error
        finally:
            if cursor is None:
                own.close()


def _counts(chunk: Any) -> dict[str, int]:
    import pyarrow as pa

    if not pa.types.is_dictionary(chunk.type):
        chunk = chunk.cast("string").dictionary_encode()
    counts = np.bincount(chunk.indices.to_numpy(zero_copy_only=False), minlength=1)
    words = chunk.dictionary.to_pylist()
    return {str(word): int(n) for word, n in zip(words, counts.tolist(), strict=False) if n}


def _scan(paths: Sequence[str]) -> str:
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    return f"read_parquet([{listed}], filename = true, file_row_number = true)"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sql(kind: type) -> str:
    return {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}[kind]
