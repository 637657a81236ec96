from __future__ import annotations

from pathlib import Path

import pytest

from naysay import evaluate
from naysay.core.errors import BrokenPluginError
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation
from naysay.suites import SUITES, published
from naysay.suites.identity import ModelIdentity
from naysay.suites.published import PrintedFigure


def repeating(name: str) -> KnownModel:
    """A model that always repeats, under the name of one that papers print."""
    return KnownModel(name, lambda text, words: True, ["x"])


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
        for entry in paper.get("contradiction", []):
            assert entry["source"] and entry["says"]
            assert entry.get("table", next(iter(tables))) in tables
        printed = {name for row in paper["row"] for name in row["values"]}
        assert set(paper.get("aliases", {})) | set(paper.get("weights", {})) <= printed


def test_what_is_said_of_a_model_is_the_same_in_all_papers() -> None:
    said: dict[str, dict[str, object]] = {}
    for paper in published.papers().values():
        printed = {name for row in paper["row"] for name in row["values"]}
        assert set(paper["models"]) <= printed
        for name, about in paper["models"].items():
            assert about.keys() <= {"kind", "parameters"}
            assert about.get("kind", "masked") in {"masked", "causal", "permutation", "embedder"}
            assert 1_000_000 < about.get("parameters", 10**7) < 10**12
            assert said.setdefault(name, about) == about
    assert published.printed_model("roberta-large").parameters == 355_000_000
    assert published.printed_model("none") == published.PrintedModel()


def test_the_papers_contradiction_is_told_where_its_model_is_shown() -> None:
    def told(tables: list[str], model: str) -> list[str]:
        return published.contradictions("scnt", tables, ModelIdentity.named(model))

    [one] = told(["drops"], "FacebookAI/roberta-base")
    assert "20.7" in one and "27.7" in one
    assert told(["drops"], "bert-base-cased") == told(["selection"], "roberta-base") == []
    assert told(["drops"], "some-other-model") == []


def test_a_contradiction_without_a_table_is_told_beside_any_figure() -> None:
    def told(tables: list[str], model: str) -> list[str]:
        return published.contradictions("gh22", tables, ModelIdentity.named(model))

    for table in ("polarity", "rank", "style"):
        assert any("315" in one and "351" in one for one in told([table], "neg-bert-large"))
        assert not any("351" in one for one in told([table], "roberta-large"))
    assert told([], "neg-bert-large") == []
    assert [one.partition(":")[0] for one in told(["style"], "bert-large-cased")] == [
        "Appendix F", "Appendix C against Table 1", "Appendix C against Table 4",
    ]  # fmt: skip
    assert [one.partition(":")[0] for one in told(["polarity", "figure3"], "roberta-large")] == [
        "Table 2", "Section 7 against section 8", "Example 4 against Table 1",
    ]  # fmt: skip


Shown = dict[tuple[str, str, str], float | None]


def shown(run: Evaluation) -> Shown:
    return {(e.table, e.condition, e.metric): e.published for e in run}


def test_an_estimate_carries_the_published_figure(tmp_path: Path) -> None:
    run = evaluate(repeating("bert-base-cased"), "scnt", limit=5, out=tmp_path)
    assert shown(run)["drops", "CpTv", "drop"] == 25.5
    assert shown(run)["selection", "CpTp", "ratio"] == 21.7
    assert shown(run)["adjusted", "CpTn-CpTv", "difference"] is None
    assert "published" in (run.folder / "report.md").read_text()


@pytest.mark.parametrize(
    ("suite", "model", "counts"),
    [
        ("scnt", "roberta-large", (1_900_000, 400_000, 107_856)),
        ("scin", "dbmdz/bert-base-italian-cased", (5_880_000, 1_498_456, 20_000)),
    ],
)
def test_what_a_walk_counts_is_not_what_the_paper_counts(
    suite: str, model: str, counts: tuple[int, ...], tmp_path: Path
) -> None:
    metrics = ("tested", "repeating", "selected")
    lazy = evaluate(repeating(model), suite, limit=2, out=tmp_path)
    assert [shown(lazy)["selection", "CpTp", m] for m in metrics] == [None, None, counts[-1]]
    [notes] = [lazy.findings[0].published_notes["selection"]]
    assert any("tested, repeating: " in note and "--exhaustive" in note for note in notes)
    whole = evaluate(repeating(model), suite, limit=2, exhaustive=True, out=tmp_path)
    assert [shown(whole)["selection", "CpTp", m] for m in metrics] == list(counts)


def test_the_likelihood_readout_says_why_it_has_no_published_figures(tmp_path: Path) -> None:
    run = evaluate(repeating("roberta-base"), "scnt", limit=2, readout="likelihood", out=tmp_path)
    assert all(e.published is None for e in run)
    [note] = run.findings[0].published_notes["drops, by likelihood"]
    assert note.startswith("No published figure beside CpTn, CnTp, CnTn, CpTv: ")


def test_figures_have_the_digits_and_signs_of_the_paper() -> None:
    def printed(suite: str, table: str, condition: str, metric: str, model: str) -> str:
        found = published.figure(suite, table, condition, metric, ModelIdentity.named(model))
        assert found is not None
        return found.shown

    assert printed("scin", "selection", "CpTp", "ratio", "alb3rt0") == "0.03"
    assert printed("scnt", "drops", "CpTv", "drop", "roberta-large") == "26.0"
    assert printed("scnt", "selection", "CpTp", "tested", "roberta-large") == "≈ 1,900,000"
    assert printed("gh22", "style", "p1", "difference", "neg-roberta-large") == "1.40"
    assert printed("gh22", "polarity", "negated", "repetition", "neg-roberta-large") == "≈ 8"
    figure3 = ("gh22", "figure3", "MP_but", "repetition")
    assert printed(*figure3, "neg-roberta-large") == "≤ 12"
    assert printed(*figure3, "neg-xlnet-large") == "≥ 43"


def test_what_the_papers_words_bound_or_round_is_marked() -> None:
    words = {"roughly": "≈", "some ": "≈", "almost": "≈", "about": "≈", "less than": "<",
             "more than": ">", "surpass": "≤"}  # fmt: skip
    for paper in published.papers().values():
        for row in paper["row"]:
            said = row.get("printed", "")
            for value in row["values"].values():
                mark = PrintedFigure.of(row, value).shown[0]
                assert all(mark == sign for word, sign in words.items() if word in said), said


def test_a_bound_of_no_known_kind_is_an_error() -> None:
    with pytest.raises(BrokenPluginError, match="bound must be one of below"):
        PrintedFigure.of({"bound": "perhaps"}, 1)


def test_suites_and_papers_go_by_the_same_names() -> None:
    beyond_papers = {"semantoneg_likelihood", "semantoneg_prompted"}
    beyond_papers |= {name for name in SUITES.names() if name.endswith("_chat")}
    assert set(SUITES.names()) - beyond_papers <= set(published.papers())
