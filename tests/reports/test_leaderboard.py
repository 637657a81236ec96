"""Printed tables as data, and runs among the models in them."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from conftest import Outcome
from naysay import evaluate
from naysay.analysis.leaderboard import (
    Board,
    BoardEntry,
    BoardFigure,
    _named,
    find_boards,
    with_runs,
)
from naysay.core.errors import UnknownNameError
from naysay.reports.html import html
from naysay.reports.latex import latex
from naysay.reports.leaderboard import all_papers, board_table, group_table, written
from naysay.reports.markdown import markdown
from naysay.reports.terminal import show_table
from naysay.run.evaluation import Evaluation

Naysay = Callable[..., Outcome]


def board(suite: str, table: str) -> Board:
    [found] = find_boards(all_papers(), suite, table)
    return found


class TestPrinted:
    """The papers' tables."""

    def test_every_printed_figure_is_there(self) -> None:
        papers = all_papers()
        printed = sum(len(r["values"]) for paper in papers.values() for r in paper["row"])
        boards = [b for suite in papers for b in find_boards(papers, suite) if not b.selected]
        assert sum(len(e.figures) for b in boards for e in b.entries) == printed

    @pytest.mark.parametrize(
        ("suite", "table", "model", "place", "shown"),
        [
            ("scnt", "6", "roberta-large", ("CnTp", "drop"), "82.8"),
            ("scnt", "drops", "roberta-large", ("CnTp", "drop"), "82.8"),
            ("scnt", "table 5", "roberta-base", ("CpTp", "tested"), "≈ 1,900,000"),
            ("scin", "4", "m-bert", ("CpTn", "drop"), "23.0"),
            ("gh22", "Table 4", "neg-roberta-large", ("p1", "difference"), "1.40"),
            ("lama", "2", "txl", ("squad", "rho"), "91.8"),
            ("lama", "3", "bert-large", ("conceptnet", "drop D"), "70.6"),
            ("lama", "5", "pretrained BERT", ("test neg", "accuracy"), "0.2"),
            ("semantoneg", "8", "paraphrase-MiniLM-L3-v2", ("all", "accuracy"), "0.03"),
            ("semantoneg", "4", "paraphrase-MiniLM-L3-v2", ("all", "accuracy"), "0.03"),
        ],
    )
    def test_a_table_is_found_by_its_number_in_the_paper(
        self, suite: str, table: str, model: str, place: tuple[str, str], shown: str
    ) -> None:
        found = {entry.model: entry for entry in board(suite, table).entries}
        assert found[model].figures[place].shown == shown

    def test_unknown_names_are_told(self) -> None:
        assert find_boards(all_papers(), "scnt", "66") == []
        with pytest.raises(UnknownNameError, match="scnt"):
            find_boards(all_papers(), "scntt")

    def test_models_are_grouped_by_what_they_were_trained_for(self) -> None:
        every = board("semantoneg", "8")
        groups = {entry.model: entry.group for entry in every.entries}
        assert len(groups) == 114 and all(groups.values())
        assert groups["all-mpnet-base-v2"] == "general"
        assert groups["nli-roberta-large"] == "NLI*"  # by its name; Table 5 has it under another
        table = group_table(every)
        assert table is not None
        # the mean of Table 6's nine figures, by hand
        assert ("STSb", "9", "75.5") in [row[:3] for row in table.rows]
        assert sum(int(row[1]) for row in table.rows) == 11 + 15 + 15 + 9

    def test_contradictions_are_told(self) -> None:
        assert any("20.7" in note for note in board("scnt", "6").notes)
        assert not any("20.7" in note for note in board("scnt", "5").notes)


def figure(value: float, low: float | None = None, high: float | None = None) -> BoardFigure:
    return BoardFigure(value, "%", str(value), low, high)


