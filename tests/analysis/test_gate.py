from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from conftest import Outcome as Ended
from naysay import evaluate
from naysay.analysis.gate import Gate, gate
from naysay.analysis.losses import INFERIOR, NON_INFERIOR, RULES
from naysay.analysis.thresholds import Check, Floor, read_hard
from naysay.core.errors import RunError, SpecError, UnknownNameError
from naysay.models.known import KnownModel
from naysay.reports.gate import github_lines, junit, markdown
from naysay.run.evaluation import Evaluation
from naysay.suites import published

SUITES = ["scnt", "semantoneg", "lama"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Evaluation]:
    """Known models, and one that errs a little."""
    out = tmp_path_factory.mktemp("runs")
    models = ("aware", "blind", "random", "random:0.45:1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NAYSAY_CACHE", str(out / "cache"))
        patch.delenv("NAYSAY_DATA", raising=False)
        return {name: evaluate(f"known:{name}", SUITES, limit=30, out=out) for name in models}


def checked(runs: dict[str, Evaluation], run: str, baseline: str, **options: Any) -> Gate:
    return gate(runs[run].manifest, runs[baseline].manifest, **options)


def test_blind_does_not_pass_beside_aware_and_aware_passes_beside_blind(
    runs: dict[str, Evaluation],
) -> None:
    shut = checked(runs, "blind", "aware")
    assert not shut.passed
    assert {c.name for c in shut.failed if c.suite == "scnt"} >= {"drops.CpTn", "drops.CnTp"}
    assert {c.suite for c in shut.failed} == set(SUITES)
    assert checked(runs, "aware", "blind").passed
    assert checked(runs, "aware", "aware").passed


@pytest.mark.parametrize("run", ["random", "random:0.45:1", "blind"])
def test_the_rules_by_hand(runs: dict[str, Evaluation], run: str) -> None:
    for margin in (0.0, 2.0, 30.0):
        by_rule = {
            r: checked(runs, run, "random", rule=r, margin=margin, coverage=0) for r in RULES
        }
        told = zip(by_rule[INFERIOR].checks, by_rule[NON_INFERIOR].checks, strict=True)
        for lax, strict in told:
            assert lax.low is not None and lax.p is not None and lax.p_holm is not None
            collapsed = (lax.loss or 0) >= 20 and lax.low > margin
            assert lax.p <= lax.p_holm and lax.passed == (lax.p_holm >= 0.025 and not collapsed)
            assert lax.passed or lax.low > margin
            assert strict.passed == (strict.high is not None and strict.high < margin)
            assert strict.p_holm is None
            assert lax.passed or not strict.passed


def test_a_run_is_not_inferior_to_itself_but_a_small_one_is_not_shown_equal(
    runs: dict[str, Evaluation],
) -> None:
    assert checked(runs, "random", "random", margin=0).passed
    assert not checked(runs, "random", "random", rule=NON_INFERIOR).passed
    assert checked(runs, "random", "random", rule=NON_INFERIOR, margin=101, suites=["scnt"]).passed


def test_a_loss_is_counted_the_way_that_is_wanted(runs: dict[str, Evaluation]) -> None:
    found = {check.name: check for check in checked(runs, "random", "aware").checks}
    for name in ("drops.CpTn", "drops.CpTv"):
        check = found[name]
        assert check.value is not None and check.against is not None and check.loss is not None
        sign = 1 if name == "drops.CpTn" else -1
        assert check.loss == pytest.approx(sign * (check.against - check.value)) and check.loss > 0
    assert "referent" not in " ".join(found)


@pytest.mark.parametrize(
    ("text", "passed"),
    [("drops.CpTn=99", True), ("scnt.drops.CpTn.drop=100", True), ("drops.CpTv=1", False)],
)
def test_floors(runs: dict[str, Evaluation], text: str, passed: bool) -> None:
    floor = Floor.of("min", text)
    assert gate(runs["aware"].manifest, floors=[floor]).passed == passed
    ceiling = replace(floor, kind="max", value=floor.value - 0.5)
    assert gate(runs["aware"].manifest, floors=[ceiling]).passed != passed


def test_a_floor_that_is_nothing_or_several_is_refused(runs: dict[str, Evaluation]) -> None:
    for text, told in (
        ("drops.CpTm=1", "Did you mean drops.CpT"),
        ("nothing.at.all=1", "Its tables: drops"),
        ("negated.all=1", "could be any of lama.negated.all.rho"),
    ):
        with pytest.raises(SpecError, match=re.escape(told)):
            gate(runs["aware"].manifest, floors=[Floor.of("min", text)])
    for text in ("drops.CpTn", "drops.CpTn=", "drops.CpTn=high"):
        with pytest.raises(SpecError, match=r"write TABLE\.CONDITION=VALUE"):
            Floor.of("min", text)


def test_hard_items(runs: dict[str, Evaluation], tmp_path: Path) -> None:
    [[key, *_], *_] = [
        table.matches[0].keys.to_pylist()
        for table in _compared(runs["random"], runs["blind"])
        if table.table == "drops"
    ]
    lines, told = tmp_path / "hard.txt", tmp_path / "hard.toml"
    lines.write_text(f"# must hold\n\n{key}\n", encoding="utf-8")
    shut = gate(runs["blind"].manifest, hard=lines)
    [check] = shut.failed
    assert check.name == key and "drops CpTn (answer: " in check.reason and "CnTp" in check.reason
    assert "CpTv" not in check.reason
    told.write_text(f'[[item]]\nkey = "{key}"\nsuite = "scnt"\ncondition = "CpTv"\n')
    assert gate(runs["blind"].manifest, hard=told).passed
    lines.write_text("nobody/asked/this\n", encoding="utf-8")
    assert "not asked in this run" in gate(runs["aware"].manifest, hard=lines).failed[0].reason


