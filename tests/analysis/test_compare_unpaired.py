"""Runs that share too few items are compared on their own items, and this is said."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome as Ended
from naysay import evaluate
from naysay.analysis import Comparison, compare
from naysay.analysis.changes import UNPAIRED, verdict
from naysay.analysis.flips import flips
from naysay.analysis.gate import gate
from naysay.core.errors import RunError
from naysay.reports.comparison import as_csv, as_markdown
from naysay.reports.gate import markdown
from naysay.run.evaluation import Evaluation
from naysay.stats.unpaired import BoundedFigure, square_and_add

SAID = "a difference may come from the items instead of the model"
Pair = tuple[Evaluation, Evaluation]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Two runs of which no sentence is the same."""
    out = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NAYSAY_CACHE", str(out / "cache"))
        return (
            evaluate("known:random:0.2", "gh22", limit=12, out=out),
            evaluate("known:random:0.8", "gh22", limit=12, seed=7, out=out),
        )


def compared(*runs: Evaluation, **options: Any) -> Comparison:
    return compare([one.manifest for one in runs], **options)


def test_the_figures_are_each_runs_own(pair: Pair) -> None:
    own = [{(e.table, e.condition, e.metric): e for e in run} for run in pair]
    comparison = compared(*pair)
    assert all(table.common == 0 and SAID in table.note for table in comparison.tables)
    found = [change for change in comparison if change.low is not None]
    assert len(found) > 10
    for change in found:
        one, two = (estimates[change.table, change.condition, change.metric] for estimates in own)
        assert change.method == UNPAIRED and change.unpaired
        assert (change.first, change.second) == (one.value, two.value)
        assert (change.n_first, change.n_second) == (one.n, two.n)
        assert change.n == min(one.n, two.n)
        figures = [
            BoundedFigure(e.value or 0.0, e.low or 0.0, e.high or 0.0, e.degrees or 0.0)
            for e in (one, two)
        ]
        assert (change.low, change.high) == pytest.approx(square_and_add(*figures))
        assert change.p is not None and change.high is not None and change.low is not None
        assert (change.p < 0.05) == (change.low > 0 or change.high < 0)
        assert (change.up, change.down, change.p_mcnemar) == (None, None, None)
    polarity = comparison.tables[0]
    assert {change.condition for change in polarity.changes if change.shown} >= {"negated"}
    assert "known:random:0.8 is better in positive by" in polarity.verdict
    assert ", unpaired)" in polarity.verdict
    assert not any(list(flips(comparison, table)) for table in comparison.tables)


def test_the_other_order_is_the_mirror_image(pair: Pair) -> None:
    there, back = compared(*pair), compared(*pair[::-1])
    for change, turned in zip(there, back, strict=True):
        assert (change.p, change.p_holm, change.n) == (turned.p, turned.p_holm, turned.n)
        assert change.detectable == turned.detectable
        if change.low is not None and change.high is not None:
            assert (turned.low, turned.high) == (-change.high, -change.low)


def test_it_is_said_wherever_it_is_shown(
    pair: Pair, naysay: Callable[..., Ended], tmp_path: Path
) -> None:
    folders = [run.folder for run in pair]
    ended = naysay("compare", *folders, "-o", "page.md")
    assert ended.code == 0, ended.err
    assert "experiment 1, unpaired" in ended.out
    assert " ".join(ended.out.split()).count(SAID) == 1  # once for all tables of a suite
    assert SAID in (tmp_path / "page.md").read_text(encoding="utf-8")
    tables = json.loads(naysay("compare", *folders, "--json").out)["tables"]
    assert all(SAID in table["note"] for table in tables)
    assert {c["method"] for table in tables for c in table["changes"]} == {UNPAIRED}
    rows = list(csv.DictReader(as_csv(compared(*pair)).splitlines()))
    assert {row["method"] for row in rows} == {UNPAIRED}


def test_the_gate_takes_unpaired_figures_and_says_so(pair: Pair) -> None:
    low, high = pair
    shut = gate(high.manifest, low.manifest)
    assert all("shares too few" in check.reason for check in shut.failed)
    found = gate(high.manifest, low.manifest, coverage=0)
    negated = next(check for check in found.checks if check.name == "polarity.negated")
    assert not negated.passed and negated.unpaired and negated.coverage == 0
    assert "0.0 % of the baseline's, unpaired" in negated.reason
    positive = next(check for check in found.checks if check.name == "polarity.positive")
    assert positive.passed and positive.unpaired


def test_the_gates_tables_say_which_figures_are_unpaired(
    pair: Pair, naysay: Callable[..., Ended]
) -> None:
    low, high = pair
    ended = naysay("gate", low.folder, "--baseline", high.folder)
    assert "gh22 polarity, unpaired" in ended.out
    assert "a loss may come from the items" in " ".join(ended.out.split())
    page = markdown(gate(low.manifest, high.manifest))
    assert "own (unpaired)" in page and "a loss may come from the items" in page


def test_common_items_stay_the_default(pair: Pair, tmp_path: Path) -> None:
    other = evaluate("known:random:0.8", "gh22", limit=12, out=tmp_path)
    comparison = compared(pair[0], other)
    assert not any(change.unpaired for change in comparison)
    assert not any(table.note for table in comparison.tables)
    assert "unpaired" not in as_markdown(comparison)


def test_a_single_common_item_is_not_enough(tmp_path: Path) -> None:
    one, other = (
        evaluate(f"known:random:{share}", "scnt", limit=3, seed=0, out=tmp_path)
        for share in ("0.9", "0.002")
    )
    comparison = compared(one, other)
    assert {table.common for table in comparison.tables} == {1}
    assert all(change.unpaired and change.low is not None for change in comparison)


def test_only_where_nothing_has_an_interval_it_is_an_error(tmp_path: Path) -> None:
    one, other = (
        evaluate("known:random:0.5", "scnt", limit=1, cap=1, seed=seed, out=tmp_path)
        for seed in (0, 5)
    )
    with pytest.raises(RunError, match="no item of scnt in common, and too few of their own"):
        compared(one, other)


def test_figures_that_happen_to_be_equal_are_not_called_alike(tmp_path: Path) -> None:
    one, other = (
        evaluate("known:blind", "gh22", limit=6, seed=seed, out=tmp_path) for seed in (0, 7)
    )
    table = compared(one, other).tables[0]
    assert {change.difference for change in table.changes} == {0}
    assert table.verdict.startswith("No significant difference")
    assert "alike" not in verdict("m", table.changes)
