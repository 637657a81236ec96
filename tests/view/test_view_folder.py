"""The folder of runs, their verdicts, and ranks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naysay.core.errors import RunError
from naysay.run.evaluation import judge
from naysay.run.manifest import Manifest, read_manifest
from naysay.view import folder as view_folder
from naysay.view import verdicts as view_verdicts
from naysay.view.folder import RunFolder, UnknownRunError, slug
from naysay.view.ranking import leaderboard, ranks_of, size_label
from naysay.view.verdicts import Verdicts, judged
from viewing import change_manifest, copy_runs, make_runs, name_of


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_runs(tmp_path_factory.mktemp("folder") / "runs")


def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """List the folder at every request."""
    monkeypatch.setattr(view_folder, "_FRESH", 0.0)


def test_a_manifest_is_read_once_until_it_changes(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh(monkeypatch)
    mine, read = copy_runs(runs, tmp_path), []

    def reading(place: Path) -> Manifest:
        read.append(place.name)
        return read_manifest(place)

    monkeypatch.setattr(view_folder, "read_manifest", reading)
    found = RunFolder(mine)
    for _ in range(3):
        assert len(found.runs()) == 2
    assert len(read) == 2
    stamp, name = found.stamp, name_of(mine, "known:blind")
    change_manifest(mine, name, lambda record: record.update(finished=None))
    assert not found.find(name).finished
    assert found.stamp != stamp
    assert read[2:] == [name]


def test_a_broken_run_is_shown_as_broken_beside_the_others(runs: Path, tmp_path: Path) -> None:
    mine = copy_runs(runs, tmp_path)
    name = name_of(mine, "known:blind")
    (mine / name / "manifest.json").write_text("{")
    found = RunFolder(mine).runs()
    assert [run.manifest is None for run in found] == [False, True]
    assert "cannot be read" in found[1].broken
    with pytest.raises(RunError, match="cannot be read"):
        found[1].read()


def test_links_out_of_the_folder_are_not_followed(runs: Path, tmp_path: Path) -> None:
    mine = copy_runs(runs, tmp_path)
    name, other = name_of(mine, "known:blind"), name_of(mine, "known:aware")
    elsewhere = tmp_path / "elsewhere"
    (mine / name).rename(elsewhere)
    (mine / name).symlink_to(elsewhere)
    shard = mine / other / "scnt" / "00000.parquet"
    shard.rename(tmp_path / "shard.parquet")
    shard.symlink_to(tmp_path / "shard.parquet")
    found = RunFolder(mine)
    assert "link" in found.find(name).broken
    assert "link" in judged(found.find(other)).problem


def test_addresses_lead_to_listed_runs_only(runs: Path) -> None:
    found = RunFolder(runs)
    for name in ("..", "../runs", "%2e%2e", ".", "", "/etc", f"{name_of(runs, 'known:aware')}/.."):
        with pytest.raises(UnknownRunError):
            found.find(name)
    with pytest.raises(RunError, match="there is no folder"):
        RunFolder(runs / "none")
    with pytest.raises(RunError, match="object store"):
        RunFolder(Path("s3://bucket/runs"))


names = st.text(alphabet="ab/. _-é%\x00\ud800", max_size=8)


@given(names, names)
def test_slugs_are_plain_and_distinct(one: str, two: str) -> None:
    made = slug(one)
    assert made.isascii()
    assert "/" not in made
    assert made.strip(".")
    assert slug(made) == made
    assert one == two or (slug(two) != made or two == made)


def test_findings_come_from_the_cache_unless_a_file_changes(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = copy_runs(runs, tmp_path)
    run = RunFolder(mine).find(name_of(mine, "known:blind"))
    first = judged(run)
    assert first.evaluation is not None
    assert first.evaluation.findings == judge(run.read()).findings
    with monkeypatch.context() as patch:
        patch.setattr(view_verdicts, "judge", _refuse)
        assert judged(run).evaluation == first.evaluation
    shard = mine / run.folder.name / "scnt" / "00000.parquet"
    shard.write_bytes(shard.read_bytes()[:-1])
    assert "corrupt" in judged(run).problem


def _refuse(*_: Any) -> Any:
    raise AssertionError("judged again")


def test_runs_are_judged_in_the_background(runs: Path) -> None:
    found, verdicts = RunFolder(runs).runs(), Verdicts()
    try:
        until = time.monotonic() + 60
        known = verdicts.of(found)
        while any(one.pending for one in known.values()):
            assert time.monotonic() < until
            known = verdicts.of(found)
        assert {one.evaluation is not None for one in known.values()} == {True}
        assert verdicts.count == 2
    finally:
        verdicts.close()


def test_what_raises_anything_breaks_one_run_only(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(manifest: Any) -> Any:
        raise ZeroDivisionError("a fault of a suite")

    monkeypatch.setattr(view_verdicts, "judge", fail)
    found = judged(RunFolder(runs).runs()[0])
    assert "ZeroDivisionError" in found.problem


def test_the_leaderboard_has_all_models_of_the_papers(runs: Path) -> None:
    found = [judged(run).evaluation for run in RunFolder(runs).runs()]
    board = leaderboard([one for one in found if one is not None])
    published = [row for row in board.models if row.published]
    assert sum("semantoneg" in row.standings for row in published) == 114
    own = {row.name: row for row in board.models if not row.published}
    aware, blind = own["known:aware"].standings["scnt"], own["known:blind"].standings["scnt"]
    assert aware.rank is not None
    assert blind.rank is not None
    assert aware.rank < blind.rank
    for suite in board.suites:
        ranked = [r.standings[suite] for r in board.models if suite in r.standings]
        for one in ranked:
            same = [o for o in ranked if o.group == one.group and o.rank == one.rank]
            assert one.rank is None or one.shared == (len(same) > 1)


def test_models_of_papers_have_a_kind_and_a_size() -> None:
    board = leaderboard([])
    rows = {row.name: row for row in board.models}
    assert (rows["bert-base-cased"].kind, rows["bert-base-cased"].size) == (
        "masked", "100 M to 1 B",
    )  # fmt: skip
    assert (rows["all-MiniLM-L6-v2"].kind, rows["all-MiniLM-L6-v2"].size) == (
        "embedder", "under 100 M",
    )  # fmt: skip
    assert sum(row.kind == "embedder" for row in board.models) >= 114
    assert "published" not in board.values("kind")


def test_the_leaderboard_says_which_direction_is_better(runs: Path) -> None:
    found = [judged(run).evaluation for run in RunFolder(runs).runs()]
    board = leaderboard([one for one in found if one is not None])
    assert set(board.wanted) == set(board.suites)
    assert (board.wanted["lama"], board.wanted["semantoneg"]) == ("low", "high")


def test_a_leaderboard_without_runs_has_the_papers() -> None:
    assert all(row.published for row in leaderboard([]).models)


bounds = st.lists(
    st.tuples(st.floats(0, 100), st.floats(0, 100)).map(lambda pair: tuple(sorted(pair))),
    min_size=1, max_size=12,
)  # fmt: skip


@given(bounds)
def test_a_rank_counts_those_that_are_better_beyond_doubt(pairs: list[tuple[float, float]]) -> None:
    found = ranks_of(pairs)
    for rank, (_, high) in zip(found, pairs, strict=True):
        assert rank == 1 + sum(low > high for low, _ in pairs)
    assert min(found) == 1


def test_sizes_have_classes() -> None:
    assert [size_label(n) for n in (0, True, "x", 99e6, 100e6, 7e9, 70e9)] == [
        "not known", "not known", "not known", "under 100 M", "100 M to 1 B", "1 B to 10 B",
        "10 B and more",
    ]  # fmt: skip


def test_a_run_that_vanishes_is_not_an_error(runs: Path, tmp_path: Path) -> None:
    mine = copy_runs(runs, tmp_path)
    run = RunFolder(mine).runs()[0]
    (mine / run.folder.name / "manifest.json").unlink()
    assert run.age == float("inf")
    assert judged(run).problem
