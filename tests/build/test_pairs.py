"""Files of pairs as corpora have them: with ids, labels and scores, with names and without."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome
from naysay.build.pairs import Pair, read_pairs
from naysay.core.errors import DatasetError

Naysay = Callable[..., Outcome]
PAIRS = [
    Pair("The soup is not hot.", "The soup is cold."),
    Pair("It is not a cheap hotel.", "One pays a lot there."),
]
ONE, TWO = ((pair.one, pair.other) for pair in PAIRS)
# The columns of four corpora, with sentences of our own.
FILES = {
    "scores and no names": (
        ["main", "news", "2012", "0001", "4.750", *ONE],
        ["main", "news", "2012", "0002", "5.000", *TWO, "licence", "of its source"],
        "6 and 7 of 7",
    ),
    "label last": (
        ["id", "sentence1", "sentence2", "label"],
        ["1", *ONE, "1"],
        ["2", *TWO, "0"],
        "2 and 3 of 4 (sentence1, sentence2)",
    ),
    "label first": (
        ["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"],
        ["1", "702876", "702977", *ONE],
        ["0", "2108705", "2108831", *TWO],
        "4 and 5 of 5 (#1 String, #2 String)",
    ),
    "numbered strings first": (
        ["#1 String", "#2 String", "Quality"],
        [*ONE, "1"],
        [*TWO, "0"],
        "1 and 2 of 3 (#1 String, #2 String)",
    ),
    "questions": (
        ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"],
        ["0", "1", "2", *ONE, "0"],
        ["1", "3", "4", *TWO, "1"],
        "4 and 5 of 6 (question1, question2)",
    ),
    "names of two columns": (["text1", "text2"], ONE, TWO, "1 and 2 of 2 (text1, text2)"),
    "two columns": (ONE, TWO, "1 and 2 of 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_the_columns_of_sentences_are_found(name: str, tmp_path: Path) -> None:
    *rows, columns = FILES[name]
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join("\t".join(row) for row in rows) + "\n", encoding="utf-8")
    found = read_pairs(path)
    assert (found.pairs, found.columns) == (PAIRS, columns)


def test_the_command_says_which_columns_it_read(naysay: Naysay, tmp_path: Path) -> None:
    *rows, columns = FILES["scores and no names"]
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join("\t".join(row) for row in rows), encoding="utf-8")
    ended = naysay("build", "semantoneg", "--pairs", path, "-o", "set.jsonl")
    assert ended.code == 0
    assert f"sentences in columns: {columns}\n" in ended.out


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["1\t2\t3"], "line 1 is not a pair: of its 3 columns exactly two must hold sentences"),
        (["It is so here.\tIt is so.\tIt is so there."], "but these do: 1, 2, 3"),
        (["id\tsentence1\tsentence2", "1\tIt is so."], "line 2 is not a pair: it has 2 columns"),
        (["id\tsentence1\tsentence2", "1\tIt is so.\t"], "line 2 is not a pair: a sentence is"),
    ],
)
def test_other_tables_are_refused(rows: list[str], said: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(DatasetError, match=re.escape(said)):
        read_pairs(path)


def test_a_corpus_of_scored_pairs_is_read(upstream_data: Path) -> None:
    path = upstream_data / "STSbenchmark" / "sts-dev.csv"
    if not path.is_file():
        pytest.skip("STSbenchmark is not there")
    found = read_pairs(path)
    assert (len(found.pairs), found.columns) == (1500, "6 and 7 of 7")
