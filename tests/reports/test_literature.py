"""Published figures in tables and on the page: where they lie, how they are shown, what differs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from naysay import evaluate, judge
from naysay.core.records import Estimate, Finding
from naysay.data.languages import LANGUAGES
from naysay.models.known import KnownModel
from naysay.reports.charts import Point
from naysay.reports.html import html
from naysay.reports.latex import latex
from naysay.reports.literature import KEPT, NOT_KEPT, comparisons, where
from naysay.reports.markdown import markdown
from naysay.reports.overview import labelled
from naysay.reports.tables import interval, number, printed, tables_of
from naysay.run.evaluation import Evaluation
from naysay.run.manifest import read_manifest
from naysay.run.rows import read_fit
from naysay.suites import SUITES


def named(name: str) -> KnownModel:
    """A model that always repeats, under the name of one that papers print."""
    verbs = LANGUAGES.get("en").lexicon.verbs
    return KnownModel(name, lambda text, words: True, ("report", name), verbs)


def beside(figure: float | None, shown: str | None = None, value: float = 10.0) -> Estimate:
    return Estimate(
        "s", "t", "c", "m", value, value - 2, value + 2, published=figure, published_as=shown
    )


@pytest.mark.parametrize(
    ("figure", "shown", "place"),
    [
        (10.0, "10.0", "inside"),
        (12.04, None, "inside"),  # as runs of 0.1.0 have it
        (12.04, "12.04", "above"),
        (12.1, "12.1", "above"),
        (7.9, "7.9", "below"),
        (None, None, "no interval"),
        (7.6, "7.6", "below"),
        (8.0, "≈ 8", "inside"),
        (12.4, "≈ 12", "inside"),  # 12 is all from 11.5 to 12.5
        (13.0, "≈ 13", "above"),
        (12.0, "≤ 12", KEPT),
        (10.0, "≤ 10", KEPT),
        (10.0, "< 10", NOT_KEPT),
        (3.0, "< 3", NOT_KEPT),
        (3.0, "> 3", KEPT),
        (43.0, "≥ 43", NOT_KEPT),
    ],
)
def test_where_the_printed_figure_lies(figure: float | None, shown: str | None, place: str) -> None:
    assert where(beside(figure, shown)) == place


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.0317, "%", "0.03 %"),
        (0.0, "%", "0.0 %"),
        (0.05, "%", "0.1 %"),
        (99.968, "%", "99.97 %"),
        (100.0, "%", "100.0 %"),
        (1e-15, "%", "0.0 %"),
        (-0.02, "points", "-0.02"),
        (0.00042, "score", "0.0004"),
        (0.04, "rho", "0.04"),
    ],
)
def test_small_figures_are_not_shown_as_nothing(value: float, unit: str, shown: str) -> None:
    assert number(value, unit) == shown


def test_nor_are_the_bounds_of_an_interval() -> None:
    assert interval(Estimate("s", "t", "c", "m", 0.03, 0.002, 0.18)) == "0.002 to 0.2"
    assert interval(Estimate("s", "t", "c", "m", 99.9, 99.1, 99.96)) == "99.1 to 99.96"


def test_a_published_figure_has_the_papers_digits_and_sign() -> None:
    assert printed(beside(0.03, "0.03")) == "0.03 %"
    assert printed(replace(beside(1.33, "1.33"), unit="points")) == "+1.33"
    assert printed(replace(beside(-0.4, "-0.4"), unit="points")) == "-0.4"
    assert printed(beside(8.0)) == "8.0 %"  # as runs of 0.1.0 have it


def approximate(tmp_path: Path) -> Evaluation:
    return evaluate(named("neg-roberta-large"), "gh22", limit=4, ranks=(0, 50), out=tmp_path)


def test_approximate_figures_are_shown_as_such_everywhere(tmp_path: Path) -> None:
    run = approximate(tmp_path)
    assert "≈ 8 %" in html([run]) and "≈ 52 %" in html([run])
    assert "≈ 8 %" in markdown([run]) and r"$\approx$ 8 &" in latex([run])
    [row] = [row for row in tables_of(run.findings[0])[0].rows if row[0] == "negated"]
    assert "≈ 8 %" in row
    [one] = [c for c in comparisons(labelled([run])) if c.estimate.condition == "negated"]
    assert one.shown[2:] == ("≈ 8 %", "≈ +92.0")


def test_a_bound_has_neither_a_difference_nor_a_place_on_the_axis(tmp_path: Path) -> None:
    run = approximate(tmp_path)
    finding = run.findings[0]
    bounds = tuple(
        replace(e, published_as="< 8") if e.published == 8 else e for e in finding.estimates
    )
    changed = replace(run, findings=(replace(finding, estimates=bounds),))
    [one] = [c for c in comparisons(labelled([changed])) if c.estimate.condition == "negated"]
    assert one.shown[2:] == ("< 8 %", "–") and one.where == NOT_KEPT
    datum = Point("m", "r", one.estimate).datum()
    assert datum["printed"] == "< 8 %" and "published" not in datum
    assert "bound: ours does not keep it" in html([changed])


def tags(run: Evaluation) -> list[str]:
    return [one.tag for one in run.findings[0].differences]


def test_what_differs_from_the_paper_stands_below_the_table(tmp_path: Path) -> None:
    run = evaluate(named("roberta-base"), "scnt", limit=5, out=tmp_path)
    found = {c.estimate.condition: c for c in comparisons(labelled([run]))}
    assert found["CnTp"].shown == ("0.0 %", "0.0 to 43.4", "66.9 %", "-66.9")
    assert found["CnTp"].where == "above" and found["CnTn"].where == "inside"
    assert [r.tag for r in found["CnTp"].reasons] == ["sample", "words", "checkpoint", "paper"]
    assert found["CnTn"].reasons == () and found["CnTn"].differences
    note = "A sample of 5 of 18,200 pairs"
    drops, adjusted = tables_of(run.findings[0])[:2]
    assert note in drops.notes[0] and adjusted.notes == ()
    for text in (html([run]), markdown([run]), latex([run])):
        assert note in text and "other 50 and the verbs" in text
    assert "▲ above" in html([run]) and "section 3.5" in html([run])


def test_a_sample_is_one_only_if_something_was_left_out(tmp_path: Path) -> None:
    words = tmp_path / "small.toml"
    words.write_text(
        '[names]\nfemale = ["Mary"]\nmale = ["John"]\n[professions]\nany = ["a cook", "a clerk"]\n'
    )

    def sampled(limit: int | str, lexicon: str | None = str(words)) -> bool:
        model = named("roberta-base")
        run = evaluate(model, "scnt", limit=limit, lexicon=lexicon, out=tmp_path / "runs")
        there = read_fit(run.manifest, SUITES.get("scnt")).about["available"]
        assert there == (18200 if lexicon is None else 4)
        return "sample" in tags(run)

    assert sampled(3) and sampled(2, None)
    assert not sampled(4) and not sampled(5) and not sampled("all")


def test_options_are_said_where_they_are_not_the_papers(tmp_path: Path) -> None:
    def said(**options: Any) -> list[str]:
        options = {"limit": 2, "out": tmp_path, **options}
        return tags(evaluate(named("roberta-base"), "scnt", **options))

    plain = ["sample", "words", "checkpoint"]
    assert said() == said(predicate="happy") == said(cap=20) == plain
    assert said(predicate="likes") == ["sample", "words", "predicate", "checkpoint"]
    assert said(cap=3) == ["sample", "words", "cap", "checkpoint"]


def test_the_one_piece_rule_is_said_where_it_changes_the_verbs(tmp_path: Path) -> None:
    run = evaluate(named("roberta-base"), "scnt", limit=2, out=tmp_path)
    assert "pieces" not in tags(run)
    manifest = read_manifest(run.folder)
    fit = json.loads(manifest.kept("scnt-fit.json"))
    assert fit["about"]["bare"] == len(LANGUAGES.get("en").lexicon.verbs)
    manifest.keep("scnt-fit.json", {**fit, "about": {**fit["about"], "bare": 7}})
    [pieces] = [d for d in judge(run.folder).findings[0].differences if d.tag == "pieces"]
    assert "verbs are one token in their place" in pieces.text


def test_scin_differs_in_the_form_that_must_be_one_piece(tmp_path: Path) -> None:
    run = evaluate(named("dbmdz/bert-base-italian-cased"), "scin", limit=2, out=tmp_path)
    assert tags(run) == ["pieces", "sample", "words", "checkpoint"]
    assert "infinitive" in run.findings[0].published_notes["drops"][0]


def test_gh22_has_differences_of_its_own(tmp_path: Path) -> None:
    run = evaluate(named("bert-large-cased"), "gh22", limit=4, out=tmp_path, style="released")
    assert tags(run) == ["sample", "words", "rule", "ranks", "wording", "checkpoint"]
    again = judge(run.manifest, repetition="prefix")
    assert tags(again) == ["sample", "words", "ranks", "wording", "checkpoint"]
    one_rank = evaluate(named("bert-large-cased"), "gh22", limit=4, ranks=(0,), out=tmp_path)
    [asked] = [d for d in one_rank.findings[0].differences if d.tag == "ranks asked"]
    assert asked.is_about(Estimate("gh22", "polarity", "negated", "repetition", 1.0))
    assert not asked.is_about(Estimate("gh22", "rank", "negated rank 0", "repetition", 1.0))


def test_a_known_revision_and_full_precision_are_no_differences(tmp_path: Path) -> None:
    run = evaluate(named("roberta-base"), "scnt", limit=2, out=tmp_path)
    plain = dict(run.manifest.model)

    def said(**facts: Any) -> list[str]:
        run.manifest.model = {**plain, **facts}
        return [tag for tag in tags(judge(run.manifest)) if tag not in ("sample", "words")]

    assert said(revision="722cf37b") == []
    assert said(revision=None, hub="roberta-base") == ["checkpoint"]
    assert said(revision="722cf37b", in_memory=True) == ["checkpoint"]
    assert said(revision="722cf37b", precision="bf16") == ["precision"]
    assert said(revision="722cf37b", weights={"m.Q4.gguf": "0"}) == ["weights"]
    assert said(revision="722cf37b", quantised="bitsandbytes") == ["weights"]


def test_other_items_are_not_compared(tmp_path: Path) -> None:
    run = evaluate(named("all-MiniLM-L6-v2"), "semantoneg", items="antoneg", limit=20, out=tmp_path)
    finding: Finding = run.findings[0]
    assert finding.published_notes == {
        "accuracy": (
            "No published figure beside all: The paper's figures are about SemAntoNeg, as "
            "released.",
        )
    }
    assert comparisons(labelled([run])) == []
    assert "Comparison with the papers" not in html([run])
