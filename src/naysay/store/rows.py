"""Rows to Parquet and back. A row type is a dataclass; its annotations are the schema."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from naysay.errors import DamagedShardError
from naysay.protocols import Table


@cache
def schema_of(row_type: type) -> Any:
    """The Arrow schema of a row type; strings are dictionary-encoded, since they repeat."""
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
    """The rows as a table."""
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
    """The rows of one shard."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path, columns=columns)
    except (OSError, pa.ArrowInvalid) as error:
        raise DamagedShardError(f"{path} is not a readable Parquet file: {error}") from error
