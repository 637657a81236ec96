"""Rows in Parquet files: they come back as they were, in the schema of their annotations."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from naysay.core.errors import DamagedShardError
from naysay.run.store import parquet_of, read_rows, schema_of, table_of


@dataclass(frozen=True)
class Row:
    word: str
    number: int
    share: float
    flag: bool


ROWS = [Row("a", 1, 0.5, True), Row("b", -2, 1.5, False), Row("a", 3, 0.0, True)]


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    file.write_bytes(parquet_of(table_of(ROWS, Row)))
    assert [Row(**row) for row in read_rows(file).to_pylist()] == ROWS
    assert read_rows(file, ["number"]).to_pydict() == {"number": [1, -2, 3]}
    assert pq.ParquetFile(file).metadata.row_group(0).column(0).compression == "ZSTD"


def test_the_schema_is_that_of_the_annotations() -> None:
    words = pa.dictionary(pa.int32(), pa.string())
    types = [("word", words), ("number", pa.int32()), ("share", pa.float64()), ("flag", pa.bool_())]
    expected = pa.schema([pa.field(name, kind, nullable=False) for name, kind in types])
    assert schema_of(Row) == expected
    for rows in (ROWS, []):
        table = table_of(iter(rows), Row)
        assert table.schema == expected and len(table) == len(rows)


def test_a_file_that_holds_no_rows_is_named(tmp_path: Path) -> None:
    for content in (b"", b"PAR1 and so on"):
        (tmp_path / "x.parquet").write_bytes(content)
        with pytest.raises(DamagedShardError, match=r"x\.parquet: it is not a readable"):
            read_rows(tmp_path / "x.parquet")
    with pytest.raises(DamagedShardError, match=r"y\.parquet"):
        read_rows(tmp_path / "y.parquet")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_reading_starts_no_threads(tmp_path: Path) -> None:
    """Arrow's threads may abort a process that ends soon after they have started."""
    file = tmp_path / "x.parquet"
    file.write_bytes(parquet_of(table_of(ROWS, Row)))
    script = (
        "import os, pathlib, sys, pyarrow.parquet\n"
        "from naysay.run.store import read_rows\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "read_rows(pathlib.Path(sys.argv[1]))\n"
        "print(len(os.listdir('/proc/self/task')) - before)"
    )
    command = [sys.executable, "-c", script, str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "0"
