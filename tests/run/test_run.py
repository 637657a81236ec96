"""Runs survive whatever happens to them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome
from naysay import evaluate, judge
from naysay.core.errors import DamagedShardError, RunError
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation
from naysay.run.store import held, read_rows

CHANCE = "known:random:0.22"


def small(out: Path, **options: Any) -> Evaluation:
    return evaluate(CHANCE, "scnt", **{"limit": 40, "shard_size": 10, "out": out, **options})


def rows(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("scnt/*.parquet"))
    return [row for file in files for row in read_rows(file).to_pylist()]


def shards(folder: Path) -> list[Path]:
    return sorted(folder.glob("scnt/*.parquet"))


class Counted(KnownModel):
    """A chance model that knows how often it was asked."""

    def __init__(self) -> None:
        super().__init__("counted", lambda text, words: len(text + words[0]) % 5 == 0, ["counted"])
        self.asked = 0

    def ask(self, probes: Any) -> Any:
        self.asked += len(probes)
        return super().ask(probes)


def test_the_same_spec_and_model_give_the_same_rows(tmp_path: Path) -> None:
    one, two = small(tmp_path / "one"), small(tmp_path / "two")
    assert one.run == two.run
    assert rows(one.folder) == rows(two.folder)
    assert [file.read_bytes() for file in shards(one.folder)] == [
        file.read_bytes() for file in shards(two.folder)
    ]
    assert [e.as_dict() for e in one] == [e.as_dict() for e in two]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_shards_of_any_size_hold_the_same_rows(tmp_path: Path, size: int) -> None:
    other = small(tmp_path / "other", shard_size=size)
    same = small(tmp_path / "same")
    assert rows(other.folder) == rows(same.folder)
    assert other.run == same.run


def test_the_key_follows_what_can_change_an_answer_and_nothing_else(tmp_path: Path) -> None:
    base = small(tmp_path / "0", limit=5)
    changes: list[dict[str, Any]] = [
        {"seed": 1}, {"limit": 6}, {"cap": 3}, {"exhaustive": True}, {"one_piece": "bare"},
    ]  # fmt: skip
    for number, change in enumerate(changes, 1):
        assert small(tmp_path / str(number), **{"limit": 5, **change}).run != base.run
    for number, change in enumerate([{"token_budget": 7}, {"shard_size": 3}], 10):
        assert small(tmp_path / str(number), **{"limit": 5, **change}).run == base.run


def test_a_finished_run_is_not_asked_again(tmp_path: Path) -> None:
    first, second = Counted(), Counted()
    evaluate(first, "scnt", limit=10, out=tmp_path)
    evaluate(second, "scnt", limit=10, out=tmp_path)
    assert first.asked > 0
    assert second.asked == 0


def test_only_the_missing_shard_is_asked(tmp_path: Path) -> None:
    model = Counted()
    whole = evaluate(model, "scnt", limit=40, shard_size=10, out=tmp_path)
    before = rows(whole.folder)
    shards(whole.folder)[2].unlink()
    again = Counted()
    evaluate(again, "scnt", limit=40, shard_size=10, out=tmp_path)
    assert rows(whole.folder) == before
    assert 0 < again.asked < model.asked / 2


@pytest.mark.parametrize("harm", ["truncated", "altered", "emptied"])
def test_a_damaged_shard_is_named_and_asked_again(tmp_path: Path, harm: str) -> None:
    run = small(tmp_path)
    before, victim = rows(run.folder), shards(run.folder)[1]
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 0xFF
    harmed = {"truncated": content[:-20], "altered": content, "emptied": b""}[harm]
    victim.write_bytes(bytes(harmed))
    with pytest.raises(DamagedShardError, match=r"00001\.parquet is corrupt"):
        judge(str(run.folder))
    again = small(tmp_path)
    assert rows(again.folder) == before
    assert "00001.parquet" in again.manifest.complaints[0]
    assert judge(str(run.folder)).estimates == run.estimates


def test_judging_needs_no_model_and_gives_the_same(tmp_path: Path) -> None:
    run = small(tmp_path)
    by_key = judge(run.run[:6], tmp_path)
    assert by_key.estimates == run.estimates
    moved = tmp_path / "elsewhere"
    run.folder.rename(moved)
    assert judge(str(moved)).estimates == run.estimates


def test_an_unfinished_run_says_how_to_go_on(tmp_path: Path) -> None:
    run = small(tmp_path)
    shards(run.folder)[0].unlink()
    with pytest.raises(RunError, match=r"3 of 4 shards .* resume with: naysay run -m known"):
        judge(str(run.folder))


def test_a_folder_with_another_run_in_it_is_refused(
    naysay: Callable[..., Outcome], tmp_path: Path
) -> None:
    command = ("run", "-m", "known:blind", "-t", "scnt", "--limit", 2, "-o", tmp_path / "r")
    assert naysay(*command).code == 0
    [folder] = (tmp_path / "r").iterdir()
    kept = {path: path.read_bytes() for path in folder.rglob("*.parquet")}
    inside = naysay(*command[:-1], folder)
    assert inside.code == 2 and "is itself a run" in inside.err
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"key": "', '"key": "ffff'))
    other = naysay(*command)
    assert other.code == 2 and "holds the run ffff" in other.err
    assert {path: path.read_bytes() for path in folder.rglob("*.parquet")} == kept


def test_a_broken_manifest_is_an_error_not_a_new_run(
    naysay: Callable[..., Outcome], tmp_path: Path
) -> None:
    command = ("run", "-m", "known:blind", "-t", "scnt", "--limit", 2, "-o", tmp_path / "r")
    naysay(*command)
    [folder] = (tmp_path / "r").iterdir()
    (folder / "manifest.json").write_text("{", encoding="utf-8")
    ended = naysay(*command)
    assert ended.code == 2 and "cannot be read" in ended.err


def test_a_place_that_cannot_be_written_is_refused(
    naysay: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    ended = naysay("run", "-m", "known:blind", "-o", tmp_path / "file" / "runs")
    assert ended.code == 2
    assert "cannot write" in ended.err and "--runs" in ended.err


def test_two_processes_cannot_write_one_run(tmp_path: Path) -> None:
    run = small(tmp_path)
    with held(run.folder), pytest.raises(RunError, match="another process"):
        small(tmp_path)


def test_the_manifest_tells_what_was_done(tmp_path: Path) -> None:
    run = small(tmp_path)
    manifest = json.loads((run.folder / "manifest.json").read_text())
    assert manifest["key"] == run.run
    assert manifest["spec"]["seed"] == 0 and manifest["spec"]["limit"] == 40
    assert manifest["model"]["digest"] and manifest["model"]["kind"] == "known"
    assert manifest["counts"]["units"] == 40
    assert manifest["counts"]["rows"] == len(rows(run.folder))
    # A few verbs are asked beyond the end of a walk, and not kept.
    assert 0 <= manifest["counts"]["questions"] - manifest["counts"]["rows"] < 8 * 40
    assert manifest["versions"]["pyarrow"] and manifest["machine"]["cores"]
    assert manifest["finished"] >= manifest["started"]
    assert all(len(shard["sha256"]) == 64 for shard in manifest["shards"].values())


SCRIPT = "from naysay.cli import main; main()"


def start(out: Path, *more: str) -> subprocess.Popen[str]:
    command = ["run", "-m", CHANCE, "-t", "scnt", "--limit", "160", "--shard-size", "4"]
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *command, "-o", str(out), *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip


def finished_shards(out: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in out.glob("*/scnt/[0-9]*.parquet")}


@pytest.mark.slow
def test_killed_at_random_moments_it_resumes_to_the_same_rows(tmp_path: Path) -> None:
    more = ("--json", "--limit", "400")
    begun = time.time()
    printed, _ = start(tmp_path / "whole", *more).communicate(timeout=120)
    length = time.time() - begun  # kills fall anywhere within that, on any machine
    written = sorted(finished_shards(tmp_path / "whole").values())
    first, last = (at / 1e9 - begun for at in (written[0], written[-1]))
    whole = judge(json.loads(printed)["folder"])
    chance = random.Random(7)
    kills = finishes = amid = 0
    done: dict[Path, int] = {}
    pending = True
    while kills < 20 or pending:
        out = tmp_path / f"killed {finishes}"
        process = start(out, *more)
        try:
            # By the clock, not by events: anywhere, or while the shards are written.
            moments = (0, length) if kills % 2 else (first, last)
            limit = chance.uniform(*moments) if kills < 20 else 120
            printed, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills, pending = kills + 1, True
            now = finished_shards(out)
            assert done.items() <= now.items(), "a finished shard was written again"
            amid += len(done) < len(now) < len(written)
            done = now
            continue
        # It got through between two kills: check it, and let the next run be killed from its start.
        assert process.returncode == 0
        assert done.items() <= finished_shards(out).items()
        folder = Path(json.loads(printed)["folder"])
        assert rows(folder) == rows(whole.folder)
        assert not list(folder.rglob(".*.part"))
        assert [e.as_dict() for e in judge(str(folder))] == [e.as_dict() for e in whole]
        finishes, done, pending = finishes + 1, {}, False
    assert amid  # some kills fell between shards, not only while Python started


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_keeps_its_shards_and_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    process = start(tmp_path, "--shard-size", "2", "--exhaustive")
    assert process.stderr is not None
    for line in process.stderr:
        if " of 160 units" in line:
            break
    process.send_signal(number)
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert printed == ""
    assert "the same command resumes the run" in said and "Traceback" not in said
    assert finished_shards(tmp_path)
