"""A gate that compares too little does not pass, and many checks do not stop a build by chance."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from conftest import Outcome as Ended
from naysay import evaluate
from naysay.analysis import Change, ComparedTable, Comparison, compare
from naysay.analysis.changes import UNPAIRED
from naysay.analysis.gate import Gate, gate
from naysay.analysis.items import measures_of
from naysay.analysis.losses import INFERIOR, NON_INFERIOR, RULES, Rules, against_run
from naysay.analysis.thresholds import Check
from naysay.core.errors import SpecError
from naysay.core.measures import Measure
from naysay.reports.gate import junit, markdown


@pytest.mark.parametrize("seed", [1, 0], ids=["no item in common", "one item in common"])
def test_a_model_that_has_collapsed_is_stopped(
    naysay: Callable[..., Ended], seed: int, tmp_path: Path
) -> None:
    for model in ("known:random:0.9", "known:random:0.002"):
        assert naysay("run", "-m", model, "-t", "scnt", "--limit", 3, "--seed", seed).code == 0
    words = ("gate", "known:random:0.002", "--baseline", "known:random:0.9")
    ended = naysay(*words, "--junit", "gate.xml")
    assert ended.code == 1, ended.err
    told = " ".join(ended.out.split())
    for part in ("the baseline's 60 items", "at least 50 % required", "stopped repeating the verb"):
        assert part in told
    assert told.count("stopped repeating the verb") == 1  # one reason for all that it is about
    printed = json.loads(naysay(*words, "--json").out)
    assert printed["passed"] is False and printed["coverage"] == 50
    for check in printed["checks"]:
        assert not check["passed"] and check["n"] < 12 and check["n_baseline"] == 60
        shared = 0 if check["method"] == UNPAIRED else check["n"]
        assert check["coverage"] == pytest.approx(100 * shared / 60)
    failures = list(ElementTree.parse(tmp_path / "gate.xml").getroot().iter("failure"))
    assert len(failures) == len(printed["checks"])
    assert all("% required" in failure.attrib["message"] for failure in failures)


def test_nothing_at_all_in_common_is_a_failure_not_an_error(
    naysay: Callable[..., Ended], tmp_path: Path
) -> None:
    for model in ("known:random:0.9", "known:random:0.004"):
        assert naysay("run", "-m", model, "-t", "scnt", "--limit", 1).code == 0
    words = ("known:random:0.9", "known:random:0.004")
    assert naysay("compare", *words).code == 2  # there is no interval to show
    ended = naysay("gate", words[1], "--baseline", words[0], "--coverage", 0)
    assert ended.code == 1
    assert "2 items show nothing" in " ".join(ended.out.split())


def test_a_figure_that_the_run_lost_altogether_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the share of right answers that are kept, where no answer is right any more."""
    before, after = (
        evaluate(f"known:{name}", "scnt", limit=3, out=tmp_path).manifest
        for name in ("blind", "aware")
    )
    assert gate(after, before).passed

    def measured(manifest: Any, *more: Any) -> list[Measure]:
        found = measures_of(manifest, *more)
        return [m for m in found if manifest is before or m.condition != "CpTn"]

    monkeypatch.setattr("naysay.analysis.comparison.measures_of", measured)
    [lost] = gate(after, before).failed
    assert (lost.name, lost.n_baseline, lost.coverage) == ("drops.CpTn", 60, 0)
    assert "0 of the baseline's 60 items compared" in lost.reason
    assert "The run has none" in lost.reason
    assert {c.condition for c in compare([after, before])} >= {"CnTp"}  # the rest is compared


def change(condition: str = "CpTn", **more: Any) -> Change:
    """A figure that did not change, on half of the baseline's items."""
    given: dict[str, Any] = {
        "low": -3.0, "high": 3.0, "p": 1.0, "error": 1.5, "degrees": 49.0, "n": 50, "n_first": 100,
        "n_second": 100, "clusters": 50, "clusters_by": {"pairs": 50}, "method": "paired",
    }  # fmt: skip
    name = ("scnt", "drops", condition, "drop", "%")
    return Change(*name, "high", 1, 50.0, 50.0, **{"difference": 0.0, **given, **more})


def checks_of(changes: Sequence[Change], **rules: Any) -> list[Check]:
    table = ComparedTable("scnt", "drops", "", 1, (), 0, tuple(changes), "", "", ())
    return against_run(Comparison((), (table,)), Rules(**rules))


def told(rule: str, **more: Any) -> Check:
    """The check on one figure, with a margin that it would hold."""
    [check] = checks_of([change(**more)], rule=rule, margin=5)
    return check


@pytest.mark.parametrize("rule", RULES)
def test_half_of_the_baselines_items_is_enough_and_less_is_not(rule: str) -> None:
    assert told(rule).passed and told(rule).coverage == 50
    few = told(rule, n=49)
    assert not few.passed and few.coverage == 49
    assert "49 of the baseline's 100 items compared (49.0 %, at least 50 % required)" in few.reason
    assert "100 items, mostly others" in few.reason and "--coverage" in few.reason
    [allowed] = checks_of([change(n=49)], rule=rule, margin=5, coverage=49)
    assert allowed.passed


@pytest.mark.parametrize("rule", RULES)
def test_unpaired_figures_cover_nothing_of_the_baseline(rule: str) -> None:
    """Runs that share no item cover as little as a collapsed one; --coverage 0 allows that."""
    own: dict[str, Any] = {"method": UNPAIRED, "n_second": 300, "n": 100}
    shut = told(rule, **own)
    assert not shut.passed and shut.coverage == 0 and "--coverage 0" in shut.reason
    [held] = checks_of([change(**own)], rule=rule, margin=5, coverage=0)
    assert held.passed and "unpaired" in held.reason
    [lost] = checks_of(
        [change(**own, difference=-20.0, low=-23.0, high=-17.0)], rule=rule, margin=5, coverage=0
    )
    assert not lost.passed


