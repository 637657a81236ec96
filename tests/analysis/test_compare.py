from __future__ import annotations

import csv
import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Outcome as Ended
from conftest import rows_of
from naysay import evaluate
from naysay.analysis import Change, Comparison, compare
from naysay.analysis.changes import verdict
from naysay.analysis.flips import flips
from naysay.analysis.items import _joined, match
from naysay.core.errors import RunError, SpecError, UnknownNameError
from naysay.core.measures import Items, Measure, codes_of
from naysay.core.records import Estimate
from naysay.data.languages import LANGUAGES
from naysay.run.evaluation import Evaluation
from naysay.run.manifest import read_manifest
from naysay.stats.difference import paired_difference
from naysay.suites import SUITES

ENGLISH = [suite.name for suite in SUITES.all() if suite.speaks(LANGUAGES.get("en"))]
MODELS = ("known:aware", "known:blind", "known:random")
Runs = dict[tuple[str, str], Evaluation]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """All known models in all suites."""
    out = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NAYSAY_CACHE", str(out / "cache"))
        patch.delenv("NAYSAY_DATA", raising=False)
        found = {(m, "en"): evaluate(m, ENGLISH, limit=14, out=out) for m in MODELS}
        return found | {(m, "it"): evaluate(m, "scin", limit=30, out=out) for m in MODELS}


def compared(*evaluations: Evaluation, **options: Any) -> Comparison:
    return compare([one.manifest for one in evaluations], **options)


def by_name(comparison: Comparison) -> dict[tuple[str, ...], Change]:
    return {(c.suite, c.table, c.condition, c.metric): c for c in comparison}


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("pair", list(combinations(MODELS, 2)), ids="-".join)
def test_the_other_order_is_the_mirror_image(
    runs: Runs, pair: tuple[str, str], language: str
) -> None:
    one, other = (runs[model, language] for model in pair)
    there, back = by_name(compared(one, other)), by_name(compared(other, one))
    assert list(there) == list(back)
    assert {suite for suite, *_ in there} == set(one.manifest.planned)
    for name, change in there.items():
        turned = back[name]
        assert (change.first, change.second) == (turned.second, turned.first)
        assert (change.p, change.p_holm) == (turned.p, turned.p_holm)
        assert change.p_mcnemar == turned.p_mcnemar
        assert (change.detectable, change.n) == (turned.detectable, turned.n)
        assert (change.up, change.down) == (turned.down, turned.up)
        assert (change.method, change.clusters_by) == (turned.method, turned.clusters_by)
        if change.difference is None:
            assert turned.difference is None
            continue
        assert turned.difference == -change.difference
        if change.low is not None and change.high is not None:
            assert (turned.low, turned.high) == (-change.high, -change.low)
            assert change.low <= change.difference <= change.high
            assert change.p is not None and change.detectable is not None
            assert (change.p < 0.05) == (change.low > 0 or change.high < 0)


@pytest.mark.parametrize("model", MODELS)
def test_a_run_does_not_differ_from_itself(runs: Runs, model: str) -> None:
    comparison = compared(runs[model, "en"], runs[model, "en"])
    assert [run.label for run in comparison.runs] == [f"{model} (1)", f"{model} (2)"]
    for table in comparison.tables:
        assert table.items == (table.common, table.common)
        assert list(flips(comparison, table)) == []
        assert "answers all of these items alike" in table.verdict or not table.common
    for change in comparison:
        assert change.difference == 0 and change.first == change.second
        assert change.p == 1 and change.p_holm == 1
        assert change.low is not None and change.high is not None
        assert change.low == -change.high < 0


def test_the_figures_are_those_of_the_common_items_by_hand(runs: Runs) -> None:
    one, other = runs["known:random", "en"], runs["known:aware", "en"]
    dropped: list[dict[tuple[str, str], bool]] = []
    for run in (one, other):
        files = [row for row in rows_of(run) if row.get("subject") == "pronoun"]
        tested = [row for row in files if row["condition"] == "CpTn"]
        dropped.append({(r["unit"], r["verb"]): r["answer"] != r["form"] for r in tested})
    common = dropped[0].keys() & dropped[1].keys()
    first, second = (100 * np.mean([found[key] for key in common]) for found in dropped)
    comparison = compared(one, other)
    change = by_name(comparison)["scnt", "drops", "CpTn", "drop"]
    assert (change.first, change.second) == pytest.approx((first, second))
    assert change.difference == pytest.approx(second - first)
    assert change.n == len(common) < len(dropped[0])
    assert change.clusters_by["verbs"] == len({verb for _, verb in common})
    [table] = [t for t in comparison.tables if (t.suite, t.table) == ("scnt", "drops")]
    assert table.items == (len(dropped[0]), len(dropped[1])) and table.common == len(common)
    assert change.up == sum(dropped[1][k] and not dropped[0][k] for k in common)


