"""What training changed where the items depend on the model, as gh22's figures have it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from naysay import evaluate
from naysay.analysis.unpaired import OwnItemsTable, own_items_tables
from naysay.core.errors import BrokenPluginError
from naysay.reports.negation import markdown, show
from naysay.run.evaluation import Evaluation
from naysay.suites.report import read_report
from naysay.train.negation import NegationResult
from naysay.train.trainer import Trained

RANKS = (0, 50, 100, 200)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evaluation, Evaluation]:
    """A model before and after, with few items in common."""
    out = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NAYSAY_CACHE", str(out / "cache"))
        return (
            evaluate("known:random:0.8", "gh22", limit=12, out=out),
            evaluate("known:aware", "gh22", limit=12, out=out),
        )


def result(before: Evaluation, after: Evaluation, folder: Path) -> NegationResult:
    """A training of which only the tests are real."""
    [one], [two] = before.findings, after.findings
    history = ({"step": 1, "loss": 2.0},)
    return NegationResult(
        folder=folder, model="m", kind="masked", sentences=10, extraction={"leaks": []},
        trained=Trained(folder, 1, 1, 2.0, 2.0, None, None, history), before=before, after=after,
        comparison=None, incomparable="They share no item.",
        own_items=tuple(own_items_tables(one, two)), changes=(),
    )  # fmt: skip


def test_positive_minus_negated_and_all_ranks_are_compared(
    pair: tuple[Evaluation, Evaluation],
) -> None:
    before, after = pair
    delta, rank = own_items_tables(before.findings[0], after.findings[0])
    assert [change.condition for change in delta.changes] == [
        "positive-negated", *(f"rank {rank}: positive-negated" for rank in RANKS),
    ]  # fmt: skip
    assert [change.condition for change in rank.changes] == [
        f"{polarity} rank {rank}" for polarity in ("negated", "positive") for rank in RANKS
    ]
    figures = [
        {(e.table, e.condition): e.value for e in evaluation if e.metric != "verbs"}
        for evaluation in pair
    ]
    for change in (*delta.changes, *rank.changes):
        name = (change.table, change.condition)
        assert (change.first, change.second) == (figures[0][name], figures[1][name])
        assert change.unpaired and change.low is not None and change.high is not None
        assert change.low <= (change.difference or 0) <= change.high
        assert change.p_holm is not None and change.p is not None and change.p_holm >= change.p
    assert delta.verdict.startswith("The trained model is higher in positive-negated by")
    assert isinstance(delta, OwnItemsTable) and json.loads(json.dumps(delta.as_dict()))


def test_the_report_has_them_even_if_no_item_is_shared(
    pair: tuple[Evaluation, Evaluation], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = result(*pair, tmp_path)
    text = markdown(found)
    show(found)
    printed = " ".join(capsys.readouterr().out.split())
    for said in ("rank 50: positive-negated", "negated rank 200", "own items"):
        assert said in text and said in printed
    assert "a difference may come from the items" in text
    assert len(found.as_dict()["own_items"]) == 2


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("", "table is missing"),
        ("table = 1", "table must be text"),
        ("table = 't'\nconditions = '('", "conditions '\\(' is no regular expression"),
    ],
)
def test_a_broken_entry_is_refused(entry: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "report.toml"
    file.write_text(f"[[own_items]]\n{entry}\n", encoding="utf-8")
    with pytest.raises(BrokenPluginError, match=said):
        read_report(file)


def test_suites_that_name_no_table_have_none(tmp_path: Path) -> None:
    runs: list[Any] = [
        evaluate(f"known:{name}", "scnt", limit=3, out=tmp_path) for name in ("blind", "aware")
    ]
    assert not list(own_items_tables(runs[0].findings[0], runs[1].findings[0]))