def test_the_interval_gives_a_range_of_ranks() -> None:
    place = ("all", "accuracy")
    values = (95.0, 90.0, 50.0, 40.0, 10.0, 9.0, 8.0, 7.0, 6.0)
    printed = [BoardEntry(str(v), {place: figure(v)}) for v in values]
    own = BoardEntry("mine", {place: figure(45.0, 35.0, 55.0)}, run="key")
    found = Board("s", "t", "Table 1", "t", (place,), (*printed, own))
    assert found.rank_range(own) == (3, 5)
    assert found.rank_range(replace(own, figures={place: figure(45.0)})) == (4, 4)
    assert [entry.model for entry in found.by_rank()][1:5] == ["90.0", "50.0", "mine", "40.0"]
    notes = board_table(found).notes
    assert any("rank 3 to 5 of 10" in note for note in notes)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Evaluation]:
    out = tmp_path_factory.mktemp("runs")
    names = ("known:aware", "known:blind")
    return [evaluate(name, ["scnt", "semantoneg"], limit=12, out=out) for name in names]


class TestRuns:
    """One's own runs among the paper's models."""

    def test_a_run_is_placed_with_its_interval(self, runs: list[Evaluation]) -> None:
        placed = with_runs(board("scnt", "6"), [("mine", runs[0])])
        [own] = [entry for entry in placed.entries if entry.run]
        assert (own.model, own.run) == ("mine", runs[0].run)
        [measured] = [e for e in runs[0] if (e.table, e.condition) == ("drops", "CpTn")]
        shown = own.figures["CpTn", "drop"]
        assert (shown.value, shown.low, shown.high) == (measured.value, measured.low, measured.high)
        assert any("sample" in text for text in own.differs)
        # said of models that the paper prints only
        assert not any("revision" in text for text in own.differs)
        row = next(row for row in board_table(placed).rows if row[0] == "▸ mine")
        assert row[1] == f"100.0\n({measured.low:.1f} to 100.0)"

    def test_other_items_are_not_placed(self, runs: list[Evaluation], tmp_path: Path) -> None:
        own = evaluate("known:aware", "semantoneg", items="antoneg", limit=20, out=tmp_path)
        placed = with_runs(board("semantoneg", "8"), [("mine", own)])
        assert not any(entry.run for entry in placed.entries)
        assert any("mine, not placed" in note and "SemAntoNeg" in note for note in placed.notes)

    def test_what_is_true_of_several_runs_is_said_once(self, runs: list[Evaluation]) -> None:
        placed = with_runs(board("scnt", "6"), [("one", runs[0]), ("two", runs[1])])
        [note] = [note for note in board_table(placed).notes if "not as in the paper" in note]
        assert note.startswith("one, two, not as in the paper: A sample of ")
        placed = with_runs(board("scnt", "5"), [("one", runs[0]), ("two", runs[1])])
        assert sum("one, two, not placed: tested" in note for note in placed.notes) == 1

    def test_figures_of_another_walk_are_not_placed(self, runs: list[Evaluation]) -> None:
        placed = with_runs(board("scnt", "5"), [("mine", runs[0])])
        [own] = [entry for entry in placed.entries if entry.run]
        assert ("CpTp", "selected") in own.figures and ("CpTp", "tested") not in own.figures
        assert any("not placed: tested, repeating" in note for note in placed.notes)

    def test_what_is_not_placed_is_named(self) -> None:
        printed = board("lama", "2")
        places = [place for place in printed.places if place[0] == "trex.N-1"]
        assert _named(places, printed) == "trex.N-1: rho, top1_agreement"
        assert _named(printed.places, printed) == "rho, top1_agreement"

    def test_no_run_is_cut_off_on_a_narrow_terminal(self) -> None:
        printed = board("lama", "2")
        [first, *_] = printed.entries
        own = [replace(first, model=f"mine-{k}", run=f"{k}") for k in range(4)]
        table = board_table(replace(printed, entries=(*printed.entries, *own)))
        for width in (60, 80, 120):
            text = io.StringIO()
            show_table(table, Console(file=text, width=width))
            lines = text.getvalue().splitlines()
            assert all(f"mine-{k}" in text.getvalue() for k in range(4))
            # the figure of each model stands in a line that begins with its label
            rows = [line for line in lines if line.startswith("squad: rho")]
            assert sum(line.split().count("91.8") for line in rows) == 5

    def test_several_models_share_a_table(self, runs: list[Evaluation]) -> None:
        text = markdown(runs)
        head = text.index("## All models")
        assert "| CpTn | 100.0 % (" in text[head:].partition("## scnt")[0]
        line = next(line for line in text.splitlines() if line.startswith("| CpTn |"))
        assert line.count("|") == 4
        assert "## All models" not in markdown(runs[:1])
        tex = latex(runs, full=True)
        assert tex.index("known:aware & known:blind") < tex.index("known:aware, scnt")

    def test_the_page_has_the_boards(self, runs: list[Evaluation]) -> None:
        text = html(runs)
        assert "Among the published models" in text and "roberta-large" in text