def test_where_nothing_is_left_out_the_figures_are_the_estimates(runs: Runs) -> None:
    one, other = runs["known:aware", "en"], runs["known:blind", "en"]
    estimates = {(e.suite, e.table, e.condition, e.metric): e.value for e in other}
    tables = [t for t in compared(one, other).tables if t.items == (t.common,) * 2]
    whole = [change for table in tables for change in table.changes]
    assert len({change.suite for change in whole}) >= 7
    for change in whole:
        name = (change.suite, change.table, change.condition, change.metric)
        assert change.second == pytest.approx(estimates[name])


def test_aware_beats_blind_wherever_something_is_wanted(runs: Runs) -> None:
    for change in compared(runs["known:blind", "en"], runs["known:aware", "en"]):
        if change.wanted and change.difference:
            assert change.gain == pytest.approx(100, abs=1e-9) and change.shown
            assert change.newly_wrong in (0, None)


def test_several_runs_are_held_against_the_first_on_what_all_have(runs: Runs) -> None:
    three = [runs[model, "en"] for model in MODELS]
    comparison = compared(*three, suites=["scnt", "lama"])
    assert {change.suite for change in comparison} == {"scnt", "lama"}
    assert {table.run for table in comparison.tables} == {1, 2}
    drops = [t for t in comparison.tables if t.table == "drops"]
    assert drops[0].common == drops[1].common <= min(drops[0].items)
    assert [change.first for change in drops[0].changes] == [c.first for c in drops[1].changes]


def test_flips_tell_the_sentence_and_both_answers(runs: Runs) -> None:
    one, other = runs["known:random", "en"], runs["known:blind", "en"]
    texts = {row.get("text") for row in rows_of(one)} | {row.get("query") for row in rows_of(one)}
    texts |= {row.get("negated") for row in rows_of(one)}
    comparison = compared(one, other)
    for table in comparison.tables:
        told = list(flips(comparison, table))
        counted = [(c.up or 0) + (c.down or 0) for c in table.changes]
        assert len(told) == sum(counted)
        assert all(flip.sentence in texts and flip.first_answer != flip.other_answer
                   for flip in told)  # fmt: skip
        assert len(list(flips(comparison, table, 3))) <= 3
    scnt = [t for t in comparison.tables if (t.suite, t.table) == ("scnt", "drops")]
    wrong = [flip for flip in flips(comparison, scnt[0]) if flip.condition == "CpTn"]
    assert wrong and {flip.change for flip in wrong} == {"newly wrong"}
    assert all(flip.other_answer == flip.item.split("/")[-2] for flip in wrong)


def test_what_cannot_be_the_same_question_is_refused(tmp_path: Path, runs: Runs) -> None:
    made: dict[str, Evaluation] = {
        "plain": evaluate("known:random", "scnt", limit=3, out=tmp_path),
        "likes": evaluate("known:random", "scnt", limit=3, predicate="likes", out=tmp_path),
        "happy": evaluate("known:blind", "scnt", limit=3, predicate="happy", out=tmp_path),
        "likely": evaluate("known:random", "scnt", limit=3, readout="likelihood", out=tmp_path),
        "french": evaluate("known:random", "scnt", limit=3, language="fr", out=tmp_path),
        "elsewhere": evaluate("known:random", "scnt", limit=1, cap=1, seed=5, out=tmp_path),
        "lama": evaluate("known:random", "lama", limit=3, out=tmp_path),
    }
    for name, option in (("likes", "predicate"), ("likely", "readout"), ("french", "language")):
        with pytest.raises(SpecError, match=f"differ in {option} .*--{option}"):
            compared(made["plain"], made[name])
    with pytest.raises(RunError, match=r"no suite in common: .* has scnt; .* has lama"):
        compared(made["plain"], made["lama"])
    with pytest.raises(RunError, match="have no item of scnt in common"):
        compared(made["plain"], made["elsewhere"])
    with pytest.raises(RunError, match="have no lama"):
        compared(made["plain"], made["happy"], suites=["lama"])
    with pytest.raises(SpecError, match="1 run given"):
        compared(made["plain"])
    assert compared(made["plain"], made["happy"]).tables[0].common  # the default, said aloud


def test_rules_of_repetition_must_agree(tmp_path: Path) -> None:
    exact = evaluate("known:random", "gh22", limit=2, out=tmp_path / "a")
    prefix = evaluate("known:blind", "gh22", limit=2, repetition="prefix", out=tmp_path / "b")
    with pytest.raises(SpecError, match="--repetition"):
        compared(exact, prefix)
    assert compared(exact, prefix, repetition="exact").tables


