from __future__ import annotations

from pathlib import Path

import pytest

from naysay import evaluate
from naysay.models.known import KnownModel
from naysay.suites import SUITES, published


def test_all_five_papers_are_there_and_well_formed() -> None:
    assert {"scnt", "gh22", "scin", "semantoneg", "lama"} <= set(published.papers())
    for paper in published.papers().values():
        assert paper["paper"]["title"] and paper["paper"]["year"] and paper["paper"]["authors"]
        keys = [
            (row["table"], row["condition"], row["metric"], row.get("variant"), row["source"])
            for row in paper["row"]
        ]
        assert len(keys) == len(set(keys))
        for row in paper["row"]:
            assert row["values"] and all(
                isinstance(value, int | float) for value in row["values"].values()
            )
        tables = {row["table"] for row in paper["row"]}
        assert all(entry["table"] in tables for entry in paper.get("contradiction", []))
        printed = {name for row in paper["row"] for name in row["values"]}
        assert set(paper.get("aliases", {})) <= printed


@pytest.mark.parametrize(
    ("model", "drop"),
    [
        ("bert-base-cased", 3.6),
        ("google-bert/bert-base-cased", 3.6),
        ("FacebookAI/roberta-large", 64.7),
        ("masked:roberta-large", 64.7),
        ("/models/Roberta-Large/", 64.7),
        ("bert-base-uncased", None),
        ("my-bert-base-cased-finetuned", None),
    ],
)
def test_a_model_is_matched_by_name_or_alias(model: str, drop: float | None) -> None:
    assert published.figure("scnt", "drops", "CpTn", "drop", model) == drop


def test_the_papers_contradiction_is_told_where_its_model_is_shown() -> None:
    [told] = published.contradictions("scnt", ["drops"], "FacebookAI/roberta-base")
    assert "20.7" in told and "27.7" in told
    for tables, model in ((["drops"], "roberta-large"), (["selection"], "roberta-base")):
        assert published.contradictions("scnt", tables, model) == []
    assert published.contradictions("scnt", ["drops"], "some-other-model") == []


def test_an_estimate_carries_the_published_figure(tmp_path: Path) -> None:
    model = KnownModel("bert-base-cased", lambda text, words: True, ["x"])
    run = evaluate(model, "scnt", limit=5, out=tmp_path)
    shown = {(e.table, e.condition, e.metric): e.published for e in run}
    assert shown["drops", "CpTv", "drop"] == 25.5
    assert shown["selection", "CpTp", "ratio"] == 21.7
    assert shown["adjusted", "CpTn-CpTv", "difference"] is None
    assert "published" in (run.folder / "report.md").read_text()


def test_suites_and_papers_go_by_the_same_names() -> None:
    beyond_papers = {"semantoneg_likelihood", "semantoneg_prompted"}
    assert set(SUITES.names()) - beyond_papers <= set(published.papers())
