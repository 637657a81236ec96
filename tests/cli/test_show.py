"""`naysay show` prints single items of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome, rows_of
from example_files import CHANCE, examples_of, file_of
from naysay import evaluate
from naysay.core.probes import BLANK
from naysay.run.evaluation import Evaluation
from naysay.suites import SUITES

Naysay = Callable[..., Outcome]


class TestShow:
    """`naysay show`."""

    @pytest.fixture
    def run(self, tmp_path: Path) -> Evaluation:
        return evaluate(CHANCE, "scnt", limit=30, shard_size=5, out=tmp_path / "runs")

    def shown(self, naysay: Naysay, *words: str | int) -> list[dict[str, Any]]:
        ended = naysay("show", *words, "--json")
        assert ended.code == 0, ended.err
        return list(json.loads(ended.out)["items"])

    def test_conditions_stand_beneath_one_another(self, naysay: Naysay, run: Evaluation) -> None:
        ended = naysay("show", run.run[:8], "-n", 1)
        assert ended.code == 0
        first = examples_of(run, "scnt")["examples"][0]
        assert f"scnt · {CHANCE} · {first['title']}" in ended.out
        for side in first["sides"]:
            filled = side["text"].replace(BLANK, f"[{side['answer']}]")
            [line] = [line for line in ended.out.splitlines() if filled in line]
            assert side["label"] in line and side["verdict"] in line
        assert "100 %" in ended.out

    def test_any_item_is_found_by_what_it_is_about(self, naysay: Naysay, run: Evaluation) -> None:
        rows = [row for row in rows_of(run) if row["condition"] == "CpTn"]
        known = {one["item"] for one in examples_of(run, "scnt")["examples"]}
        row = next(r for r in rows if f"{r['unit']}/{r['verb']}" not in known)
        wish = f"{row['verb'].upper()} · {row['name']} · {row['profession']}"
        items = self.shown(naysay, run.run, "--item", wish, "-n", 50)
        assert f"{row['unit']}/{row['verb']}" in [one["item"] for one in items]
        assert all(
            row["name"] in one["title"] and row["profession"] in one["title"] for one in items
        )
        [found] = [one for one in items if one["item"] == f"{row['unit']}/{row['verb']}"]
        assert all(not side["top"] for side in found["sides"])  # it was not asked once more
        by_key = self.shown(naysay, run.run, "--item", found["item"])
        assert [one["item"] for one in by_key] == [found["item"]]

    @pytest.mark.parametrize("side", ["wrong", "right"])
    def test_items_are_chosen_by_a_condition(
        self, naysay: Naysay, run: Evaluation, side: str
    ) -> None:
        items = self.shown(naysay, run.run, "--condition", "cptn", f"--{side}", "-n", 1000)
        expected = {
            f"{row['unit']}/{row['verb']}"
            for row in rows_of(run)
            if row["condition"] == "CpTn" and (row["answer"] == row["form"]) == (side == "wrong")
        }
        assert expected and {one["item"] for one in items} == expected
        assert len(items) == len(expected)
        assert all(len(one["sides"]) == 5 for one in items)

    def test_the_condition_is_pointed_at(self, naysay: Naysay, run: Evaluation) -> None:
        ended = naysay("show", run.run, "--condition", "CnTp", "-n", 1)
        [line] = [line for line in ended.out.splitlines() if "▸" in line]
        assert "CnTp" in line

    def test_all_items_of_the_rows_can_be_shown(self, naysay: Naysay, run: Evaluation) -> None:
        items = self.shown(naysay, run.run, "-n", 10_000)
        rows = rows_of(run)
        assert sum(len(one["sides"]) for one in items) == len(rows)
        known = examples_of(run, "scnt")["examples"]
        assert [one["item"] for one in items[:24]] == [one["item"] for one in known]
        assert [one["sides"] for one in items[:24]] == [one["sides"] for one in known]

    def test_a_run_without_examples_is_shown_without_probabilities(
        self, naysay: Naysay, run: Evaluation
    ) -> None:
        file_of(run, "scnt").unlink()
        items = self.shown(naysay, run.run, "-n", 3)
        assert len(items) == 3 and all(len(one["sides"]) == 5 for one in items)
        assert not any(side["top"] for one in items for side in one["sides"])

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (("--condition", "CpTx"), "unknown condition 'CpTx'; did you mean"),
            (("--condition", "CpTx", "--item", "nothing like that"), "unknown condition"),
            (("-t", "gh22"), "unknown suite 'gh22'"),
            (("-t", "nothing"), "unknown suite 'nothing'"),
        ],
    )
    def test_what_is_not_there_is_an_error(
        self, naysay: Naysay, run: Evaluation, words: tuple[str, ...], told: str
    ) -> None:
        ended = naysay("show", run.run, *words)
        assert ended.code == 2 and told in ended.err and "Traceback" not in ended.err

    def test_nothing_found_is_said(self, naysay: Naysay, run: Evaluation) -> None:
        ended = naysay("show", run.run, "--item", "nothing like that")
        assert ended.code == 0 and "no matching item" in ended.out

    def test_a_damaged_shard_is_refused(self, naysay: Naysay, run: Evaluation) -> None:
        file_of(run, "scnt").unlink()
        victim = run.folder / "scnt" / "00000.parquet"
        victim.write_bytes(victim.read_bytes()[:-9])
        ended = naysay("show", run.run)
        assert ended.code == 2 and "00000.parquet is corrupt" in ended.err

    def test_an_unfinished_run_shows_what_is_there(self, naysay: Naysay, run: Evaluation) -> None:
        (run.folder / "scnt" / "00003.parquet").unlink()
        run.manifest.finished = None
        run.manifest.save()
        ended = naysay("show", run.run, "-n", 2)
        assert ended.code == 0 and "not finished; resume it with: naysay run" in ended.out

    def test_suites_without_the_condition_are_passed_over(
        self, naysay: Naysay, tmp_path: Path
    ) -> None:
        both = evaluate(CHANCE, ["scnt", "gh22"], limit=10, out=tmp_path / "both")
        items = self.shown(naysay, str(both.folder), "--condition", "CpTn", "-n", 2)
        assert [one["suite"] for one in items] == ["scnt", "scnt"]
        every = self.shown(naysay, str(both.folder), "-n", 2)
        assert [one["suite"] for one in every] == ["scnt", "scnt", "gh22", "gh22"]


@pytest.mark.parametrize("suite", SUITES.names())
def test_every_suite_can_be_printed(naysay: Naysay, suite: str, tmp_path: Path) -> None:
    run = evaluate(CHANCE, suite, limit=6, out=tmp_path / "[runs]")
    ended = naysay("show", run.folder, "-n", 2)
    assert ended.code == 0 and ended.out.count(f"{suite} · {CHANCE} · ") == 2