def test_a_collapse_is_not_excused_by_the_number_of_checks() -> None:
    """Eight pairs that all go from right to wrong fail, however many other figures there are."""
    same: dict[str, Any] = {"error": 0.0, "clusters_by": {"names": 8}}
    lost = change("C", difference=-100.0, low=-100.0, high=-35.1, **same)
    others = [change(f"D{k}") for k in range(20)]
    found = checks_of([lost, *others])
    assert [check.passed for check in found] == [False, *[True] * 20]
    assert (found[0].p_holm or 0) >= 0.025


def test_a_suite_that_the_run_lacks_fails_unless_suites_are_named(tmp_path: Path) -> None:
    both = evaluate("known:aware", ["scnt", "semantoneg"], limit=12, out=tmp_path)
    one = evaluate("known:aware", ["scnt"], limit=12, out=tmp_path)
    shut = gate(one.manifest, both.manifest)
    assert [check.reason for check in shut.failed] == [
        "the run has no semantoneg: name suites with -t"
    ]
    assert gate(one.manifest, both.manifest, suites=["scnt"]).passed


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"n": 1, "n_first": 1, "n_second": 1, "low": None, "high": None}, "a single item"),
        ({"n": 1, "n_first": 2}, "a single item"),
        ({"low": None, "high": None, "error": None, "degrees": None}, "no interval can be made"),
        ({"n": 0, "n_second": 0, "difference": None, "low": None}, "The run has none"),
    ],
)
def test_what_shows_nothing_does_not_pass(rule: str, more: dict[str, Any], why: str) -> None:
    check = told(rule, **more)
    assert not check.passed and why in check.reason
    [lenient] = checks_of([change(**more)], rule=rule, margin=500, coverage=0)
    assert not lenient.passed


def a_gate(checks: Sequence[Check]) -> Gate:
    return Gate("0" * 16, "m", "x", INFERIOR, 2.0, tuple(checks))


def test_where_the_baseline_has_nothing_there_is_nothing_to_lose() -> None:
    empty: dict[str, Any] = {"n": 0, "n_first": 0, "difference": None, "low": None, "high": None}
    found = a_gate(checks_of([change("CpTn"), change("CnTp", **empty)]))
    assert found.passed and [check.applicable for check in found.checks] == [True, False]
    assert "the baseline has no item" in found.checks[1].reason
    tree = ElementTree.fromstring(junit(found))
    assert tree.attrib["skipped"] == "1" and len(list(tree.iter("skipped"))) == 1
    assert "1 not applicable" in markdown(found) and "| n/a |" in markdown(found)
    idle = a_gate(checks_of([change(**empty)]))
    assert not idle.passed and "no check is applicable" in idle.failed[0].reason
    assert not a_gate(checks_of([])).passed
    assert ElementTree.fromstring(junit(idle)).attrib["failures"] == "1"


def losing(points: float) -> dict[str, Any]:
    return {"difference": -points, "low": -points - 3.01, "high": -points + 3.01}


def test_many_checks_do_not_stop_a_build_by_chance() -> None:
    """A loss that one check shows is not shown by one of thirty; a clear one still is."""
    slight, none = change("CpTn", **losing(5.5)), [change(f"C{k}") for k in range(29)]
    [alone] = checks_of([slight])
    assert alone.p is not None and 0.01 < alone.p < 0.025 and not alone.passed
    assert alone.p_holm == alone.p
    first, *_ = checks_of([slight, *none])
    assert first.p == alone.p and first.p_holm == pytest.approx(30 * alone.p) and first.passed
    clear, *_ = checks_of([change("CpTn", **losing(9)), *none])
    assert not clear.passed and "p < 0.001" in clear.reason
    # All must hold under the other rule, so that no check can pass by chance of another.
    strict = checks_of([slight, *none], rule=NON_INFERIOR, margin=5)
    assert [check.passed for check in strict] == [False, *[True] * 29]


def test_a_check_alone_agrees_with_the_interval() -> None:
    """Beyond the margin exactly if the whole interval is, where Student's interval was shown."""
    from naysay.stats.intervals import quantile

    half = 1.5 * quantile(49)
    for method in ("paired", UNPAIRED):
        for points, passed in ((half + 1.99, True), (half + 2.01, False)):
            bounds: dict[str, Any] = {
                "low": -points - half,
                "high": -points + half,
                "method": method,
            }
            [check] = checks_of([change(difference=-points, **bounds)], coverage=0)
            assert check.passed == passed and (check.low or 0) == pytest.approx(points - half)


@pytest.mark.parametrize("clusters", [{"pairs": 50}, {"words": 1}])
def test_where_nothing_varies_the_clusters_tell(clusters: dict[str, int]) -> None:
    same: dict[str, Any] = {"error": 0.0, "clusters_by": clusters}
    [lost] = checks_of([change("C", difference=-100.0, low=-100.0, high=-92.9, **same)])
    assert not lost.passed and lost.p is not None and lost.p < 0.001
    [kept] = checks_of([change("C", low=-7.1, high=7.1, **same)])
    assert kept.passed and kept.p == 1


@pytest.mark.parametrize("coverage", [-1, 100.5, float("nan")])
def test_a_share_that_is_none_is_refused(
    coverage: float, naysay: Callable[..., Ended], tmp_path: Path
) -> None:
    with pytest.raises(SpecError, match="--coverage must be a percentage from 0 to 100"):
        gate("run", "baseline", tmp_path, coverage=coverage)
    ended = naysay("gate", "run", "--baseline", "other", f"--coverage={coverage}")
    assert ended.code == 2 and "--coverage" in ended.err
