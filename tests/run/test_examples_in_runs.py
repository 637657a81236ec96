"""How examples are chosen, and that a run is the same with them and without."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conftest import rows_of
from example_files import CHANCE, examples_of, file_of
from naysay import evaluate
from naysay.core.console import Silent
from naysay.core.errors import ModelError
from naysay.core.examples import Example, ExampleSide
from naysay.core.probes import Fill, FillBlank, Guess
from naysay.models.known import KnownModel
from naysay.run.examples import ExampleSample
from naysay.run.manifest import Manifest, read_manifest
from naysay.run.rows import rows_in
from naysay.run.store import read_rows
from naysay.suites.protocol import Suite

pytestmark = pytest.mark.slow  # many small trainings or runs with weights


def items(count: int, wrong: set[int], spare: set[int]) -> list[Example]:
    question = FillBlank("She is happy to ▢.")
    return [
        Example(
            f"item {k}", f"unit {k}", "", facet=str(k % 3), spare=k in spare,
            sides=(
                ExampleSide("A", "", "", str(k not in wrong), k not in wrong, question=question),
            ),
        )
        for k in range(count)
    ]  # fmt: skip


def chosen(listed: list[Example], count: int, seed: int = 0) -> list[str]:
    sample = ExampleSample(count, seed)
    sample.add(listed)
    return [item.key for item in sample.chosen()]


def test_the_choice_is_the_same_in_whatever_order_items_come() -> None:
    listed = items(500, set(range(0, 500, 7)), set(range(0, 500, 5)))
    first = chosen(listed, 24)
    random.Random(7).shuffle(listed)
    assert chosen(listed, 24) == first
    assert chosen(listed, 24, seed=1) != first


def test_the_choice_is_balanced_and_takes_what_is_rare() -> None:
    listed = items(300, wrong={4, 100, 200}, spare=set())
    taken = chosen(listed, 24)
    rare = {"item 4", "item 100", "item 200"}
    assert rare <= set(taken) and len(taken) == 24
    right = [int(key.split()[1]) for key in taken if key not in rare]
    assert Counter(k % 3 for k in right) == {0: 7, 1: 7, 2: 7}
    halves = chosen(items(300, set(range(150)), set()), 24)
    assert sum(int(key.split()[1]) < 150 for key in halves) == 12


def test_spare_items_only_fill_up() -> None:
    taken = chosen(items(40, set(), spare=set(range(35))), 24)
    assert {int(key.split()[1]) for key in taken[:5]} == set(range(35, 40))
    assert len(taken) == 24


@pytest.mark.parametrize("limited", ["units", "rows"])
def test_only_the_drawn_units_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: str
) -> None:
    read: list[Path] = []

    def watched(manifest: Manifest, file: str, suite: Suite) -> Any:
        read.append(manifest.path(file))
        return rows_in(manifest, file, suite)

    if limited == "units":
        monkeypatch.setattr("naysay.run.examples.POOL", 3)
        monkeypatch.setattr("naysay.run.examples.COUNT", 2)
    else:  # then as many as there are to be examples
        monkeypatch.setattr("naysay.run.examples.POOL_ROWS", 100)
        monkeypatch.setattr("naysay.run.examples.COUNT", 3)
    monkeypatch.setattr("naysay.run.examples.rows_in", watched)
    run = evaluate(CHANCE, "scnt", limit=30, shard_size=1, out=tmp_path)
    assert len(read) == 3
    told = examples_of(run, "scnt")
    assert {one["unit"] for one in told["examples"]} <= {
        row["unit"] for path in read for row in read_rows(path).to_pylist()
    }
    assert "3 of 30 pairs" in told["note"]


def test_rows_key_and_counts_are_as_without_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"limit": 20, "shard_size": 10}
    suites = ["scnt", "gh22", "lama_misprimed"]
    run = evaluate(CHANCE, suites, out=tmp_path / "one", **options)
    monkeypatch.setattr("naysay.run.runner.add_examples", lambda *given: None)
    bare = evaluate(CHANCE, suites, out=tmp_path / "two", **options)
    assert file_of(run, "gh22").is_file() and not file_of(bare, "gh22").is_file()
    assert run.run == bare.run and rows_of(run) == rows_of(bare)
    for file, shard in run.manifest.shards.items():
        other = bare.manifest.shards[file]
        assert {k: v for k, v in shard.items() if k != "seconds"} == {
            k: v for k, v in other.items() if k != "seconds"
        }


class Watched(KnownModel):
    """A model that repeats by chance, knows what it was asked, and fails where it is told."""

    def __init__(self, fault: str = "") -> None:
        super().__init__("watched", lambda text, words: len(text) % 3 > 0, ["watched"])
        self.fault, self.prepared, self.asked, self.again = fault, 0, 0, 0

    def prepare(self) -> None:
        self.prepared += 1

    def ask(self, probes: Any) -> Any:
        again = sum(isinstance(probe, FillBlank) and probe.top_k == 5 for probe in probes)
        self.asked, self.again = self.asked + len(probes) - again, self.again + again
        if again and self.fault == "fails":
            raise ModelError("out of breath")
        if again and self.fault == "breaks":
            raise RuntimeError("something else")
        if again and self.fault == "stops":
            raise KeyboardInterrupt
        if again and self.fault == "wavers":
            probes = [FillBlank(probe.text, ("waver",)) for probe in probes]
            self._fits = lambda text, words: True
        return super().ask(probes)


class Noted(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.questions = 0

    def note(self, text: str) -> None:
        self.notes.append(text)

    def asked(self, questions: int) -> None:
        self.questions += questions


def test_few_questions_are_asked_once_more(tmp_path: Path) -> None:
    model, progress = Watched(), Noted()
    run = evaluate(model, "scnt", limit=40, out=tmp_path, progress=progress)
    assert 0 < model.again <= 24 * 5
    # The fit asks one question before the shards.
    assert run.manifest.counts["questions"] == progress.questions == model.asked - 1


def test_a_finished_run_of_an_earlier_version_is_not_loaded_for_its_examples(
    tmp_path: Path,
) -> None:
    run = evaluate(Watched(), "scnt", limit=10, out=tmp_path)
    file_of(run, "scnt").unlink()
    run.manifest.files.clear()  # what was never recorded was not lost
    run.manifest.save()
    again = Watched()
    evaluate(again, "scnt", limit=10, out=tmp_path)
    assert again.prepared == again.asked == again.again == 0
    assert not file_of(run, "scnt").exists()


def test_examples_that_are_there_are_not_written_again(tmp_path: Path) -> None:
    run = evaluate(Watched(), "scnt", limit=30, shard_size=10, out=tmp_path)
    run.manifest.keep("scnt-examples.json", {"examples": []})
    (run.folder / "scnt" / "00001.parquet").unlink()
    again = Watched()
    evaluate(again, "scnt", limit=30, shard_size=10, out=tmp_path)
    assert again.asked > 0 and again.again == 0
    assert examples_of(run, "scnt") == {"examples": []}


def test_interrupted_while_asking_once_more_it_goes_on_there(tmp_path: Path) -> None:
    whole = evaluate(Watched(), "scnt", limit=20, out=tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        evaluate(Watched("stops"), "scnt", limit=20, out=tmp_path / "stopped")
    again = Watched()
    run = evaluate(again, "scnt", limit=20, out=tmp_path / "stopped")
    assert again.asked <= 1 and again.again > 0  # the fit's question, and no shard's
    assert examples_of(run, "scnt") == examples_of(whole, "scnt")
    assert run.manifest.finished and rows_of(run) == rows_of(whole)


@pytest.mark.parametrize(
    ("fault", "told"),
    [("fails", "ModelError: out of breath"), ("breaks", "RuntimeError: something else")],
)
def test_a_failure_is_told_and_costs_nothing_else(tmp_path: Path, fault: str, told: str) -> None:
    whole = evaluate(Watched(), "scnt", limit=10, out=tmp_path / "whole")
    progress = Noted()
    options: dict[str, Any] = {"limit": 10, "out": tmp_path / "failed", "progress": progress}
    run = evaluate(Watched(fault), "scnt", **options)
    assert run.estimates == whole.estimates and not file_of(run, "scnt").exists()
    assert progress.notes == [f"no examples of scnt: {told}"]
    assert read_manifest(run.folder).complaints == progress.notes
    assert read_manifest(run.folder).finished


def test_a_model_that_answers_otherwise_the_second_time_is_told(tmp_path: Path) -> None:
    progress = Noted()
    run = evaluate(Watched("wavers"), "scnt", limit=10, out=tmp_path, progress=progress)
    [complaint] = run.manifest.complaints
    assert "were answered differently from the rows" in complaint and "'waver'" in complaint
    assert progress.notes == [complaint]


def test_a_model_that_gives_no_scores_has_examples_without_them(tmp_path: Path) -> None:
    class Terse(KnownModel):
        def ask(self, probes: Any) -> Any:
            return [Fill((Guess(probe.words[0], 0.0),)) for probe in probes]

    model = Terse("terse", lambda text, words: True, ["terse"])
    run = evaluate(model, "scnt", limit=10, out=tmp_path)
    assert run.manifest.complaints == []
    sides = [side for one in examples_of(run, "scnt")["examples"] for side in one["sides"]]
    assert sides and all(side["top"] and not side["scores"] for side in sides)
