"""Rows, their filters and their minimal pairs, against the rows as they are stored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naysay.core.errors import DamagedShardError, UnknownNameError
from naysay.core.examples import ExampleSide
from naysay.core.probes import Fill, FillBlank, Guess
from naysay.run.evaluation import analysis_of
from naysay.run.store import read_rows
from naysay.suites import SUITES as KNOWN
from naysay.view import pairs, rows
from naysay.view.database import Database
from naysay.view.folder import RunFolder, SeenRun, UnknownRunError
from naysay.view.outcomes import RIGHT, WRONG
from naysay.view.pairs import MinimalPair, PairReader, moved, pieces
from naysay.view.rows import PAGE, Filters, RowTable
from viewing import SUITES, copy_runs, make_runs, name_of


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_runs(tmp_path_factory.mktemp("rows") / "runs")


@pytest.fixture(scope="module")
def database(runs: Path) -> Iterator[Database]:
    made = Database(runs.resolve())
    yield made
    made.close()


def run_of(runs: Path, model: str = "known:blind") -> SeenRun:
    return RunFolder(runs).find(name_of(runs, model))


def table_of(database: Database, runs: Path, suite: str) -> RowTable:
    found = database.table(run_of(runs), suite)
    database.judge(found)
    assert found.judging is not None
    wait([found.judging])
    return found


def stored(table: RowTable) -> list[dict[str, Any]]:
    rows = [row for file in table.files for row in read_rows(table.manifest.path(file)).to_pylist()]
    return [{k: _text(v) for k, v in row.items()} for row in rows]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def every(table: RowTable, filters: Filters) -> list[dict[str, Any]]:
    first = table.page(filters)
    pages = [first, *(table.page(filters, number) for number in range(2, first.pages + 1))]
    rows = [row for page in pages for row in page.rows]
    assert len(rows) == first.total
    return [dict(row.values) for row in rows]


def texts(rows: list[dict[str, Any]], table: RowTable) -> list[tuple[str, ...]]:
    names = [name for name, kind in table.kinds.items() if kind in (str, bool)]
    return sorted(tuple(_text(row[name]) for name in names) for row in rows)


@pytest.mark.parametrize("suite", SUITES)
def test_every_filter_finds_the_rows_that_have_the_value(
    suite: str, runs: Path, database: Database
) -> None:
    table = table_of(database, runs, suite)
    rows = stored(table)
    assert texts(every(table, Filters({})), table) == texts(rows, table)
    assert table.facets
    for facet in table.facets:
        counts = dict(facet.values)
        assert sum(counts.values()) == len(rows)
        value, count = facet.values[-1]
        found = every(table, Filters({facet.name: value}))
        assert len(found) == count
        wanted = [row for row in rows if row[facet.name] == value]
        assert texts(found, table) == texts(wanted, table)


def test_filters_work_together_and_with_a_text(runs: Path, database: Database) -> None:
    table = table_of(database, runs, "scnt")
    rows = stored(table)
    verb = rows[0]["verb"]
    found = every(table, Filters({"condition": "CpTn"}, text=f"LIKES TO {verb}"))
    wanted = [r for r in rows if r["condition"] == "CpTn" and f"likes to {verb}" in r["text"]]
    assert found
    assert texts(found, table) == texts(wanted, table)


@pytest.mark.parametrize("suite", SUITES)
def test_right_and_wrong_are_those_of_the_measures(
    suite: str, runs: Path, database: Database
) -> None:
    table = table_of(database, runs, suite)
    outcomes = table.outcomes
    assert outcomes is not None
    assert outcomes.marks
    measures = analysis_of(table.manifest, KNOWN.get(suite), table.manifest.run_spec).compared()
    for label, marks in outcomes.marks.items():
        [measure] = [m for m in measures if label.endswith(f"{m.condition}: {m.metric}")
                     and m.wanted and m.unit == "%" and m.items.rows is not None][:1]  # fmt: skip
        share = 100 * np.mean(marks[marks > 0] == RIGHT)
        wanted = measure.mean() or 0.0
        # A macro mean counts clusters once; its rows are checked one by one.
        if not measure.items.balanced:
            assert share == pytest.approx(wanted if measure.wanted == "high" else 100 - wanted)
        for verdict, code in (("right", RIGHT), ("wrong", WRONG)):
            found = table.page(Filters({}, verdict=verdict, measure=label))
            assert found.total == np.count_nonzero(marks == code)
    wrong = table.page(Filters({}, verdict="wrong"))
    assert all(row.right is False for row in wrong.rows)


def test_values_are_never_part_of_a_query(runs: Path, database: Database) -> None:
    table = table_of(database, runs, "scnt")
    for nasty in ("' OR 1=1 --", '"; DROP TABLE x', "%", "\\", "\x00", "▢'"):
        assert table.page(Filters({"verb": nasty})).total == 0
        assert table.page(Filters({}, text=f"{nasty}{nasty}{nasty}")).total == 0
    with pytest.raises(UnknownNameError, match="column"):
        table.page(Filters({'verb" OR 1=1 --': "x"}))
    with pytest.raises(UnknownRunError):
        table.page(Filters({"tie": "no boolean"}))
    with pytest.raises(UnknownNameError, match="figure"):
        table.page(Filters({}, verdict="wrong", measure="none"))


def test_the_database_reads_nothing_but_the_folder(
    runs: Path, database: Database, tmp_path: Path
) -> None:
    import duckdb

    other = tmp_path / "other.parquet"
    other.write_bytes(next(runs.glob("*/scnt/*.parquet")).read_bytes())
    for query in (
        f"SELECT * FROM read_parquet('{other}')",
        f"SELECT * FROM read_text('{runs}/../other.txt')",
        f"COPY (SELECT 1) TO '{tmp_path}/made.csv'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ):
        with pytest.raises(duckdb.Error):
            database._connection.cursor().execute(query).fetchall()


def test_pages_beyond_the_last_are_the_last(runs: Path, database: Database) -> None:
    table = table_of(database, runs, "scnt")
    last = table.page(Filters({}), 10**9)
    assert last.number == last.pages == -(-table.count // PAGE)
    assert len(last.rows) == table.count - (last.pages - 1) * PAGE
    assert table.page(Filters({"verb": "none"}), 7).number == 1


def test_a_changed_shard_is_refused(runs: Path, tmp_path: Path) -> None:
    mine = copy_runs(runs, tmp_path)
    database = Database(mine.resolve())
    run = run_of(mine)
    shard = mine / run.folder.name / "scnt" / "00000.parquet"
    shard.write_bytes(shard.read_bytes()[:-8] + b"PAR1PAR1")
    with pytest.raises(DamagedShardError, match="corrupt"):
        database.table(run, "scnt").page(Filters({}))
    assert database.table(run, "lama").page(Filters({})).total
    database.close()


@pytest.mark.parametrize("suite", SUITES)
def test_each_row_opens_as_the_item_that_it_belongs_to(
    suite: str, runs: Path, database: Database
) -> None:
    table, reader, run = table_of(database, runs, suite), PairReader(database), run_of(runs)
    for row in table.spread(12):
        pair = reader.read(run, suite, row.file, row.place)
        sides = [side.text for side in pair.example.sides]
        values = set(map(str, row.values.values()))
        assert values & set(sides), (row, pair.example.title)
        # All words of the title are the row's own, so it is this item and no other.
        words = set(re.findall(r"[^\s,·]+", pair.example.title)) - {"rank", "item"}
        assert all(any(word in value for value in values) for word in words)
        # The row's own side is one of the two.
        assert {pair.left.shown.text, (pair.right or pair.left).shown.text} & values


def test_the_two_sides_are_chosen_and_their_difference_is_marked(
    runs: Path, database: Database
) -> None:
    table, run = table_of(database, runs, "scnt"), run_of(runs)
    rows = table.page(Filters({"condition": "CpTv"})).rows
    reader = PairReader(database)
    pair = reader.read(run, "scnt", rows[0].file, rows[0].place, ["CpTp", "CpTv"])
    assert pair.right is not None
    marked = "".join(text for text, differs in pair.right.pieces if differs)
    assert marked.strip() == "very"
    assert not any(differs for _, differs in pair.left.pieces)
    same = reader.read(run, "scnt", rows[0].file, rows[0].place, ["CpTn", "CpTn"])
    assert same.right is not None
    assert same.left.shown.label != same.right.shown.label


def test_an_item_opens_as_its_negation(runs: Path, database: Database) -> None:
    reader, run = PairReader(database), run_of(runs)
    opened = {}
    for suite, column in (("scnt", "condition"), ("gh22", "polarity")):
        table = table_of(database, runs, suite)
        for value in ("CpTp", "CpTv", "CpTn", "positive", "negated"):
            if suite == ("scnt" if value.startswith("C") else "gh22"):
                row = table.page(Filters({column: value})).rows[0]
                pair = reader.read(run, suite, row.file, row.place)
                opened[value] = pair
                assert pair.right is not None
                sides = {side.label: side for side in pair.example.sides}
                one, two = sides[pair.left.shown.label], sides[pair.right.shown.label]
                assert (one.wanted is None) != (two.wanted is None), value
    first = opened["CpTp"]
    assert first.right is not None
    assert (first.left.shown.label, first.right.shown.label) == ("CpTp", "CpTn")


class AskedModel:
    """A masked model whose two first words depend on the text."""

    kind, name, digest, answers = "masked", "toy", "toy", frozenset({FillBlank})

    def ask(self, probes: Sequence[Any]) -> list[Fill]:
        assert all(type(probe) is FillBlank for probe in probes)
        tops = [("go", "run") if "n't" in probe.text else ("sing", "fly") for probe in probes]
        return [
            Fill((Guess(one, -1.0), Guess(two, -2.0)), tuple(-3.0 for _ in probe.words))
            for (one, two), probe in zip(tops, probes, strict=True)
        ]


def asked_again(
    database: Database, runs: Path, suite: str, sides: Sequence[str], monkeypatch: Any
) -> MinimalPair:
    monkeypatch.setattr(pairs, "_is_rule", lambda manifest: False)
    table = table_of(database, runs, suite)
    reader, run = PairReader(database), run_of(runs)
    places = table.spread(200)
    found = (reader.read(run, suite, r.file, r.place, sides) for r in places)
    row = next(
        one.row for one in found if one.right is not None
        and (not sides or [one.left.shown.label, one.right.shown.label] == list(sides))
    )  # fmt: skip
    model: Any = AskedModel()
    return reader.read(run, suite, row.file, row.place, sides, model)


def test_every_word_moves_when_a_model_is_asked_again(
    runs: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = asked_again(database, runs, "scnt", ["CpTp", "CpTn"], monkeypatch)
    assert pair.note == "The model was asked again."
    words = {one.word for one in pair.moves}
    assert words >= {"sing", "fly", "go", "run"}
    assert all(one.left and one.right and one.change for one in pair.moves)


def test_the_chosen_sides_are_asked_again_whichever_they_are(
    runs: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = asked_again(database, runs, "gh22", ["seed", "misprime: but not"], monkeypatch)
    assert pair.askable
    assert pair.note == "The model was asked again."
    assert pair.moves
    assert all(one.change for one in pair.moves)


def test_a_rule_has_no_probabilities(runs: Path, database: Database) -> None:
    table, reader, run = table_of(database, runs, "lama"), PairReader(database), run_of(runs)
    for row in table.spread(40):
        pair = reader.read(run, "lama", row.file, row.place)
        assert not pair.moves
        assert not pair.askable
        assert not any(guess.shown for side in pair.sides for guess in side.shown.guesses)


def test_what_does_not_move_is_neither_up_nor_down() -> None:
    side = ExampleSide("a", "x", "run", "", top=(("run", 0.9), ("go", 0.05)))
    other = ExampleSide("b", "y", "run", "", top=(("run", 0.9), ("go", 0.05001)))
    assert [(one.change, one.up) for one in moved(side, other, "probability")] == [("0", None)] * 2


def test_many_rows_are_counted_after_the_page(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = Database(runs.resolve())
    try:
        plain = table_of(fresh, runs, "scnt")
        texts, facets = plain.texts, plain.facets
        verb = facets[-1].values[0][0]
        monkeypatch.setattr(rows, "AT_ONCE", 0)
        table = RowTable(fresh._connection, plain.manifest, plain.suite)
        wanted = Filters({facets[-1].name: verb})
        first = table.page(wanted, lazily=True)
        assert not table.counted
        assert first.total is None or first.total < PAGE
        assert table.texts == texts
        assert table.page(Filters({}), lazily=True).total == plain.count
        fresh.count(table, wanted)
        exact = table.page(wanted)
        assert table.page(wanted, lazily=True) == exact
        assert exact.total == plain.page(wanted).total
        assert table.facets == facets
        assert table.counted
    finally:
        fresh.close()


def test_words_move_between_the_sides_of_an_example(runs: Path, database: Database) -> None:
    left = ExampleSide("a", "x", "run", "", top=(("run", 0.9), ("go", 0.05)))
    right = ExampleSide("b", "y", "go", "", unwanted="run", top=(("go", 0.5),), scores={"run": 0.4})
    found = {one.word: one for one in moved(left, right, "probability")}
    assert list(found) == ["run", "go"]
    assert (found["run"].change, found["run"].up, found["run"].mark) == ("−50.0", False, "unwanted")
    assert (found["go"].change, found["go"].up) == ("+45.0", True)
    assert found["go"].right_share == pytest.approx(0.5)


def test_pieces_make_up_the_text() -> None:
    one, two = "She doesn’t like ▢, now.", "He likes ▢, now."
    assert "".join(text for text, _ in pieces(one, two)) == one
    assert pieces(one, one) == ((one, False),)
    assert ("▢, now.", False) in [(text.strip(), differs) for text, differs in pieces(one, two)]