def test_what_may_be_another_reason_is_told(tmp_path: Path) -> None:
    one = evaluate("known:random", "scnt", limit=3, out=tmp_path)
    other = evaluate("known:blind", "scnt", limit=3, out=tmp_path)
    assert compared(one, other).warnings == ()
    manifest = other.folder / "manifest.json"
    record = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**record, "naysay": "0.0.0"}), encoding="utf-8")
    read = read_manifest(other.folder)
    words = json.loads(read.kept("scnt-fit.json"))
    read.keep("scnt-fit.json", {**words, "used": words["used"][1:]})
    versions, lists = compare([one.folder, other.folder]).warnings
    assert "0.0.0" in versions and "different word lists" in lists


def test_the_command_prints_writes_and_exits(
    naysay: Callable[..., Ended], runs: Runs, tmp_path: Path
) -> None:
    one, other = runs["known:random", "en"], runs["known:blind", "en"]
    where = ("--runs", one.folder.parent)
    names = one.run[:6], other.folder.name
    ended = naysay("compare", *names, *where, "-t", "scnt,semantoneg", "--flips", "flips.csv")
    assert ended.code == 0, ended.err
    assert "known:blind against known:random" in ended.out and "in common, of" in ended.out
    assert "known:blind is worse in" in ended.out and "newly wrong (CpTn)" in ended.out
    with (tmp_path / "flips.csv").open(encoding="utf-8", newline="") as stream:
        told = list(csv.DictReader(stream))
    printed = naysay("compare", *names, *where, "-t", "scnt,semantoneg", "--json")
    changes = [c for table in json.loads(printed.out)["tables"] for c in table["changes"]]
    assert len(told) == sum((c["up"] or 0) + (c["down"] or 0) for c in changes)
    for form in ("md", "csv", "json"):
        assert naysay("compare", *names, *where, "-t", "scnt", "-o", f"page.{form}").code == 0
        assert "CpTn" in (tmp_path / f"page.{form}").read_text(encoding="utf-8")
    assert naysay("compare", *names, *where, "-o", "page.doc").code == 2
    assert naysay("compare", names[0], *where).code == 2
    assert naysay("compare", names[0], runs["known:random", "it"].run, *where).code == 2


def test_a_model_with_one_run_names_it(tmp_path: Path) -> None:
    for model in ("known:random", "known:blind"):
        evaluate(model, "scnt", limit=3, out=tmp_path)
    found = compare(["known:random", "known:blind"], tmp_path)
    assert [run.label for run in found.runs] == ["known:random", "known:blind"]
    with pytest.raises(UnknownNameError):
        compare(["known:random", "known:aware"], tmp_path)


def test_a_run_that_is_not_finished_is_refused(
    naysay: Callable[..., Ended], tmp_path: Path
) -> None:
    one = evaluate("known:random", "scnt", limit=3, out=tmp_path)
    other = evaluate("known:blind", "scnt", limit=3, out=tmp_path)
    (other.folder / "scnt" / "00000.parquet").unlink()
    ended = naysay("compare", one.folder, other.folder)
    assert ended.code == 2 and "is not finished" in ended.err


def measured(keys: list[str], values: list[float], **clusters: list[str]) -> Measure:
    import pyarrow as pa

    labels = {kind: pa.array(of, pa.string()) for kind, of in clusters.items()}
    items = Items(pa.array(keys, pa.string()), np.array(values, float), labels)
    name = ("scnt", "drops", "CpTn", "drop")
    return Measure(*name, lambda: Estimate(*name, None), listed=lambda: items)


KEYS = st.lists(st.text("abc", max_size=3), unique=True)


@given(KEYS, KEYS)
def test_items_are_matched_by_key_whatever_their_order(one: list[str], other: list[str]) -> None:
    found = match([measured(keys, [float(len(k)) for k in keys], a=keys) for keys in (one, other)])
    assert found.keys.to_pylist() == sorted(set(one) & set(other))
    for run in (0, 1):
        assert found.values(run).tolist() == [len(key) for key in found.keys.to_pylist()]


def test_an_item_that_occurs_twice_is_an_error() -> None:
    twice = measured(["x", "x"], [0, 1], a=["p", "q"])
    with pytest.raises(RunError, match="occurs twice"):
        match([twice, twice])


PARTITIONS = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=2, max_size=3)
)


