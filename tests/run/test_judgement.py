"""A finished run is judged once: what is kept beside its rows stands for that judging only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import Outcome
from naysay.core.errors import RunError
from naysay.core.keys import file_digest
from naysay.core.records import Estimate, Finding
from naysay.run import evaluation, judgement
from naysay.run.evaluation import Evaluation, evaluate, judge
from naysay.run.judgement import FILE, digest_of, keep_judgement, read_judgement
from naysay.run.manifest import read_manifest
from naysay.suites import SUITES

MODEL = "known:random:0.5"


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The suites that were judged, one after another."""
    done: list[str] = []
    plain = evaluation._measure

    def watched(manifest: Any, suite: Any, spec: Any) -> Finding:
        done.append(suite.name)
        return plain(manifest, suite, spec)

    monkeypatch.setattr(evaluation, "_measure", watched)
    return done


def run(out: Path, suites: str | list[str] = "gh22", **options: Any) -> Evaluation:
    return evaluate(MODEL, suites, limit=6, shard_size=3, out=out, **options)


def kept(of: Evaluation) -> Path:
    return of.folder / FILE


def test_a_finished_run_is_judged_once_with_the_same_result(
    judged: list[str], tmp_path: Path
) -> None:
    first = run(tmp_path, ["gh22", "scnt"])
    assert sorted(judged) == ["gh22", "scnt"]
    again = run(tmp_path, ["scnt", "gh22"])
    assert len(judged) == 2
    assert again.findings == first.findings == judge(str(first.folder)).findings
    assert json.dumps(again.as_dict()) == json.dumps(first.as_dict())


def test_judging_a_run_anew_never_takes_what_is_kept(judged: list[str], tmp_path: Path) -> None:
    done = run(tmp_path)
    judge(str(done.folder))
    judge(str(done.folder))
    assert judged == ["gh22"] * 3


def rewritten(file: Path) -> None:
    """Other answers in a shard, which is a Parquet file as good as before."""
    rows = pq.read_table(file)
    place = rows.schema.get_field_index("answer")
    answers = rows["answer"].cast("string").to_pylist()
    other = rows.schema.field(place)
    column = pa.array(["other"] * len(answers)).dictionary_encode()
    pq.write_table(rows.set_column(place, other, column), file)


def test_changed_rows_are_judged_anew(judged: list[str], tmp_path: Path) -> None:
    """With a checksum that was made to fit, so that nothing but the judgement could notice."""
    first = run(tmp_path)
    shard = next(first.folder.glob("gh22/*.parquet"))
    rewritten(shard)
    record = json.loads((first.folder / "manifest.json").read_text("utf-8"))
    record["shards"][f"gh22/{shard.name}"]["sha256"] = file_digest(shard)
    (first.folder / "manifest.json").write_text(json.dumps(record), encoding="utf-8")
    again = run(tmp_path)
    assert judged == ["gh22", "gh22"]
    assert again.findings != first.findings
    assert read_judgement(again.manifest, again.spec) == again.findings


@pytest.mark.parametrize("damage", ["truncated", "changed", "missing"])
def test_nothing_stands_for_a_damaged_shard(tmp_path: Path, damage: str) -> None:
    first = run(tmp_path)
    shard = next(first.folder.glob("gh22/*.parquet"))
    content = shard.read_bytes()
    if damage == "missing":
        shard.unlink()
    else:
        shard.write_bytes(content[:-20] if damage == "truncated" else content[::-1])
    assert read_judgement(read_manifest(first.folder), first.spec) is None
    again = run(tmp_path)
    assert shard.read_bytes() == content  # it was asked again
    assert again.findings == first.findings


def test_another_option_of_judging_is_another_judgement(judged: list[str], tmp_path: Path) -> None:
    first = run(tmp_path)
    for options in ({"repetition": "prefix"}, {"smallest_effect": 99.0}):
        again = run(tmp_path, **options)
        assert again.folder == first.folder
        assert again.findings == judge(str(first.folder), **options).findings
    assert judged == ["gh22"] * 5
    assert run(tmp_path).findings == first.findings


