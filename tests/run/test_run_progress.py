"""What the runner reports while it asks, and what it writes beside the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_crash_order import few_words

from naysay.core.errors import DamagedShardError, RunError
from naysay.core.probes import ChooseWord, FillBlank, Pieces
from naysay.models.known import KnownModel
from naysay.run import metering, runner
from naysay.run.manifest import Manifest, read_manifest
from naysay.run.metering import Metered
from naysay.run.options import spec_of
from naysay.run.plan import settings_of
from naysay.run.rows import fit_file, read_fit, rows_in, shard_files, whole_rows
from naysay.run.runner import SPEC_FILE, run
from naysay.run.store import read_rows
from naysay.suites import SUITES
from naysay.suites.base import BaseSuite
from naysay.suites.protocol import Setting

SCNT = SUITES.get("scnt")


class Recorder:
    """Keeps what is reported to it."""

    def __init__(self) -> None:
        self.starts: list[tuple[str, int, int]] = []
        self.typical: list[float | None] = []
        self.parts: list[int] = []
        self.shards: list[int] = []
        self.notes: list[str] = []

    def start(self, title: str, units: int, done: int, per_unit: float | None = None) -> None:
        self.starts.append((title, units, done))
        self.typical.append(per_unit)

    def asked(self, questions: int) -> None:
        self.parts.append(questions)

    def advanced(self, units: int) -> None:
        self.shards.append(units)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def stop(self) -> None:
        """Nothing is open."""


class Counted(KnownModel):
    """Counts what is done with it."""

    def __init__(self) -> None:
        super().__init__("counted", lambda text, words: len(text + words[0]) % 3 == 0, ["counted"])
        self.calls: list[Any] = []

    def prepare(self) -> None:
        self.calls.append("prepare")

    def ask(self, probes: Any) -> Any:
        self.calls.append(len(probes))
        return super().ask(probes)

    def single_pieces(self, words: Any, text: str, *, bare: bool = False) -> dict[str, Pieces]:
        self.calls.append(("bare" if bare else "in context", *words))
        return super().single_pieces(words, text, bare=bare)

    def close(self) -> None:
        self.calls.append("close")


def small(out: Path, *suites: str, **more: Any) -> dict[str, Setting]:
    options = {"limit": 7, "cap": 2, "shard_size": 3, "lexicon": few_words(out.parent), "out": out}
    return settings_of(spec_of("counted", suites or ["scnt"], {**options, **more}))


def same(one: Manifest, other: Manifest) -> bool:
    """Whether both say the same, and their specs mean the same."""
    return one == other and one.run_spec == other.run_spec


def made(out: Path, *suites: str, **more: Any) -> tuple[Manifest, Recorder, Counted]:
    progress, model = Recorder(), Counted()
    return run(small(out, *suites, **more), model, progress), progress, model


def test_a_run_reports_all_it_does(tmp_path: Path) -> None:
    manifest, progress, model = made(tmp_path / "runs")
    assert progress.starts == [("scnt", 7, 0)]
    assert progress.shards == [3, 3, 1]
    assert progress.notes == []
    assert manifest.path("scnt-examples.json").is_file()
    assert sum(progress.parts) == manifest.counts["questions"]
    assert model.calls[0] == "prepare"
    assert manifest.model == {
        "name": "counted", "kind": "known", "digest": model.digest, "precision": "fp32",
        "device": "none", "parameters": 0,
    }  # fmt: skip
    assert same(manifest, read_manifest(manifest.folder))


def test_each_shard_is_on_record(tmp_path: Path) -> None:
    manifest, progress, _ = made(tmp_path / "runs")
    assert list(manifest.shards) == [f"scnt/0000{k}.parquet" for k in range(3)]
    for (file, record), units in zip(manifest.shards.items(), (3, 3, 1), strict=True):
        rows = read_rows(manifest.path(file))
        assert (record["suite"], record["units"], record["rows"]) == ("scnt", units, len(rows))
        assert record["questions"] >= len(rows) > 0
        assert record["seconds"] == round(record["seconds"], 3) and 0 <= record["seconds"] < 60
    assert sum(record["questions"] for record in manifest.shards.values()) == sum(progress.parts)


def test_a_finished_run_needs_no_model(tmp_path: Path) -> None:
    first, _, _ = made(tmp_path / "runs")
    before = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*") if path.is_file()}
    again, progress, model = made(tmp_path / "runs")
    assert same(again, first) and model.calls == []
    assert progress.starts == [("scnt", 7, 7)] and progress.shards == []
    after = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*") if path.is_file()}
    lock = {first.folder / ".lock": 0}  # touched by whoever holds it
    assert {**after, **lock} == {**before, **lock}
    assert first.path(SPEC_FILE) in after


def test_what_is_there_counts_as_done(tmp_path: Path) -> None:
    first, _, _ = made(tmp_path / "runs")
    first.path("scnt/00001.parquet").unlink()
    again, progress, _ = made(tmp_path / "runs")
    assert progress.starts == [("scnt", 7, 4)] and progress.shards == [3]
    assert progress.notes == again.complaints == []
    # What is on disk says how many questions a unit takes.
    assert progress.typical == [first.counts["questions"] / 7] != [SCNT.questions_per_unit]  # type: ignore[attr-defined]


def test_what_is_typical_is_expected_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, progress, _ = made(tmp_path / "runs")
    assert progress.typical == [200]
    monkeypatch.delattr(type(SCNT), "questions_per_unit")
    monkeypatch.delattr(BaseSuite, "questions_per_unit")
    _, progress, _ = made(tmp_path / "other")  # as a suite of somebody else's may be
    assert progress.typical == [None]


@pytest.mark.parametrize("lost", ["scnt", "gh22"])
def test_each_suite_must_be_whole(tmp_path: Path, lost: str) -> None:
    suites = ("scnt", "gh22")
    first, progress, _ = made(tmp_path / "runs", *suites)
    assert progress.starts == [(name, 7, 0) for name in suites]
    assert first.planned == dict.fromkeys(suites, 3)
    first.path(f"{lost}/00001.parquet").unlink()
    _, progress, _ = made(tmp_path / "runs", *suites)
    assert progress.starts == [(name, 7, 4 if name == lost else 7) for name in suites]


def test_a_changed_shard_is_reported_and_kept_on_record(tmp_path: Path) -> None:
    first, _, _ = made(tmp_path / "runs")
    first.path("scnt/00002.parquet").write_bytes(b"")
    again, progress, _ = made(tmp_path / "runs")
    assert progress.starts == [("scnt", 7, 6)]
    [note] = progress.notes
    assert note == again.complaints[0] and "00002.parquet is corrupt: recomputing it" in note
    assert read_manifest(first.folder).complaints == [note]


def test_shards_stay_as_large_as_they_began(tmp_path: Path) -> None:
    first, _, _ = made(tmp_path / "runs")
    first.path("scnt/00002.parquet").unlink()
    again, progress, _ = made(tmp_path / "runs", shard_size=5)
    assert again.shard_size == 3 and progress.shards == [1]
    assert progress.notes == ["resuming with shards of 3, as the run was started"]


def test_a_lost_fit_is_made_again_and_nothing_else(tmp_path: Path) -> None:
    first, _, _ = made(tmp_path / "runs")
    fit = first.path(fit_file(SCNT))
    kept = fit.read_bytes()
    fit.unlink()
    again, progress, model = made(tmp_path / "runs")
    assert fit.read_bytes() == kept and model.calls[0] == "prepare"
    assert progress.shards == [] and again.finished == first.finished
    assert read_fit(again, SCNT).used == SCNT.fit(model, small(tmp_path / "runs")["scnt"]).used


@pytest.mark.parametrize("content", [None, "{", "{}", "[]"])
def test_a_fit_that_cannot_be_read_says_how_to_mend_it(tmp_path: Path, content: str | None) -> None:
    manifest, _, _ = made(tmp_path / "runs")
    path = manifest.path("scnt-fit.json")
    path.unlink()
    if content is not None:
        path.write_text(content, encoding="utf-8")
    fault = "cannot be read" if content is None else "is corrupt"
    with pytest.raises(RunError, match=rf"scnt-fit\.json {fault}.*; resume with: naysay run"):
        read_fit(manifest, SCNT)
    manifest.files.clear()  # as earlier versions wrote it
    with pytest.raises(RunError, match=r"scnt-fit\.json cannot be read .*resume with: naysay run"):
        read_fit(manifest, SCNT)


@pytest.mark.parametrize("file", ["scnt-fit.json", "scnt-examples.json"])
def test_a_changed_file_is_made_again_on_resume(tmp_path: Path, file: str) -> None:
    first, _, _ = made(tmp_path / "runs")
    kept = first.path(file).read_bytes()
    first.path(file).write_bytes(kept + b" ")
    again, progress, _ = made(tmp_path / "runs")
    assert again.path(file).read_bytes() == kept and progress.shards == []
    assert read_manifest(again.folder).is_kept(file)


def test_a_shard_that_is_lost_after_the_check_is_not_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest, _, _ = made(tmp_path / "runs")
    manifest.path("scnt/00000.parquet").unlink()
    monkeypatch.setattr(runner, "_is_complete", lambda plan: True)
    with pytest.raises(RunError, match="was changed while it was read; run again"):
        made(tmp_path / "runs")


def test_an_error_of_the_model_leaves_no_folder(tmp_path: Path) -> None:
    class Broken(Counted):
        def prepare(self) -> None:
            raise RunError("no such weights")

    with pytest.raises(RunError, match="no such weights"):
        run(small(tmp_path / "runs"), Broken(), Recorder())
    assert not (tmp_path / "runs").exists()


def test_whole_shards_are_listed_in_order(tmp_path: Path) -> None:
    manifest, _, _ = made(tmp_path / "runs")
    files = [f"scnt/0000{k}.parquet" for k in range(3)]
    manifest.shards = {file: manifest.shards[file] for file in reversed(files)}
    assert shard_files(manifest, SCNT) == files
    kept = [read_rows(manifest.path(file)).to_pylist() for file in files]
    assert [table.to_pylist() for table in whole_rows(manifest, SCNT)] == kept
    verbs = [{"verb": row["verb"]} for row in kept[2]]
    assert rows_in(manifest, files[2], SCNT, ["verb"]).to_pylist() == verbs
    assert list(whole_rows(manifest, SCNT, ["verb"]))[2].to_pylist() == verbs
    with pytest.raises(RunError, match="0 of 0 shards of gh22 exist; resume with: naysay run"):
        shard_files(manifest, SUITES.get("gh22"))


def test_rows_of_a_run_with_a_corrupt_or_missing_shard_are_not_read(tmp_path: Path) -> None:
    manifest, _, _ = made(tmp_path / "runs")
    file = "scnt/00001.parquet"
    manifest.path(file).write_bytes(manifest.path("scnt/00002.parquet").read_bytes())
    # It is a file of rows, but not the one that was written.
    with pytest.raises(
        DamagedShardError, match=r"00001\.parquet is corrupt.*; resume with: naysay"
    ):
        rows_in(manifest, file, SCNT)
    reading = whole_rows(manifest, SCNT)
    assert len(next(reading)) == manifest.shards["scnt/00000.parquet"]["rows"]
    with pytest.raises(DamagedShardError, match=r"00001\.parquet is corrupt"):
        next(reading)
    manifest.path(file).unlink()
    with pytest.raises(RunError, match="not finished: 2 of 3 shards of scnt"):
        shard_files(manifest, SCNT)
    with pytest.raises(RunError, match="not finished: 2 of 3 shards of scnt"):
        next(whole_rows(manifest, SCNT))
    with pytest.raises(RunError, match=r"00001\.parquet cannot be read"):
        rows_in(manifest, file, SCNT)


@pytest.mark.parametrize("slow", [False, True])
def test_questions_are_asked_in_slices_and_counted(slow: bool) -> None:
    # At first in small slices, so that the rate is known soon.
    whole, first = metering._SLICE, metering._FIRST_SLICE
    sizes = [metering._SLOW_SLICE] * 2 if slow else [first] * (whole // first) + [whole]
    texts = [f"She likes to {k} ▢." for k in range(sum(sizes) + 5)]
    probes: list[Any] = [FillBlank(text, ("run",)) for text in texts]
    if slow:  # one is enough
        probes[-1] = ChooseWord(texts[-1], ("run", "swim"), ("run",))
    model, progress = Counted(), Recorder()
    metered = Metered(model, progress)
    answers = metered.ask(probes)
    assert [a.best for a in answers] == [a.best for a in Counted().ask(probes)]
    assert model.calls == progress.parts == [*sizes, 5]
    assert metered.questions == len(probes)
    assert metered.ask([]) == [] and metered.questions == len(probes)


def test_else_a_metered_model_is_the_model() -> None:
    model = Counted()
    metered = Metered(model, Recorder())
    assert (metered.name, metered.kind, metered.digest) == (model.name, model.kind, model.digest)
    assert metered.answers == model.answers and metered.facts() == model.facts()
    assert metered.single_pieces(["run"], "▢") == {"run": Pieces(("run",))}
    metered.single_pieces(["run"], "▢", bare=True)
    metered.prepare()
    metered.close()
    assert model.calls == [("in context", "run"), ("bare", "run"), "prepare", "close"]