@given(PARTITIONS)
def test_clusters_of_runs_that_disagree_are_joined(partitions: list[list[int]]) -> None:
    made = [codes_of_numbers(one) for one in partitions]
    found = _joined(made)
    assert np.array_equal(found, _joined(made[::-1]))
    together = {
        (i, j) for one in partitions for i in range(len(one)) for j in range(i) if one[i] == one[j]
    }
    assert all(found[i] == found[j] for i, j in together)
    group = list(range(len(found)))
    for _ in group:  # the closure by hand
        for i, j in together:
            group[i] = group[j] = min(group[i], group[j])
    assert len(set(found.tolist())) == len(set(group))


def codes_of_numbers(numbers: list[int]) -> Any:
    import pyarrow as pa

    return codes_of(pa.array(list(map(str, numbers))))


DIFFERENCES = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=n, max_size=n),
        st.lists(st.integers(0, 5), min_size=n, max_size=n),
        st.lists(st.integers(0, 5), min_size=n, max_size=n),
    )
)


@given(DIFFERENCES, st.booleans())
@settings(max_examples=60, deadline=None)
def test_differences_mirror_and_p_agrees_with_the_interval(
    drawn: tuple[list[float], list[int], list[int]], both: bool
) -> None:
    values = np.array(drawn[0])
    clusters = {"a": np.array(drawn[1])} | ({"b": np.array(drawn[2])} if both else {})
    one, other = (paired_difference(sign * values, clusters) for sign in (1, -1))
    assert one.value == -other.value == values.mean()
    assert (one.p, one.detectable, one.error) == (other.p, other.detectable, other.error)
    if one.low is None or one.high is None or one.p is None:
        assert min(one.clusters.values()) == 1 and one.p is None
        return
    assert (one.low, one.high) == (-(other.high or 0.0), -(other.low or 0.0))
    assert -1 <= one.low <= one.value <= one.high <= 1
    assert (one.p < 0.05) == (one.low > 0 or one.high < 0)
    assert one.detectable is not None and one.detectable > 0


@given(st.floats(-1, 1), st.integers(2, 400))
def test_where_nothing_varies_the_clusters_tell(constant: float, clusters: int) -> None:
    found = paired_difference(np.full(clusters, constant), {"a": np.arange(clusters)})
    assert found.low is not None and found.high is not None and found.p is not None
    assert found.low <= found.value <= found.high
    assert found.value == pytest.approx(constant)  # a mean of equal numbers may round
    assert (found.p < 0.05) == (found.low > 0 or found.high < 0)


def test_the_smallest_detectable_difference_is_detected_in_four_of_five() -> None:
    rng = np.random.default_rng(0)
    code = np.repeat(np.arange(60), 5)
    noise = rng.standard_normal((60, 500)) * 0.3
    errors = rng.standard_normal((300, 500)) * 0.5
    first = paired_difference(noise[code, 0] + errors[:, 0], {"a": code}, bound=9.0)
    assert first.detectable is not None and first.error is not None
    assert first.detectable == pytest.approx(2.85 * first.error, rel=0.01)  # 2.80 for many
    truth = 2.85 * float(np.sqrt(0.3**2 / 60 + 0.5**2 / 300))
    seen = 0
    for k in range(500):
        found = paired_difference(truth + noise[code, k] + errors[:, k], {"a": code}, bound=9.0)
        seen += found.p is not None and found.p < 0.05
    assert seen / 500 == pytest.approx(0.8, abs=0.05)


def change(condition: str, difference: float, p: float, **more: Any) -> Change:
    given: dict[str, Any] = {"low": difference - 4, "high": difference + 4, "detectable": 8.1}
    name = ("scnt", "drops", condition, "drop", "%")
    wanted = "high" if condition in ("CpTn", "CnTp") else "low"
    return Change(*name, wanted, 1, 50.0, 50.0 + difference, difference, p=p,
                  **{"p_holm": p, **given, **more})  # fmt: skip


def test_words() -> None:
    better = change("CpTn", 12.34, 0.001, low=4.1, high=20.2)
    assert verdict("m", [better, change("CnTp", 1.0, 0.6)]) == (
        "m is better in CpTn by 12.3 points (4.1 to 20.2)."
    )
    worse = change("CpTv", 12.34, 0.001, low=4.1, high=20.2)
    assert verdict("m", [better, worse]) == (
        "m is better in CpTn by 12.3 points (4.1 to 20.2), and is worse in CpTv by 12.3 points "
        "(4.1 to 20.2)."
    )
    assert verdict("m", [change("CpTn", 1.0, 0.6), change("CnTp", -2.0, 0.5)]) == (
        "No significant difference; the minimum detectable difference is 8.1 points."
    )
    nearly = verdict("m", [change("CpTn", 5.0, 0.04, p_holm=0.08), change("CnTp", 0.5, 0.9)])
    assert "Holm" in nearly and "CpTn by 5.0 points" in nearly
    assert "No item in common" in verdict("m", [])