def test_another_version_judges_anew(
    judged: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = run(tmp_path)
    for name, value in (
        ("VERSION", "99.0"),
        ("code_digest", lambda: "other code"),
        ("version", lambda library: "99"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(judgement, name, value)
            before = len(judged)
            assert run(tmp_path).findings == first.findings
            assert len(judged) == before + 1
            run(tmp_path)
            assert len(judged) == before + 1


def test_another_fit_is_another_judgement(judged: list[str], tmp_path: Path) -> None:
    """Figures depend on it, and runs of earlier versions have no checksum of it."""
    first = run(tmp_path, "scnt")
    fit, manifest = first.folder / "scnt-fit.json", first.folder / "manifest.json"
    record = json.loads(manifest.read_text("utf-8"))
    record["files"] = {}
    manifest.write_text(json.dumps(record), encoding="utf-8")
    run(tmp_path, "scnt")
    changed = json.loads(fit.read_text("utf-8"))
    changed["left_out"] = [["yodel", "two pieces: yo del"]]
    fit.write_text(json.dumps(changed), encoding="utf-8")
    assert "1 are left out" in " ".join(run(tmp_path, "scnt").findings[0].notes)
    assert judged == ["scnt"] * 3


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "no JSON": lambda content: b"\xff\x00",
    "other figures": lambda content: content.replace(b'"value":', b'"value":1', 1),
    "other verdict": lambda content: content.replace(b'"fails"', b'"passes"'),
    "another key": lambda content: content.replace(b'{"key":"', b'{"key":"0', 1),
    "a field more": lambda content: content.replace(b"{", b'{"more":1,', 1),
    "a list": lambda content: b"[" * 50_000,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_judgement_is_made_anew(judged: list[str], tmp_path: Path, damage: str) -> None:
    first = run(tmp_path)
    good = kept(first).read_bytes()
    bad = DAMAGES[damage](good)
    if damage != "other verdict" or b'"fails"' in good:
        assert bad != good
    kept(first).write_bytes(bad)
    assert run(tmp_path).findings == first.findings
    assert kept(first).read_bytes() == good
    assert judged == ["gh22"] * (1 if bad == good else 2)


def test_a_judgement_of_another_run_is_not_taken(judged: list[str], tmp_path: Path) -> None:
    first, second = run(tmp_path), run(tmp_path, seed=1)
    kept(second).write_bytes(kept(first).read_bytes())
    assert run(tmp_path, seed=1).findings == second.findings
    assert len(judged) == 3


def test_what_other_packages_judge_is_not_kept(
    judged: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Their code may be anywhere, so nothing says whether it is still the same."""
    monkeypatch.setattr(SUITES, "is_own", lambda name: False)
    done = run(tmp_path)
    run(tmp_path)
    assert len(judged) == 2 and not kept(done).exists()


def test_what_would_not_come_back_is_not_kept(tmp_path: Path) -> None:
    done = run(tmp_path)
    kept(done).unlink()
    [found] = done.findings
    infinite = replace(found, needed=float("inf"))
    keep_judgement(done.manifest, done.spec, (infinite,))
    assert not kept(done).exists()
    estimate = Estimate("s", "t", "c", "m", 0.1 + 0.2, n=3, clusters_by={"names": 2})
    keep_judgement(done.manifest, done.spec, (replace(found, estimates=(estimate,)),))
    assert kept(done).exists()


def test_a_folder_that_cannot_be_written_is_no_error(
    judged: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: Any) -> None:
        raise RunError("no space left")

    monkeypatch.setattr(judgement, "write_bytes", full)
    first = run(tmp_path)
    assert run(tmp_path).findings == first.findings
    assert len(judged) == 2 and not kept(first).exists()


def test_the_code_that_judges_is_hashed_by_content(tmp_path: Path) -> None:
    file = tmp_path / "rule.py"
    file.write_text("HALF = 50", encoding="utf-8")
    first = digest_of([file])
    file.write_text("HALF = 51", encoding="utf-8")
    assert digest_of([file]) != first is not None
    assert digest_of([]) is None


def test_every_command_shows_what_was_judged(
    naysay: Callable[..., Outcome], tmp_path: Path
) -> None:
    command = ("run", "-m", MODEL, "-t", "gh22", "--limit", 6, "--runs", tmp_path)
    first, again = naysay(*command), naysay(*command)
    assert first.code == again.code == 0
    assert first.out == again.out


IMPORTS = """
import sys
sys.argv = ["naysay", "run", "-m", "known:random:0.5", "-t", "gh22", "--limit", "6"]
from naysay.cli import main
try:
    main()
except SystemExit:
    pass
heavy = {"torch", "transformers", "pandas", "matplotlib", "scipy", "pyarrow", "numpy"}
print(*sorted(heavy & sys.modules.keys()))
"""


def test_a_finished_run_loads_no_library_that_computes(tmp_path: Path) -> None:
    for last in (False, True):
        done = subprocess.run(
            [sys.executable, "-c", IMPORTS], cwd=tmp_path, env=dict(os.environ), check=True,
            capture_output=True, text=True,
        )  # fmt: skip
        if last:
            assert done.stdout.splitlines()[-1].strip() == ""
