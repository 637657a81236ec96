"""One table of a suite's shards, in little memory.

Rows repeat few words, and each shard numbers them anew. Here they are numbered once for all shards,
and the numbers take as few bytes as they need, so a row of a run at full size takes a few bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from naysay.core.protocols import Table

_SIZES = (np.int8, np.int16, np.int32)
_Number = type[np.signedinteger[Any]]


def stacked(shards: Iterable[Table], count: int) -> Table:
    """Return the rows of the shards, `count` in all; words are numbered as they appear."""
    import pyarrow as pa

    columns: dict[str, _Words | _Plain] = {}
    begin = 0
    for rows in shards:
        for field in rows.schema:
            if field.name not in columns:
                words = pa.types.is_dictionary(field.type)
                columns[field.name] = _Words(count) if words else _Plain(count, field.type)
            place = begin
            for chunk in rows[field.name].chunks:
                columns[field.name].put(place, chunk)
                place += len(chunk)
        begin += len(rows)
    assert begin == count, f"{begin} rows, not {count}"
    return pa.table({name: column.array() for name, column in columns.items()})


class _Column:
    """What columns have in common: the places without a value."""

    _missing: npt.NDArray[np.bool_] | None = None

    def _note_missing(self, place: int, chunk: Any, count: int) -> None:
        if not chunk.null_count:
            return
        if self._missing is None:
            self._missing = np.zeros(count, dtype=np.bool_)
        here = chunk.is_null().to_numpy(zero_copy_only=False)
        self._missing[place : place + len(chunk)] = here


class _Words(_Column):
    """A column of words as their numbers."""

    def __init__(self, count: int) -> None:
        self._number: dict[str, int] = {}
        self._code: npt.NDArray[Any] = np.zeros(count, dtype=_SIZES[0])

    def put(self, place: int, chunk: Any) -> None:
        """Number the words of a shard as those before."""
        number = self._number
        words = chunk.dictionary.to_pylist()
        own = np.array([number.setdefault(word, len(number)) for word in words], dtype=np.int32)
        if (size := _smallest(len(number))) != self._code.dtype:
            self._code = self._code.astype(size)
        self._note_missing(place, chunk, len(self._code))
        there = np.flatnonzero(chunk.is_valid().to_numpy(zero_copy_only=False))
        self._code[place + there] = own[chunk.indices.drop_null().to_numpy()]

    def array(self) -> Any:
        """Return the column."""
        import pyarrow as pa

        words = pa.array([*self._number], pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(self._code, mask=self._missing), words)


class _Plain(_Column):
    """A column of numbers or truth values."""

    def __init__(self, count: int, kind: Any) -> None:
        self._kind = kind
        self._values: npt.NDArray[Any] = np.zeros(count, dtype=kind.to_pandas_dtype())

    def put(self, place: int, chunk: Any) -> None:
        """Keep the values of a shard."""
        self._note_missing(place, chunk, len(self._values))
        there = np.flatnonzero(chunk.is_valid().to_numpy(zero_copy_only=False))
        self._values[place + there] = chunk.drop_null().to_numpy(zero_copy_only=False)

    def array(self) -> Any:
        """Return the column."""
        import pyarrow as pa

        return pa.array(self._values, type=self._kind, mask=self._missing)


def _smallest(count: int) -> _Number:
    """The smallest type of number for so many words."""
    return next(size for size in _SIZES if count <= np.iinfo(size).max + 1)
