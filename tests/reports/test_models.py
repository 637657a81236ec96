"""The models of a page: one row for each, real ones before controls, each with its worst answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from naysay import evaluate
from naysay.core.probes import Answer, Fill, Guess, Probe
from naysay.core.records import FAILS, PASSES
from naysay.data.languages import LANGUAGES
from naysay.models.known import KnownModel
from naysay.reports.examples import examples_of
from naysay.reports.headline import headline_of
from naysay.reports.html import html, sections_of
from naysay.reports.models import ReportedModels, reported_models
from naysay.reports.overview import scoreboard
from naysay.reports.sections import Details, Scoreboard, Section, charts_in
from naysay.run.evaluation import Evaluation


class RealModel(KnownModel):
    """A model that repeats whatever is negated, and is not called a control."""

    kind = "masked"

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """As the rule says, with a probability that falls with the length of the text."""
        return [self._less_sure(a, p) for a, p in zip(super().ask(probes), probes, strict=True)]

    def _less_sure(self, answer: Any, probe: Any) -> Any:
        if not isinstance(answer, Fill):
            return answer
        less = len(str(getattr(probe, "text", ""))) / 100
        top = tuple(Guess(guess.word, guess.logprob - less) for guess in answer.top)
        return Fill(top, answer.scores, answer.tie)


def real(name: str = "some/model", weights: str = "") -> KnownModel:
    verbs = LANGUAGES.get("en").lexicon.verbs
    return RealModel(name, lambda text, words: True, ("page", name, weights), verbs)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Evaluation]:
    def make(
        model: Any, suites: str | list[str] = "scnt", limit: int = 3, **options: Any
    ) -> Evaluation:
        return evaluate(model, suites, limit=limit, out=tmp_path / "runs", **options)

    return make


Run = Callable[..., Evaluation]


def finished(evaluation: Evaluation, when: str) -> Evaluation:
    manifest = replace(evaluation.manifest, finished=f"2026-01-{when}T00:00:00+00:00")
    return replace(evaluation, manifest=manifest)


def test_runs_of_one_model_share_a_row(run: Run) -> None:
    reported = reported_models([run(real(), "scnt"), run(real(), "gh22"), run("known:blind")])
    assert reported.names == ["model", "known:blind"]
    assert set(reported.models[0].findings) == {"scnt", "gh22"}
    assert reported.older == () and reported.controls == {"known:blind"}


def test_of_each_suite_the_newest_run_is_shown_and_others_are_counted(run: Run) -> None:
    old = finished(run(real(), ["scnt", "gh22"], 2), "01")
    new = finished(run(real(), "scnt", 4), "02")
    for given in ([old, new], [new, old, old]):
        reported = reported_models(given)
        [model] = reported.models
        assert model.findings["scnt"][0].run == new.run
        assert model.findings["gh22"][0].run == old.run
        [older] = reported.older
        assert (older.evaluation.run, older.suites) == (old.run, ("scnt",))
    text = html([old, new])
    assert "1 older run of the same tests" in text and old.run in text
    making = next(s for s in sections_of([old, new]) if s.title == "How it was made")
    assert isinstance(making.parts[-1], Details) and "1 older run" in making.parts[-1].summary


def test_a_row_of_its_own_only_where_a_suite_is_there_twice(run: Run) -> None:
    """The usual run keeps the model's name alone."""

    def names(*runs: Evaluation) -> list[str]:
        return reported_models(runs).names

    usual, few = run(real(), "gh22"), run(real(), "gh22", ranks=(0,))
    assert names(usual, few) == ["model", "model (ranks 0)"]
    assert names(run(real(), "scnt"), few) == ["model"]
    french = run("known:blind", language="fr")
    assert names(run("known:blind"), french) == ["known:blind", "known:blind (language fr)"]


def test_other_weights_are_another_model(run: Run) -> None:
    one, other = run(real(weights="1")), run(real(weights="2"))
    names = reported_models([one, other]).names
    assert names == [f"model (run {r.run[:8]})" for r in (one, other)]