def _compared(*evaluations: Evaluation) -> Any:
    from naysay.analysis import compare

    return compare([one.manifest for one in evaluations], suites=["scnt"]).tables


@pytest.mark.parametrize("text", ["", "[[item]]\nkye = 1", "[[item]", "a = 1"])
def test_a_file_of_hard_items_that_holds_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "hard.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match="--hard"):
        read_hard(path)
    with pytest.raises(SpecError, match="--hard"):
        read_hard(tmp_path / "missing.txt")


def test_published_figures(runs: dict[str, Evaluation], tmp_path: Path) -> None:
    run = runs["aware"].manifest
    found = gate(run, "published", as_model="roberta-large", suites=["scnt"])
    assert found.passed and {check.against for check in found.checks} >= {64.7}
    blind = gate(runs["blind"].manifest, "published", as_model="roberta-large", suites=["scnt"])
    assert {check.name for check in blind.failed} == {"drops.CpTn", "drops.CnTp"}
    with pytest.raises(SpecError, match=r"--as: bert-base-cased, .*roberta-large"):
        gate(run, "published", suites=["scnt"])
    with pytest.raises(SpecError, match="none of its suites"):
        gate(run, "published", as_model="bert-base-cased", suites=["semantoneg"])
    model = KnownModel("bert-base-cased", lambda text, words: True, ["x"])
    named = evaluate(model, "scnt", limit=5, out=tmp_path)
    assert {c.name for c in gate(named.manifest, "published").checks} == {
        f"drops.{condition}" for condition in ("CpTn", "CnTp", "CnTn", "CpTv")
    }


def test_approximate_figures_are_said_to_be_so_and_bounds_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = evaluate("known:aware", "gh22", limit=5, out=tmp_path).manifest

    def checks() -> dict[str, Check]:
        found = gate(run, "published", as_model="neg-roberta-large").checks
        return {check.name: check for check in found}

    negated = checks()["polarity.negated"]
    assert negated.against_as == "≈ 8" and negated.reason.endswith("the paper's figure is ≈ 8")
    assert "≈ 8 %" in markdown(gate(run, "published", as_model="neg-roberta-large"))
    [row] = [
        row for row in published.papers()["gh22"]["row"]
        if (row["table"], row["condition"]) == ("polarity", "negated")
        and "neg-roberta-large" in row["values"]
    ]  # fmt: skip
    monkeypatch.setitem(row, "bound", "below")
    assert "polarity.negated" not in checks() and "polarity.positive" in checks()


def test_wrong_use_is_refused(runs: dict[str, Evaluation]) -> None:
    run = runs["aware"].manifest
    wrong: list[tuple[dict[str, Any], type[Exception]]] = [
        ({}, SpecError),
        ({"baseline": run, "rule": "lax"}, UnknownNameError),
        ({"baseline": run, "margin": -1}, SpecError),
        ({"baseline": run, "as_model": "roberta-large"}, SpecError),
        ({"baseline": run, "suites": ["gh22"]}, RunError),
        ({"baseline": run, "suites": ["gh23"]}, UnknownNameError),
    ]
    for options, error in wrong:
        with pytest.raises(error):
            gate(run, **options)


def nasty(passed: bool = False) -> Gate:
    name = 'a<b> & "c",\x00\x1b[31m: 100%\nnext|line'
    check = Check("hard", "scnt", name, passed, f"said {name}")
    return Gate("0" * 16, name, "x", INFERIOR, 2.0, (check,))


def test_whatever_a_model_says_is_escaped() -> None:
    tree = ElementTree.fromstring(junit(nasty()))
    assert tree.attrib["failures"] == "1"
    [case] = tree.iter("testcase")
    assert case.attrib["name"].startswith('a<b> & "c",') and "\x00" not in case.attrib["name"]
    [line] = github_lines(nasty())
    assert line.startswith('::error title=naysay%3A scnt a<b> & "c"%2C')
    head, _, message = line.removeprefix("::error ").partition("::")
    assert "\n" not in line and "%25%0Anext" in head and "100%25%0Anext" in message
    assert "\\<b\\>" in markdown(nasty()) and "\\|line" in markdown(nasty())
    assert github_lines(nasty(passed=True)) == []


def test_the_command_exits_with_1_and_tells_builds(
    naysay: Callable[..., Ended],
    runs: dict[str, Evaluation],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    where = ("--runs", runs["aware"].folder.parent)
    aware, blind = runs["aware"].folder.name, runs["blind"].run
    ended = naysay("gate", aware, "--baseline", blind, *where)
    assert ended.code == 0, ended.err
    assert "passed: all" in ended.out and "::error" not in ended.out
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ended = naysay(
        "gate", blind, "--baseline", aware, *where, "--junit", "out/gate.xml",
        "--min", "drops.CpTn=50", "--max", "drops.CpTv=50",
    )  # fmt: skip
    assert ended.code == 1 and "checks do not hold" in ended.out
    assert "::error title=naysay%3A scnt drops.CpTn::known:blind: 100.0 worse" in ended.out
    assert summary.read_text(encoding="utf-8").startswith("before\n\n## naysay gate: failed")
    tree = ElementTree.parse(tmp_path / "out" / "gate.xml").getroot()
    assert len(list(tree.iter("failure"))) == int(tree.attrib["failures"]) > 2
    told = json.loads(naysay("gate", blind, "--baseline", aware, *where, "--json").out)
    assert told["passed"] is False and len(told["checks"]) > 5
    assert naysay("gate", blind, *where).code == 2
    assert naysay("gate", blind, "--baseline", "nothing", *where).code == 2