def test_a_sentence_of_a_paper_is_no_leaderboard() -> None:
    boards = [b for suite in all_papers() for b in find_boards(all_papers(), suite)]
    assert {board.suite for board in boards if board.ranked} == {"semantoneg"}


class TestCommand:
    """`naysay published`."""

    def test_a_damaged_run_is_left_out(
        self, naysay: Naysay, runs: list[Evaluation], tmp_path: Path
    ) -> None:
        shutil.copytree(runs[0].folder.parent, tmp_path / "runs")
        shard = next((tmp_path / "runs" / runs[0].folder.name).rglob("*.parquet"))
        shard.write_bytes(shard.read_bytes() + b"xx")
        told = naysay("published", "scnt", "--runs", tmp_path / "runs")
        assert told.code == 0 and "left out" in told.err and "▸ known:blind" in told.out

    def test_lists_all_tables(self, naysay: Naysay) -> None:
        told = naysay("published")
        assert told.code == 0
        for paper in ("Kassner", "Gubelmann", "Vahtola", "Kletz", "Gullace"):
            assert paper in told.out

    def test_shows_a_suite_with_runs(self, naysay: Naysay, runs: list[Evaluation]) -> None:
        short = naysay("published", "scnt", "--runs", runs[0].folder.parent)
        assert "▸ known:aware" in short.out and "naysay published scnt --full" in short.out
        assert short.out.count("─\n") == 1 and "Also printed: " in short.out
        told = naysay("published", "scnt", "--full", "--runs", runs[0].folder.parent)
        assert told.code == 0
        assert "▸ known:aware" in told.out and "bert-large-cased" in told.out
        tables = [line for line in told.out.splitlines() if "─" in line]
        assert len(tables) == 3 and max(map(len, tables)) <= 85

    def test_writes_files(self, naysay: Naysay, runs: list[Evaluation], tmp_path: Path) -> None:
        where = ("--runs", runs[0].folder.parent)
        assert naysay("published", "-o", tmp_path / "all.csv", *where).code == 0
        lines = list(csv.DictReader(io.StringIO((tmp_path / "all.csv").read_text())))
        assert len({line["suite"] for line in lines}) == len(all_papers())
        own = [line for line in lines if line["run"]]
        assert own and all(line["model"].startswith("known:") for line in own)
        assert any(line["low"] for line in own)
        for name in ("a.md", "a.tex", "a.json"):
            assert naysay("published", "scnt", "-o", tmp_path / name, *where).code == 0
        assert "82.8" in (tmp_path / "a.md").read_text()
        assert r"$\triangleright$" in (tmp_path / "a.tex").read_text()
        assert json.loads((tmp_path / "a.json").read_text())[0]["source"] == "Table 6"
        assert naysay("published", "scnt", "-o", tmp_path / "a.txt").code == 2

    @pytest.mark.parametrize(
        ("suite", "table", "says"),
        [("scnt", "4", "dance"), ("scin", "2", "balla"), ("lama", "4", "Lausanne -3.3")],
    )
    def test_single_items_are_shown_too(
        self, naysay: Naysay, suite: str, table: str, says: str
    ) -> None:
        told = naysay("published", suite, "--table", table)
        assert told.code == 0 and says in told.out

    def test_an_unknown_table_is_told(self, naysay: Naysay) -> None:
        told = naysay("published", "scnt", "--table", "66")
        assert told.code == 2 and "Table 4" in told.err and "Table 6" in told.err

    def test_table_needs_a_suite(self, naysay: Naysay) -> None:
        told = naysay("published", "--table", "6")
        assert told.code == 2 and "SUITE" in told.err


def test_written_forms_have_all_selections() -> None:
    boards = find_boards(all_papers(), "semantoneg")
    text = written(boards, all_papers(), ".md")
    assert all(f"Table {number}" in text for number in (1, 3, 4, 5, 6, 7, 8))