def test_the_calibration_models_are_controls(run: Run, tiny_bert: Path) -> None:
    mini = run(real("mini-blind"))
    assert reported_models([mini]).controls == {"mini-blind"}
    assert reported_models([run(str(tiny_bert))]).controls == frozenset()


def board(reported: ReportedModels) -> Scoreboard:
    return scoreboard(reported.models, ["scnt"])


def test_controls_are_apart_and_named_as_such(run: Run) -> None:
    both = [run("known:aware"), run(real())]
    found = board(reported_models(both))
    assert [row.model for row in found.rows] == ["model"]
    assert [row.model for row in found.controls] == ["known:aware"]
    assert found.about_controls == "controls: models whose answers are known"
    assert "Controls: models whose answers are known" in html(both)
    alone = board(reported_models(both[:1]))
    assert [row.model for row in alone.rows] == ["known:aware"] and alone.controls == ()


def test_the_worst_answer_is_the_surest_to_a_contradiction(run: Run) -> None:
    evaluation = run(real(), ["scnt", "gh22"], 8)
    [model] = reported_models([evaluation]).models
    assert {f.outcome for _, f in model.findings.values()} == {FAILS}
    found = headline_of(model)
    assert found is not None and found[0] == "scnt"
    side = found[1]
    assert side.contradicts and side.good is False and side.label in ("CpTn", "CnTp")
    wrong = [s for e in model.examples["scnt"].examples for s in e.sides if s.contradicts]
    assert side.score == max(s.score for s in wrong) > min(s.score for s in wrong)
    text = re.sub(r"</?b[^>]*>", "", html([evaluation]))
    assert side.text.replace("▢", side.answer).replace("'", "&#39;") in text


def test_without_wrong_answers_a_right_one_is_shown(run: Run) -> None:
    [model] = reported_models([run("known:aware", limit=40)]).models
    assert {f.outcome for _, f in model.findings.values()} == {PASSES}
    found = headline_of(model)
    assert found is not None and found[1].good and found[1].forbids


def test_examples_begin_with_wrong_answers_of_real_models(run: Run) -> None:
    reported = reported_models([run("known:blind"), run(real())])
    kept = {model.name: model.examples["scnt"] for model in reversed(reported.models)}
    found = examples_of(kept, reported.controls)
    assert found is not None
    models = [example.model for example in found.examples]
    assert models == sorted(models, key=lambda name: name != "model")
    assert found.examples[0].contradicts


def test_languages_have_charts_of_their_own(run: Run) -> None:
    runs = [run("known:blind"), run("known:blind", language="fr")]
    titles = [chart.title for chart in charts_in(sections_of(runs))]
    assert [title.rpartition(": ")[2] for title in titles] == ["English"] * 2 + ["French"] * 2
    charts = charts_in(sections_of(runs))
    assert all(len(chart.models) == 1 for chart in charts)
    assert len({chart.name for chart in charts}) == 4


def test_conditions_are_explained_beside_their_labels_and_on_hover(run: Run) -> None:
    runs = [run(real())]
    text = html(runs)
    assert '<abbr title="likes … isn&#39;t happy">CpTn</abbr>' in text
    assert '<span class="meaning">likes … isn&#39;t happy</span>' in text
    rows = {d["row"] for d in charts_in(sections_of(runs))[0].spec["data"]["values"]}
    assert any(row.startswith("CpTn\nlikes … isn't happy") for row in rows)


def test_the_glance_comes_first(run: Run) -> None:
    first = sections_of([run(real())])[0]
    assert isinstance(first, Section) and first.anchor == "glance" and not first.headed


def test_the_cards_say_what_is_counted_and_of_which_items(tmp_path: Path) -> None:
    page = html([evaluate("known:blind", ["scnt", "semantoneg"], limit=4, out=tmp_path)])
    cards = re.findall(r'<p class="counted">(.+?)</p>', page)
    assert "How often it stops repeating the verb:" in cards
    sets = "antoneg, naysay", "semantoneg, as released"  # whichever is on this machine
    assert any(f"items: {items}" in text for text in cards for items in sets)
