"""Runs by the name of their model: the newest, and never the one that it is compared with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import naysay as package
from conftest import Outcome as Ended
from naysay import evaluate
from naysay.core.errors import RunError, UnknownNameError
from naysay.run.evaluation import Evaluation
from naysay.run.lookup import find_named


def started(run: Evaluation, when: str) -> Evaluation:
    """The run as if it had been made at another time."""
    path = run.folder / "manifest.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**record, "started": when}), encoding="utf-8")
    return run


@pytest.fixture
def runs(tmp_path: Path) -> list[Evaluation]:
    """Three runs of a model, the second of which is the newest."""
    days = ("2026-01-02", "2026-01-03", "2026-01-01")
    return [
        started(evaluate("known:blind", "scnt", limit=limit, out=tmp_path / "runs"), f"{day}T00:00")
        for limit, day in zip((3, 4, 5), days, strict=True)
    ]


def test_a_models_name_is_its_newest_run(runs: list[Evaluation], tmp_path: Path) -> None:
    [found] = find_named(["known:blind"], tmp_path / "runs")
    assert found.manifest.key == runs[1].run
    assert "known:blind has 3 runs: took the newest" in found.note
    assert str(runs[1].folder) in found.note
    [exact] = find_named([runs[0].run], tmp_path / "runs")
    assert exact.manifest.key == runs[0].run and exact.note == ""
    with pytest.raises(UnknownNameError):
        find_named(["known:aware"], tmp_path / "runs")


def test_a_run_started_in_the_same_second_is_the_one_written_last(tmp_path: Path) -> None:
    import os

    made = [
        started(evaluate("known:blind", "scnt", limit=limit, out=tmp_path), "2026-01-01T00:00")
        for limit in (3, 4)
    ]
    for newest in (0, 1):
        for k, run in enumerate(made):
            os.utime(run.folder / "manifest.json", (0, 10 if k == newest else 5))
        [found] = find_named(["known:blind"], tmp_path)
        assert found.manifest.key == made[newest].run


def test_the_baseline_is_never_taken_for_the_run(
    runs: list[Evaluation], naysay: Callable[..., Ended]
) -> None:
    ended = naysay("gate", "known:blind", "--baseline", runs[1].run, "--coverage", 0, "--json")
    told = json.loads(ended.out)
    assert told["run"] == runs[0].run
    [note] = told["notes"]
    assert "took the newest, apart from the one it is compared with" in note
    shown = naysay("gate", "known:blind", "--baseline", runs[1].run, "--coverage", 0)
    assert "took the newest, apart from" in " ".join(shown.out.split())
    first = json.loads(naysay("gate", "known:blind", "--baseline", runs[0].run, "--json").out)
    assert first["run"] == runs[1].run
    named = json.loads(naysay("gate", runs[1].run, "--baseline", "known:blind", "--json").out)
    assert named["run"] == runs[1].run and runs[0].folder.name in named["notes"][0]


def test_a_name_that_stands_for_both_is_refused(
    runs: list[Evaluation], tmp_path: Path, naysay: Callable[..., Ended]
) -> None:
    ended = naysay("gate", "known:blind", "--baseline", "known:blind")
    assert ended.code == 2 and "give one by its folder or key" in ended.err
    only = evaluate("known:aware", "scnt", limit=3, out=tmp_path / "runs")
    with pytest.raises(RunError, match=r"only run of known:aware is .*, which is named already"):
        package.gate("known:aware", only.run, tmp_path / "runs")


def test_python_takes_models_names_too(runs: list[Evaluation], tmp_path: Path) -> None:
    found = package.gate("known:blind", runs[0], tmp_path / "runs")
    assert found.run == runs[1].run and found.notes
    comparison = package.compare([runs[0], "known:blind"], tmp_path / "runs")
    assert [run.manifest.key for run in comparison.runs] == [runs[0].run, runs[1].run]
    assert comparison.notes == found.notes


def test_weights_in_a_folder_are_named_by_it_however_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "checkpoint").mkdir()
    run = evaluate("known:blind", "scnt", limit=3, out=tmp_path / "runs")
    path = run.folder / "manifest.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["model"]["name"] = "./checkpoint"
    path.write_text(json.dumps(record), encoding="utf-8")
    for name in ("checkpoint", "checkpoint/", "./checkpoint", str(tmp_path / "checkpoint")):
        [found] = find_named([name], Path("runs"))
        assert found.manifest.key == run.run
