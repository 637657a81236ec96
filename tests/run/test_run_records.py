"""What a run writes about itself, and how it is found and read again."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from naysay.core import VERSION
from naysay.core.errors import RunError, UnknownNameError
from naysay.core.keys import file_digest
from naysay.models.known import KnownModel
from naysay.run import manifest as manifests
from naysay.run.lookup import find_run
from naysay.run.manifest import (
    SCHEMA,
    Manifest,
    library_versions,
    now,
    read_manifest,
    this_machine,
)
from naysay.run.options import spec_from_dict, spec_of
from naysay.run.plan import Plan, plan_run, settings_of
from naysay.run.store import (
    BrokenRun,
    check_place,
    find_runs,
    held,
    open_manifest,
)


def shard(suite: str, units: int, rows: int, questions: int, seconds: float) -> dict[str, object]:
    return {
        "suite": suite, "sha256": "00", "units": units, "rows": rows, "questions": questions,
        "seconds": seconds,
    }  # fmt: skip


def made(folder: Path, key: str = "0123", started: str = "2024-01-01") -> Manifest:
    """A manifest on disk, of a run whose shards are not there."""
    found = Manifest(
        folder=folder,
        key=key,
        spec=spec_of("known:x", ["scnt", "gh22"], {"out": Path("first"), "cap": 3}).as_dict(),
        model={"name": "x", "kind": "known"},
        shard_size=4,
        shards={
            "scnt/00000.parquet": shard("scnt", 4, 40, 50, 1.25),
            "scnt/00001.parquet": shard("scnt", 3, 30, 31, 0.5),
            "gh22/00000.parquet": shard("gh22", 5, 10, 11, 0.1256),
        },
        planned={"scnt": 2, "gh22": 2},
        machine={"cores": 2},
        versions={"numpy": "2"},
        started=started,
        complaints=["one"],
    )
    found.save()
    return found


def same(one: Manifest, other: Manifest) -> bool:
    """Whether both say the same, and their specs mean the same."""
    return one == other and one.run_spec == other.run_spec


def test_counts_are_of_finished_shards(tmp_path: Path) -> None:
    manifest = made(tmp_path / "run")
    assert manifest.units == {"scnt": 7, "gh22": 5}
    # Suites share their units.
    assert manifest.counts == {"units": 7, "rows": 80, "questions": 92}
    assert manifest.seconds == 1.876
    empty = Manifest(tmp_path, "", {}, {}, 1)
    assert empty.counts == {"units": 0, "rows": 0, "questions": 0}


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    manifest = made(tmp_path / "run")
    assert same(read_manifest(tmp_path / "run"), manifest)
    record = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    assert (record["schema"], record["naysay"]) == (SCHEMA, VERSION)
    assert record["counts"] == manifest.counts and record["seconds"] == manifest.seconds
    assert record.keys() == {
        "schema", "naysay", "key", "spec", "model", "machine", "versions", "started", "finished",
        "seconds", "counts", "complaints", "shard_size", "planned", "shards", "files",
    }  # fmt: skip


def test_the_version_that_started_a_run_stays_on_record(tmp_path: Path) -> None:
    manifest = made(tmp_path / "run")
    manifest.naysay = "0.0.1"
    manifest.save()
    read = read_manifest(tmp_path / "run")
    read.save()
    assert read_manifest(tmp_path / "run").naysay == read.naysay == "0.0.1"


def test_a_run_that_was_moved_knows_where_it_is(tmp_path: Path) -> None:
    manifest = made(tmp_path / "here" / "run")
    assert manifest.run_spec.out == tmp_path / "here"
    assert manifest.run_spec.suites == ("scnt", "gh22")
    assert manifest.run_spec.value("cap", "scnt") == 3
    assert manifest.run_spec == spec_from_dict({**manifest.spec, "out": tmp_path / "here"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is not a run: it has no manifest.json"),
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ('{"key": "x"}', "cannot be read"),
        (b"\xff\xfe\xff", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ('{"key": "\\ud800"}', "cannot be read"),
        ('{"key": NaN}', "cannot be read"),
        ('{"schema": "x"}', f"with schema x; naysay .* reads schemas up to {SCHEMA}"),
    ],
)
def test_a_manifest_that_is_none_is_refused(
    tmp_path: Path, text: str | bytes | None, message: str
) -> None:
    file = tmp_path / "manifest.json"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RunError, match=message):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"key": ""}, "key"),
        ({"key": 3}, "key"),
        ({"shard_size": 0}, "shard_size"),
        ({"planned": {"scnt": -1}}, "planned"),
        ({"planned": ["scnt"]}, "planned"),
        ({"model": {}}, "name"),
        ({"model": {"name": None, "kind": "x"}}, "model"),
        ({"spec": {"model": "x", "suites": []}}, "suites"),
        ({"spec": {"model": "x", "suites": "scnt"}}, "suites"),
        ({"spec": {"model": "x", "suites": ["scnt"], "options": 3}}, "options"),
        ({"shards": {"../../etc/00000.parquet": shard("scnt", 1, 1, 1, 1.0)}}, "shards"),
        ({"shards": {"/etc/00000.parquet": shard("scnt", 1, 1, 1, 1.0)}}, "shards"),
        ({"shards": {"scnt/00000.parquet": {}}}, "shards"),
        ({"shards": {"scnt/00000.parquet": shard("scnt", 1, 1, 1, -1.0)}}, "shards"),
        ({"files": {"../x.json": "00"}}, "files"),
        ({"complaints": "one"}, "complaints"),
    ],
)
def test_a_manifest_with_a_fault_is_refused_and_the_place_is_named(
    tmp_path: Path, change: dict[str, object], place: str
) -> None:
    file = made(tmp_path / "run").folder / "manifest.json"
    record = json.loads(file.read_text(encoding="utf-8")) | change
    file.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(RunError, match=rf"cannot be read \(.*{place}"):
        read_manifest(file.parent)


def test_a_manifest_cannot_say_where_it_is(tmp_path: Path) -> None:
    file = made(tmp_path / "run").folder / "manifest.json"
    record = json.loads(file.read_text(encoding="utf-8")) | {"folder": "/etc"}
    file.write_text(json.dumps(record), encoding="utf-8")
    assert read_manifest(file.parent).folder == file.parent


def test_one_broken_run_does_not_stop_the_others(tmp_path: Path) -> None:
    made(tmp_path / "good", "0123")
    made(tmp_path / "other", "4567")
    (tmp_path / "other" / "manifest.json").write_text("{", encoding="utf-8")
    made(tmp_path / "missing", "89ab").spec["suites"] = ["not_installed"]
    absent = made(tmp_path / "absent", "cdef")
    absent.spec = {**absent.spec, "suites": ["not_installed"]}
    absent.save()
    broken: list[BrokenRun] = []
    assert [m.folder.name for m in find_runs(tmp_path, broken)] == ["good", "missing"]
    reasons = {one.folder.name: one.reason for one in broken}
    assert "cannot be read" in reasons["other"] and "not_installed" in reasons["absent"]
    assert find_run("0123", tmp_path).folder.name == "good"
    with pytest.raises(RunError, match="cannot be read"):
        find_run("other", tmp_path)


def test_a_file_beside_the_manifest_has_its_checksum(tmp_path: Path) -> None:
    manifest = made(tmp_path / "run")
    manifest.keep("scnt-fit.json", {"a": 1})
    again = read_manifest(manifest.folder)
    assert again.is_kept("scnt-fit.json") and json.loads(again.kept("scnt-fit.json")) == {"a": 1}
    again.path("scnt-fit.json").write_text('{"a": 2}', encoding="utf-8")
    assert not again.is_kept("scnt-fit.json")
    with pytest.raises(RunError, match=r"scnt-fit\.json is corrupt.*resume with: naysay run"):
        again.kept("scnt-fit.json")
    again.files.clear()  # as earlier versions wrote it
    assert again.is_kept("scnt-fit.json") and again.kept("scnt-fit.json") == b'{"a": 2}'
    again.path("scnt-fit.json").unlink()
    with pytest.raises(RunError, match=r"cannot be read.*resume with"):
        again.kept("scnt-fit.json")


def test_a_shard_is_whole_with_its_checksum_only(tmp_path: Path) -> None:
    manifest = made(tmp_path / "run")
    file = "scnt/00000.parquet"
    assert not manifest.is_whole(file)  # not there
    path = manifest.path(file)
    path.parent.mkdir()
    path.write_bytes(b"rows")
    assert not manifest.is_whole(file) and manifest.content(file) is None  # another checksum
    manifest.shards[file]["sha256"] = file_digest(path)
    assert manifest.is_whole(file) and manifest.content(file) == b"rows"
    path.write_bytes(b"rowz")
    os.utime(path, ns=(0, 0))  # of the same size, at another time
    assert not manifest.is_whole(file) and manifest.content(file) is None
    path.write_bytes(b"row")
    os.utime(path, ns=(1, 1))
    assert not manifest.is_whole(file) and manifest.content(file) is None
    path.write_bytes(b"rows")
    assert manifest.is_whole(file)
    del manifest.shards[file]
    assert not manifest.is_whole(file)  # not on record


def test_a_shard_is_hashed_once_as_long_as_it_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[Path] = []

    def watched(path: Path) -> str:
        hashed.append(path)
        return file_digest(path)

    monkeypatch.setattr(manifests, "file_digest", watched)
    manifest = made(tmp_path / "run")
    read, written = "scnt/00000.parquet", "scnt/00001.parquet"
    for file in (read, written):
        manifest.path(file).parent.mkdir(exist_ok=True)
        manifest.path(file).write_bytes(b"rows")
        manifest.shards[file]["sha256"] = file_digest(manifest.path(file))
    manifest.wrote(written)
    for _ in range(2):
        assert manifest.is_whole(read) and manifest.is_whole(written)
    assert hashed == [manifest.path(read)]
    manifest.shards[written]["sha256"] = "00"  # another checksum is on record
    assert not manifest.is_whole(written)


def test_moments_are_in_universal_time_to_the_second() -> None:
    moment = datetime.fromisoformat(now())
    assert moment.utcoffset() == timedelta(0)
    assert moment.microsecond == 0 and "." not in now()


def test_machine_and_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert this_machine().keys() == {"system", "processor", "cores", "python"}
    found = library_versions()
    assert (found["numpy"], found["pyarrow"]) == (np.__version__, pa.__version__)
    assert {"scipy", "torch", "transformers", "tokenizers"} <= found.keys()
    monkeypatch.setattr(manifests, "_LIBRARIES", ("not installed", "numpy"))
    assert library_versions() == {"numpy": np.__version__}


def test_runs_are_found_oldest_first(tmp_path: Path) -> None:
    made(tmp_path / "a", "ab12", "2024-03-01")
    made(tmp_path / "b", "ab34", "2024-01-01")
    made(tmp_path / "c" / "deeper", "ffff")
    assert [run.key for run in find_runs(tmp_path)] == ["ab34", "ab12"]
    assert find_run(str(tmp_path / "a"), tmp_path / "elsewhere").key == "ab12"
    assert find_run("b", tmp_path).key == "ab34"
    assert find_run("ab1", tmp_path).key == "ab12"
    both = r"'ab' is the beginning of 2 keys: ab34 .*, ab12 .*; give more"
    with pytest.raises(RunError, match=both):
        find_run("ab", tmp_path)
    for name in ("b12", ""):
        with pytest.raises(UnknownNameError, match=r"Known: a, b, x\. Searched in"):
            find_run(name, tmp_path)


def plan_of(out: Path, **options: int) -> Plan:
    spec = spec_of("known:x", ["scnt"], {"limit": 2, "out": out, **options})
    return plan_run(settings_of(spec), KnownModel("known:x", lambda text, words: True, ["x"]))


def planned(out: Path) -> tuple[str, Path]:
    """Check the place of a run below a folder; its key and its own folder."""
    plan = plan_of(out)
    check_place(plan)
    return plan.key, plan.folder


def test_a_place_for_runs_may_hold_others_but_not_be_one(tmp_path: Path) -> None:
    key, folder = planned(tmp_path / "not" / "yet")
    assert not (tmp_path / "not").exists()  # it looks only
    made(tmp_path / "runs" / "other")
    planned(tmp_path / "runs")
    made(tmp_path / "runs" / folder.name, key)
    planned(tmp_path / "runs")  # its own
    made(tmp_path / "runs" / folder.name, "ffff")
    with pytest.raises(RunError, match=f"holds the run ffff, not {key}"):
        planned(tmp_path / "runs")
    with pytest.raises(RunError, match=r"is itself a run .key 0123.*--runs .*runs$"):
        planned(tmp_path / "runs" / "other")


def test_a_place_must_be_a_folder_that_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(RunError, match="file is a file"):
        planned(file / "runs")
    asked: list[tuple[Path, int]] = []

    def access(path: Path, mode: int) -> bool:
        asked.append((path, mode))
        return False

    monkeypatch.setattr(os, "access", access)
    with pytest.raises(RunError, match=f"{tmp_path} is read-only"):
        planned(tmp_path / "a" / "b")
    assert asked == [(tmp_path, os.W_OK)]


def test_a_folder_that_cannot_be_made_is_an_error_with_advice(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    advice = r"cannot write to .*Choose another folder with --runs"
    with pytest.raises(RunError, match=advice), held(tmp_path / "file" / "run"):
        pass
    with held(tmp_path / "deep" / "run"):
        assert (tmp_path / "deep" / "run").is_dir()
    with held(tmp_path / "deep" / "run"):
        pass  # again


def test_a_folder_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    busy = pytest.raises(RunError, match=f"another process is writing to {tmp_path / 'run'};")
    with held(tmp_path / "run"), busy, held(tmp_path / "run"):
        pass
    with held(tmp_path / "other"), held(tmp_path / "run"):
        pass  # let go of, and another folder is free


def test_a_manifest_is_new_or_as_it_was_left(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, shard_size=7)
    before = now()
    facts: dict[str, object] = {"name": "x", "kind": "known"}
    new = open_manifest(plan, facts)
    assert (new.folder, new.key, new.shard_size) == (plan.folder, plan.key, 7)
    assert (new.spec, new.model) == (plan.spec.as_dict(), facts)
    assert (new.machine, new.versions) == (this_machine(), library_versions())
    assert before <= new.started <= now() and new.finished is None
    new.complaints.append("seen")
    new.save()
    assert same(open_manifest(plan, {"name": "y", "kind": "known"}), new)
