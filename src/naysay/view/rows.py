"""The rows of a run's suite, filtered and paged by DuckDB on their Parquet files.

Columns and their kinds are those that the suite declares for its rows. Whatever a row says is a
value in a query, never a part of it.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from naysay.core.errors import DamagedShardError, RunError, UnknownNameError
from naysay.run.manifest import Manifest
from naysay.suites.protocol import Suite
from naysay.view.facets import Facet, counted_values, facets_of
from naysay.view.folder import UnknownRunError
from naysay.view.outcomes import NONE, RIGHT, WRONG, Outcomes
from naysay.view.verdicts import check_files

PAGE = 50
"""Rows on a page."""
AT_ONCE = 200_000
"""Rows that are counted before a page is shown; more are counted in the background."""
_KEY = "unit"


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
    total: int | None
    """None if they have not been counted yet."""
    number: int

    @property
    def pages(self) -> int:
        """How many pages there are, at least one; so far known, if rows are being counted."""
        return self.number + 1 if self.total is None else max(1, -(-self.total // PAGE))


@dataclass(frozen=True, eq=False)
class _Selection:
    """Filters as a query says them."""

    where: tuple[str, ...]
    values: tuple[str, ...]
    wanted: Any
    """Which rows have the verdict, by their number; None if that does not matter."""
    key: tuple[object, ...]
    """Equal for the same rows."""


class RowTable:
    """The rows of one suite of a run, as far as it is finished."""

    def __init__(self, connection: Any, manifest: Manifest, suite: Suite) -> None:
        self._connection, self.manifest, self.suite = connection, manifest, suite
        hints = get_type_hints(suite.row_type)
        self.kinds = {field.name: hints[field.name] for field in dataclasses.fields(suite.row_type)}
        """The type of each column."""
        self.judging: Future[Outcomes] | None = None
        """How the model fared in each row, when that is known; None if nobody has asked yet."""
        self._values: Mapping[str, Counter[str]] | None = None
        self._counting = threading.Lock()
        self._totals: dict[tuple[object, ...], int] = {}

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

    @property
    def counted(self) -> bool:
        """Whether the facets are known, or found in no time; else they need one more thread."""
        return self._values is not None or self.count <= AT_ONCE

    @property
    def facets(self) -> tuple[Facet, ...]:
        """The columns to filter by, with their values."""
        return facets_of(self._counted())

    def _counted(self) -> Mapping[str, Counter[str]]:
        with self._counting:
            if self._values is None:
                self._values = counted_values(self.manifest, self.files, self._words)
        return self._values

    @property
    def _words(self) -> list[str]:
        return [name for name, kind in self.kinds.items() if kind in (str, bool) and name != _KEY]

    @cached_property
    def _first_counted(self) -> Mapping[str, Counter[str]]:
        return counted_values(self.manifest, self.files[:1], self._words)

    @property
    def texts(self) -> list[str]:
        """The columns with too many values to choose from, which hold sentences."""
        counted = self._counted() if self.counted else self._first_counted
        few = (*counted, _KEY)
        return [name for name, kind in self.kinds.items() if kind is str and name not in few]

    def page(
        self, filters: Filters, number: int = 1, count: int = PAGE, *, lazily: bool = False
    ) -> RowPage:
        """Return a page of the rows that pass the filters.

        Their number is left out if that is allowed and would take another look at many rows.
        """
        found = self._selection(filters)
        total = self._totals.get(found.key) if found.where else self.count
        if total is None and (number > 1 or not lazily or self.count <= AT_ONCE):
            total = self.total(filters)
        if total is not None:
            number = max(1, min(number, -(-total // count)))
        rows = self._select(
            found,
            f"filename, file_row_number, {self._columns}",
            f" LIMIT {count:d} OFFSET {(number - 1) * count:d}",
        )
        if total is None and len(rows) < count:
            total = self._totals[found.key] = len(rows)
        return RowPage(tuple(self._found(row) for row in rows), total, number)

    def total(self, filters: Filters) -> int:
        """Return how many rows pass the filters; they are counted once."""
        found = self._selection(filters)
        if found.key not in self._totals:
            if not found.where:
                return self.count
            [[self._totals[found.key]]] = self._select(found, "count(*)")
        return self._totals[found.key]

    def count_all(self, filters: Filters) -> None:
        """Count the values of all columns, and the rows that pass the filters."""
        self._counted()
        self.total(filters)

    def _selection(self, filters: Filters) -> _Selection:
        where, values = self._where(filters)
        wanted = self._wanted(filters)
        if wanted is not None:
            where.append("wanted.taken")
        judged = wanted is None or self.outcomes is not None
        verdict = filters.verdict, filters.measure, judged
        return _Selection(tuple(where), tuple(values), wanted, (*where, *values, *verdict))

    def _select(self, found: _Selection, columns: str, limit: str = "") -> list[Any]:
        source, cursor = self._source, self._connection.cursor()
        if found.wanted is not None:
            import pyarrow as pa

            cursor.register("wanted", pa.table({"taken": pa.array(found.wanted)}))
            source = f"({source} POSITIONAL JOIN wanted)"
        condition = f" WHERE {' AND '.join(found.where)}" if found.where else ""
        try:
            return self._run(
                f"SELECT {columns} FROM {source}{condition}{limit}", found.values, cursor
            )
        finally:
            cursor.close()

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


def _scan(paths: Sequence[str]) -> str:
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    return f"read_parquet([{listed}], filename = true, file_row_number = true)"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sql(kind: type) -> str:
    return {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}[kind]
