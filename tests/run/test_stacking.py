"""The rows of many shards in one table: the same rows, in fewer bytes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from naysay.core.protocols import Table
from naysay.run.evaluation import evaluate
from naysay.run.rows import whole_rows
from naysay.run.stacking import stacked
from naysay.suites import SUITES


def shard(words: list[str], numbers: list[int]) -> Table:
    column = pa.array(words, pa.string()).dictionary_encode()
    true = pa.array([number % 2 == 0 for number in numbers])
    return pa.table({"word": column, "number": pa.array(numbers, pa.int32()), "even": true})


def test_words_are_numbered_as_they_appear() -> None:
    found = stacked([shard(["b", "a"], [3, 4]), shard(["c", "a", "b"], [0, -1, 2])], 5)
    assert found.to_pylist() == [
        {"word": word, "number": number, "even": number % 2 == 0}
        for word, number in zip("bacab", (3, 4, 0, -1, 2), strict=True)
    ]
    [words] = found["word"].chunks
    assert words.dictionary.to_pylist() == ["b", "a", "c"]
    assert found.schema.field("number").type == pa.int32()


def test_what_is_missing_stays_missing() -> None:
    columns = {
        "word": pa.array(["x", None, "y"]).dictionary_encode(),
        "number": pa.array([1, None, 3], pa.int32()),
        "score": pa.array([None, 0.5, 1.5], pa.float64()),
        "even": pa.array([True, False, None]),
        "text": pa.array([None, "a", "b"]),
    }
    whole = pa.table({name: column.take([0, 2, 0]) for name, column in columns.items()})
    found = stacked([whole, pa.table(columns)], 6)
    assert found.to_pylist() == [*whole.to_pylist(), *pa.table(columns).to_pylist()]


@pytest.mark.parametrize(
    ("count", "kind"), [(128, pa.int8()), (129, pa.int16()), (40_000, pa.int32())]
)
def test_numbers_take_as_few_bytes_as_they_need(count: int, kind: pa.DataType) -> None:
    words = [f"w{k}" for k in range(count)]
    half = count // 2
    parts = [shard(part, list(range(len(part)))) for part in (words[:half], words[half:])]
    [found] = stacked(parts, count)["word"].chunks
    assert found.type.index_type == kind
    assert found.to_pylist() == words


def test_no_rows_are_a_table_with_all_columns() -> None:
    found = stacked([shard([], [])], 0)
    assert len(found) == 0 and found.column_names == ["word", "number", "even"]


@pytest.mark.parametrize("suite", ["scnt", "gh22", "semantoneg", "lama"])
def test_rows_and_the_order_of_words_are_those_of_plain_concatenation(
    suite: str, tmp_path: Path
) -> None:
    run = evaluate("known:random", suite, limit=9, shard_size=2, out=tmp_path)
    columns = list(SUITES.get(suite).judged)
    shards = list(whole_rows(run.manifest, SUITES.get(suite), columns))
    plain = pa.concat_tables(shards).unify_dictionaries().combine_chunks()
    found = stacked(shards, len(plain))
    assert found.to_pylist() == plain.to_pylist()
    for name in columns:
        if pa.types.is_dictionary(plain[name].type):
            words = [column[name].chunk(0).dictionary.to_pylist() for column in (plain, found)]
            assert words[0] == words[1]
    assert found.nbytes < plain.nbytes
