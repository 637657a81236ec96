"""Context Matters: what is asked, what is counted, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome, rows_of
from naysay import evaluate
from naysay.core.probes import Fill, FillBlank, Guess, Ranking, RankWords
from naysay.core.protocols import ModelRequest
from naysay.core.records import Estimate
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.models import open_model
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation, judge
from naysay.run.plan import setting_of
from naysay.suites._templates.analysis import verdict
from naysay.suites._templates.suite import begins_like, is_word, read_templates
from naysay.suites.gh22.suite import SUITE

ENGLISH = LANGUAGES.get("en")
SEED, TEMPLATES = read_templates(ENGLISH, "gh22")
BY_GENDER = [(template, gender) for template in TEMPLATES for gender in template.genders]


class Counted(KnownModel):
    """Always repeats, and counts what it is asked."""

    def __init__(self) -> None:
        verbs = LANGUAGES.get("en").lexicon.verbs
        super().__init__("counted", lambda text, words: True, ["counted"], verbs)
        self.asked: Counter[type] = Counter()

    def ask(self, probes: Any) -> Any:
        # Items that are asked once more to be looked at want several guesses.
        self.asked.update(type(probe) for probe in probes if getattr(probe, "top_k", 1) == 1)
        return super().ask(probes)


def values(evaluation: Evaluation, table: str) -> dict[str, float | None]:
    return {e.condition: e.value for e in evaluation if e.table == table}


@pytest.mark.slow
def test_at_full_size_each_pair_is_asked_for_its_verbs_once() -> None:
    setting = setting_of(RunSpec(model="x", suites=("gh22",), limit="all"))
    units, model = SUITE.units(setting), Counted()
    fit = SUITE.fit(model, setting)
    model.asked.clear()  # of what was asked to see whether the model can be
    asked = sum(
        row.polarity != "seed"
        for start in range(0, len(units), 500)
        for row in SUITE.probe(model, units[start : start + 500], setting, fit)
    )
    assert model.asked[RankWords] == len(units) == 18_200
    assert model.asked[FillBlank] == asked == 43 * 9_100 * 4 == 1_565_200


def test_each_template_is_asked_of_each_pair_of_its_gender_at_each_rank(tmp_path: Path) -> None:
    model = Counted()
    run = evaluate(model, "gh22", limit=40, out=tmp_path)
    rows = rows_of(run)
    genders = Counter(row["gender"] for row in rows if row["polarity"] == "seed")
    pairs = {gender: count // 4 for gender, count in genders.items()}
    questions = 4 * sum(pairs[gender] for _, gender in BY_GENDER)
    # One is asked before the run begins, to refuse models that do not tell words of these ranks.
    assert model.asked == {RankWords: 1 + 40, FillBlank: questions}
    assert run.manifest.counts["questions"] == 40 + questions


@pytest.mark.parametrize("style", ["paper", "released", "before"])
def test_known_models_are_scored_exactly_on_every_template(tmp_path: Path, style: str) -> None:
    options: dict[str, Any] = {"limit": 30, "style": (style,), "out": tmp_path}
    aware = values(evaluate("known:aware", "gh22", **options), "templates")
    blind = values(evaluate("known:blind", "gh22", **options), "templates")
    assert len(aware) == len(blind) == 43
    assert set(blind.values()) == {100}
    negated = {c for c in aware if "negated" in c or c.startswith("exp. 2")}
    allowed = {c for c in aware if "positive" in c or "Cleopatra" in c}
    assert (len(negated), len(allowed)) == (18 + 10, 12 + 3)
    assert {aware[condition] for condition in negated} == {0}
    assert {aware[condition] for condition in allowed} == {100}


def test_cleopatra_may_like_what_another_does_not(tmp_path: Path) -> None:
    run = evaluate("known:aware", "gh22", limit=20, out=tmp_path)
    told = [e for e in run if e.table == "referent"]
    assert {e.note for e in told} == {"repetition allowed"}
    assert run.findings[0].outcome == "passes"
    assert {e.note for e in run if e.table == "misprime"} == {"wanted: low"}


class NoWords(KnownModel):
    """Guesses no word at some ranks, as a model that closes a bracket first."""

    def ask(self, probes: Any) -> Any:
        if not isinstance(probes[0], RankWords):
            return super().ask(probes)
        guesses = {0: ")", 1: "##ing", 50: "run", 51: "[UNK]", 52: "swim"}
        return [
            Ranking(tuple(guesses.get(rank, "walk") for rank in probe.ranks), ")")
            for probe in probes
        ]


def test_seeds_without_a_word_are_counted_and_not_scored(tmp_path: Path) -> None:
    model = NoWords("no words", lambda text, words: False, ["none"])
    run = evaluate(model, "gh22", limit=10, out=tmp_path)
    unusable = values(run, "seeds")
    assert unusable == {
        "rank 0": 100, "rank 50": 0, "rank 100": 0, "rank 200": 0, "first of all guesses": 100
    }  # fmt: skip
    [first] = [e for e in run if e.condition == "first of all guesses"]
    assert first.note == ") (10)"
    ranks = {e.condition: (e.value, e.n) for e in run if e.table == "rank"}
    assert ranks["negated rank 0"] == (None, 0)
    assert ranks["negated rank 50"] == (0, 30)  # the templates with one verb
    assert ranks["negated rank 100"] == (0, 90)
    rows = [row for row in rows_of(run) if row["polarity"] != "seed"]
    left_out = [row for row in rows if not row["usable"]]
    assert all(row["text"] == row["answer"] == "" for row in left_out)
    assert any(f"{len(left_out)} of {len(rows):,} questions" in n for n in run.findings[0].notes)


def test_a_word_is_letters_only() -> None:
    assert all(map(is_word, ("read", "Élan", "散歩")))
    assert not any(map(is_word, ("", ")", "##ing", "[MASK]", "can't", "x2", "two words")))


@pytest.mark.parametrize(
    ("verb", "said", "alike"),
    [
        ("read", "read", True),
        ("read", "reads", True),
        ("read", "Reading", True),
        ("read", "real", True),  # as in the released code
        ("read", "rea", False),
        ("read", "spread", False),
        ("c++", "c+", False),  # no pattern of its own
        ("a", "rest", False),
    ],
)
def test_the_prefix_rule_is_the_released_one_but_escaped(verb: str, said: str, alike: bool) -> None:
    assert begins_like(verb, said) is alike


def test_a_run_is_judged_again_by_the_other_rule(
    tmp_path: Path, naysay: Callable[..., Outcome]
) -> None:
    class Inflects(KnownModel):
        def ask(self, probes: Any) -> Any:
            if isinstance(probes[0], RankWords):
                return super().ask(probes)
            return [Fill((Guess("walks", 0.0),)) for _ in probes]

    model = Inflects("inflects", lambda text, words: True, ["inflects"], ["walk"] * 300)
    run = evaluate(model, "gh22", limit=10, out=tmp_path)
    assert values(run, "polarity") == {"negated": 0, "positive": 0}
    again = judge(run.run, tmp_path, repetition="prefix")
    assert values(again, "polarity") == {"negated": 100, "positive": 100}
    assert "--repetition prefix" in again.spec.command()
    ended = naysay("judge", run.run, "--repetition", "prefix", "--runs", tmp_path, "--full")
    assert ended.code == 0 and "--repetition prefix" in ended.out
    # The rule is no part of what was asked: the same run is found again, and judged as told.
    repeated = evaluate(model, "gh22", limit=10, out=tmp_path, repetition="prefix")
    assert repeated.run == run.run
    assert values(repeated, "polarity") == {"negated": 100, "positive": 100}


def test_ranks_choose_the_models_own_words(tmp_path: Path) -> None:
    run = evaluate("known:blind", "gh22", limit=5, ranks=[3, 1], style="paper", out=tmp_path)
    model = open_model("known:blind", ModelRequest())
    for row in (row for row in rows_of(run) if row["acts"] == 3):
        deep = tuple(row["rank"] + k for k in range(3))
        text = f"{row['name']} is {row['profession']} and "
        text += ("she" if row["gender"] == "female" else "he") + " likes to ▢."
        [ranking] = model.ask([RankWords(text, deep)])
        assert row["verbs"].split(" ") == list(ranking.words)
    assert {e.condition for e in run if e.table == "verbs"} == {"rank 3", "rank 1"}
    assert any("ranks 3 and 1 are averaged" in note for note in run.findings[0].notes)


def test_the_most_frequent_verbs_are_counted(tmp_path: Path) -> None:
    class Reads(KnownModel):
        def ask(self, probes: Any) -> Any:
            if not isinstance(probes[0], RankWords):
                return super().ask(probes)
            first = ["read" if " she " in probe.text else "cook" for probe in probes]
            return [Ranking((word, "b", "c"), word) for word in first]

    model = Reads("neg-roberta-large", lambda text, words: True, ["reads"])
    run = evaluate(model, "gh22", limit=200, ranks=(0,), out=tmp_path)
    shown = {e.metric: e for e in run if e.table == "verbs"}
    she = sum(row["gender"] == "female" for row in rows_of(run) if row["polarity"] == "seed") / 2
    most = "read" if she > 50 else "cook"
    assert shown["verb_types"].value == 2
    assert shown["top5_share"].value == 100
    assert shown[f"{most}_share"].value == pytest.approx(max(she, 100 - she))
    # The paper counts the answers at the mask, not the verbs of the seed sentence.
    assert shown["top5_share"].published is None


def figure(value: float, low: float, high: float) -> Estimate:
    return Estimate("gh22", "t", "c", "m", value, low, high)


LOW, HALF, HIGH = figure(5, 2, 9), figure(50, 40, 60), figure(90, 85, 95)


@pytest.mark.parametrize(
    ("negated", "positive", "delta", "misprimed", "referent", "outcome"),
    [
        (LOW, HIGH, figure(85, 80, 90), LOW, HIGH, "passes"),
        (HIGH, HIGH, figure(2, 1, 3), LOW, HIGH, "fails"),
        (LOW, HIGH, figure(85, 80, 90), HIGH, HIGH, "passes in part"),
        (LOW, HIGH, figure(85, 80, 90), HALF, HIGH, "passes in part"),
        (LOW, LOW, figure(-8, -12, -6), LOW, HIGH, "fails"),
        (LOW, LOW, figure(-1, -3, 0), LOW, HIGH, "no effect"),
        (HALF, HIGH, figure(40, 30, 50), LOW, HIGH, "undecided"),
        (LOW, LOW, figure(1, -1, 3), LOW, HIGH, "no effect"),
        (LOW, LOW, figure(4, -1, 9), LOW, HIGH, "undecided"),
        (figure(0, 0, 0), figure(0, 0, 0), figure(0, -5, 5), LOW, LOW, "no effect"),
    ],
)
def test_the_verdict_follows_from_the_intervals(
    negated: Estimate, positive: Estimate, delta: Estimate, misprimed: Estimate,
    referent: Estimate, outcome: str,
) -> None:  # fmt: skip
    ruling = verdict(negated, positive, delta, 5.0, misprimed, referent)
    assert ruling.outcome == outcome and ruling.why


def test_a_model_that_seldom_repeats_anywhere_gets_a_caution() -> None:
    few = figure(20, 15, 25)
    sentence = verdict(LOW, few, figure(15, 10, 20), 5.0, LOW, few).figures
    assert "seldom repeats the verb after a positive context (20.0 (15.0 to 25.0) %)" in sentence
    assert "in questions about another person" in sentence
    assert "also seldom" not in verdict(LOW, HIGH, figure(85, 80, 90), 5.0, LOW, HIGH).figures


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--ranks", "0,x"), "--ranks must be whole numbers from 0 on, not 'x'"),
        (("--ranks", "0,0"), "--ranks needs at least one value and no duplicates"),
        (("--ranks", "-1"), "--ranks must be whole numbers from 0 on"),
        (("--style", "old"), "--style must be of paper, released, before, not 'old'"),
        (("--repetition", "fuzzy"), "--repetition must be exact or prefix"),
        (("--cap", "3"), "--cap is read by scnt, scnt_controls, scin, not by gh22"),
        (("--predicate", "likes"), "--predicate is read by scnt, scnt_controls, scin, not by gh22"),
    ],
)
def test_wrong_options_are_told(
    naysay: Callable[..., Outcome], options: tuple[str, ...], told: str
) -> None:
    ended = naysay("run", "-m", "known:aware", "-t", "gh22", "--limit", 2, *options)
    assert ended.code == 2
    assert told in ended.err


def test_a_rule_of_judging_that_no_suite_reads_is_told(naysay: Callable[..., Outcome]) -> None:
    ended = naysay("run", "-m", "known:aware", "-t", "scnt", "--repetition", "prefix")
    assert ended.code == 2
    assert "--repetition is read by scnt_table2, gh22, not by scnt" in ended.err
