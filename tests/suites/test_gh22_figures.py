"""Context Matters: the paper's figures as tables and charts, and what it prints of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest

from conftest import rows_of
from naysay import evaluate
from naysay.core.probes import Fill, Guess, RankWords
from naysay.models.known import KnownModel
from naysay.reports.charts import charts_of
from naysay.run.differences import with_published
from naysay.run.evaluation import Evaluation
from naysay.run.rows import read_fit
from naysay.suites import SUITES, published
from naysay.suites.gh22.suite import OWN_PROFESSIONS

VERBS = [f"verb{one}{other}" for one in ascii_lowercase for other in ascii_lowercase][:300]
MODELS = sorted({name for row in published.papers()["gh22"]["row"] for name in row["values"]})


def asked(name: str, repeats: Callable[[str], bool], out: Path, **options: Any) -> Evaluation:
    """A run of a model that repeats the verb after these texts."""
    model = KnownModel(name, lambda text, _: repeats(text), [name], VERBS)
    return evaluate(model, "gh22", out=out, **{"limit": 30, "ranks": (0, 50), **options})


def values(run: Evaluation, table: str) -> dict[str, float | None]:
    return {e.condition: e.value for e in run if e.table == table}


def test_figure_3_pools_marking_and_gender(tmp_path: Path) -> None:
    def repeats(text: str) -> bool:
        return "Of course" in text or ("but not" in text and "in contrast" in text)

    run = asked("m", repeats, tmp_path)
    assert values(run, "figure3") == {"MP": 100, "MP_but": 50, "1rand": 0, "Cleo": 0}
    counted = {e.condition: e.n for e in run if e.table == "figure3"}
    # At two ranks: two templates each for both genders, one, and three for male names.
    male = sum(row["gender"] == "male" for row in rows_of(run) if row["polarity"] == "seed") // 2
    assert counted == {"MP": 120, "MP_but": 120, "1rand": 60, "Cleo": 6 * male}
    cleo = asked("c", lambda text: "Cleopatra does" in text, tmp_path)
    assert values(cleo, "figure3")["Cleo"] == pytest.approx(200 / 3)


def test_figure_4_is_over_negated_templates_of_experiments_1_and_2(tmp_path: Path) -> None:
    def repeats(text: str) -> bool:
        # Experiment 2 for male names only, every positive context, and Cleopatra.
        male = text.startswith(("James", "John", "Robert")) or " he " in text
        return "as often as" in text or "Cleopatra" in text or ("Today" in text and male)

    run = asked("m", repeats, tmp_path, limit=400, ranks=(0, 50, 100))
    rows = [
        row
        for row in rows_of(run)
        if row["experiment"] in (1, 2) and row["polarity"] == "negated" and row["rank"] < 100
    ]
    for gender in ("female", "male"):
        own = [row for row in rows if row["gender"] == gender]
        [found] = [e for e in run if e.table == "figure4" and e.condition == gender]
        assert found.n == len(own)
        share = 100 * sum(row["answer"] in row["verbs"].split(" ") for row in own) / len(own)
        assert found.value == pytest.approx(share)
        assert Counter(row["experiment"] for row in own)[1] * 5 == 9 * sum(
            row["experiment"] == 2 for row in own
        )
    shown = values(run, "figure4")
    assert shown["male"] and not shown["female"]
    assert shown["male-female"] == pytest.approx(shown["male"])


def test_both_figures_are_charts(tmp_path: Path) -> None:
    run = asked("m", lambda text: "contrast" in text, tmp_path)
    charts = {chart.title: chart for chart in charts_of("gh22", [("m", run.findings[0])], ["m"])}
    third = charts["Experiments 2 and 3, by inserted element"]
    assert third.table is not None and third.about.startswith("As the paper's Figure 3")
    assert [row[0].split(",")[0] for row in third.table.rows] == ["MP", "MP_but", "1rand", "Cleo"]
    fourth = charts["Negated templates of experiments 1 and 2, by gender"]
    assert fourth.table is not None
    assert [row[0] for row in fourth.table.rows] == ["female", "male"]


class Answers(KnownModel):
    """Answers each question with the word that is next in turn."""

    def ask(self, probes: Sequence[Any]) -> Any:
        if isinstance(probes[0], RankWords):
            return super().ask(probes)
        return [Fill((Guess(_said(probe.text), 0.0),)) for probe in probes]


def _said(text: str) -> str:
    """One of seven words, unevenly, or no word at all."""
    by_length = len(text) % 10
    return ("read", "read", "read", "write", "cook", "dance", "sing", "run", "swim", ")")[by_length]


def test_answers_at_the_mask_are_counted_over_all_templates(tmp_path: Path) -> None:
    model = Answers("neg-roberta-large", lambda text, words: True, ["said"], VERBS)
    run = evaluate(model, "gh22", limit=20, ranks=(0, 50), out=tmp_path)
    said = Counter(
        row["answer"] for row in rows_of(run) if row["rank"] == 0 and row["polarity"] != "seed"
    )
    total = sum(said.values())
    shown = {e.metric: e for e in run if (e.table, e.condition) == ("predictions", "rank 0")}
    assert shown["word_types"].value == len(said) == 8
    assert shown["top5_share"].value == pytest.approx(
        100 * sum(count for _, count in said.most_common(5)) / total
    )
    assert shown["top1_share"].value == pytest.approx(100 * said["read"] / total)
    assert shown["top1_share"].note == "read" and shown["top1_share"].n == total
    assert {metric: e.published for metric, e in shown.items()} == {
        "word_types": 108, "top5_share": 57, "top1_share": 22,
    }  # fmt: skip
    # The verbs of the seed sentence are something else.
    assert not any(e.published for e in run if e.table == "verbs")


@pytest.mark.parametrize("name", MODELS)
def test_every_printed_figure_is_shown_beside_ours(name: str, tmp_path: Path) -> None:
    run = asked(
        name, lambda text: True, tmp_path, limit=4, ranks=(0, 50, 100, 200),
        style=("paper", "before"),
    )  # fmt: skip
    shown = {(e.table, e.condition, e.metric) for e in run if e.published is not None}
    printed = {
        (row["table"], row["condition"], row["metric"])
        for row in published.papers()["gh22"]["row"]
        if name in row["values"] and row["table"] != "runtime"
    }
    assert shown == printed


def test_an_increase_is_not_a_range(tmp_path: Path) -> None:
    run = asked("neg-xlnet-large", lambda text: True, tmp_path, limit=4)
    shown = {(e.table, e.condition): e.published_as for e in run if e.published_as}
    assert shown["polarity", "negated"] == "≈ 8"
    assert {shown["figure3", label] for label in ("MP", "MP_but", "1rand")} == {"≥ 43"}
    assert shown["figure3", "Cleo"] == "> 85"
    for roberta in ("roberta-large", "neg-roberta-large"):
        beside = asked(roberta, lambda text: True, tmp_path, limit=4)
        cleo = {e.published_as for e in beside if (e.table, e.condition) == ("referent", "all")}
        assert cleo == {"≈ 86"}


def test_the_way_of_asking_xlnet_is_told(tmp_path: Path) -> None:
    run = asked("xlnet-large-cased", lambda text: True, tmp_path, limit=4)
    shown = {e.condition: e.published for e in run if e.table == "extremes"}
    assert shown == {"lowest": 2, "highest": 57}
    assert not any("permutation mask" in d.text for d in run.findings[0].differences)
    manifest = replace(run.manifest, model={**run.manifest.model, "kind": "permutation"})
    fit = read_fit(run.manifest, SUITES.get("gh22"))
    [finding] = run.findings
    told = with_published(replace(finding, differences=()), manifest, run.spec, fit)
    assert any("-m masked:NAME" in d.text for d in told.differences)


def test_professions_that_are_not_the_papers_are_told(tmp_path: Path) -> None:
    own = asked("m", lambda text: True, tmp_path, limit=4)
    assert OWN_PROFESSIONS in own.findings[0].notes
    mine = tmp_path / "mine.toml"
    mine.write_text('[professions]\nany = ["an actor", "a baker"]', encoding="utf-8")
    other = asked("m", lambda text: True, tmp_path, limit=4, lexicon=str(mine))
    assert OWN_PROFESSIONS not in other.findings[0].notes


def test_lowest_and_highest_are_those_of_the_templates(tmp_path: Path) -> None:
    run = asked("m", lambda text: "So, she" in text or "Today" in text, tmp_path)
    every = [value for value in values(run, "templates").values() if value is not None]
    assert values(run, "extremes") == {"lowest": min(every), "highest": max(every)}
    notes = {e.condition: e.note for e in run if e.table == "extremes"}
    assert notes["highest"] in values(run, "templates")
