"""Runs that an earlier version made stay readable; what is newer than the program is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome
from naysay import compare, evaluate, judge, report
from naysay.core.errors import RunError
from naysay.run.manifest import SCHEMA, read_manifest

STORED = Path(__file__).parent.parent / "fixtures" / "runs"
VERSIONS = sorted(path.name for path in STORED.iterdir())
FIGURE = ("n", "unit")
"""What must be the same, beside the value; intervals are made as the present version makes them."""


@pytest.fixture(params=VERSIONS)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a run that a version has made."""
    folder = tmp_path / "runs" / "stored"
    shutil.copytree(STORED / request.param, folder)
    return folder


def edited(folder: Path, **changes: Any) -> Path:
    path = folder / "manifest.json"
    record = json.loads(path.read_text("utf-8")) | changes
    path.write_text(json.dumps(record), encoding="utf-8")
    return folder


def test_its_figures_are_those_it_was_stored_with(stored: Path) -> None:
    before = json.loads((stored / "estimates.json").read_text("utf-8"))
    after = judge(stored).as_dict()
    wanted = {(e["suite"], e["table"], e["condition"], e["metric"]): e for e in before["estimates"]}
    found = {(e["suite"], e["table"], e["condition"], e["metric"]): e for e in after["estimates"]}
    assert set(wanted) <= set(found)
    for name, estimate in wanted.items():
        assert [found[name][field] for field in FIGURE] == [estimate[field] for field in FIGURE]
        assert found[name]["value"] == pytest.approx(estimate["value"])


def test_every_command_reads_it(stored: Path, tmp_path: Path) -> None:
    assert "scnt" in str(report([stored]))
    assert read_manifest(stored).run_spec.value("cap", "scnt") == 2
    fresh = evaluate(
        "known:random:0.6:3", ["scnt", "gh22", "semantoneg"], limit=6, cap=2, ranks=(0,),
        out=tmp_path / "again",
    )  # fmt: skip
    # The same rows come out today, so nothing differs between the two; gh22 has another wording.
    same = compare([stored, fresh], suites=["scnt", "semantoneg"])
    assert {change.difference for change in same} == {0.0}


def test_a_field_that_is_not_known_is_passed_over(stored: Path) -> None:
    spec = json.loads((stored / "manifest.json").read_text("utf-8"))["spec"]
    edited(stored, mood="fine", spec={**spec, "colour": "blue"})
    assert len(judge(stored))


def test_what_is_newer_is_refused_in_one_line(stored: Path, naysay: Callable[..., Outcome]) -> None:
    edited(stored, schema=SCHEMA + 1, naysay="99.0")
    with pytest.raises(RunError, match=r"written by naysay 99\.0"):
        judge(stored)
    ended = naysay("report", stored)
    assert ended.code == 2 and len(ended.err.splitlines()) == 1 and "upgrade naysay" in ended.err


def test_a_run_says_its_form_and_version(tmp_path: Path) -> None:
    run = evaluate("known:blind", "scnt", limit=2, out=tmp_path)
    record = json.loads((run.folder / "manifest.json").read_text("utf-8"))
    assert record["schema"] == SCHEMA and record["naysay"]


def test_judging_writes_nothing_and_saving_names_the_rule(
    naysay: Callable[..., Outcome], tmp_path: Path
) -> None:
    run = evaluate("known:random", "gh22", limit=6, ranks=(0,), out=tmp_path)
    before = {path: path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}
    judge(run, repetition="prefix")
    naysay("judge", run.folder, "--repetition", "prefix")
    naysay("report", run.folder, "-o", tmp_path / "page.md")
    assert before == {p: p.read_bytes() for p in run.folder.rglob("*") if p.is_file()}
    naysay("judge", run.folder, "--repetition", "prefix", "--save")
    saved = json.loads((run.folder / "estimates.json").read_text("utf-8"))
    assert saved["judged"]["gh22"] == {
        "version": 2, "repetition": "prefix", "smallest_effect": 5.0,
    }  # fmt: skip
    assert saved["naysay"]
    assert before != {p: p.read_bytes() for p in run.folder.rglob("*") if p.is_file()}
