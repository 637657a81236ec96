"""The Italian test: which verbs it asks, and what its ratio is a share of."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import rows_of
from naysay import evaluate
from naysay.core.errors import NoUsableWordError
from naysay.core.probes import Fill, FillBlank, Guess, Pieces
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.data.upstream import upstream_lines
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation
from naysay.run.plan import lexicon_of, setting_of
from naysay.run.store import table_of
from naysay.suites import published
from naysay.suites.identity import ModelIdentity
from naysay.suites.scin.lists import DICTIONARY, RELEASED, models_of
from naysay.suites.scin.suite import SUITE
from naysay.suites.scnt.selection import Walk
from naysay.suites.scnt.suite import TripletRow

ITALIAN = LANGUAGES.get("it")
needs_verbecc = pytest.mark.skipif(
    importlib.util.find_spec("verbecc") is None, reason="verbecc's tables are not installed"
)
SETTING = setting_of(RunSpec(model="m", suites=("scin",), limit=6))
ALBERTO = "m-polignano-uniba/bert_uncased_L-12_H-768_A-12_italian_alb3rt0"


def figure(run: Evaluation, metric: str) -> Any:
    [found] = [e for e in run if e.table == "selection" and e.metric == metric]
    return found


@needs_verbecc
@pytest.mark.parametrize(
    ("model", "name", "verbs", "without_form"),
    [
        ("dbmdz/bert-base-italian-cased", "base", 294, 0),
        ("masked:dbmdz/bert-base-italian-xxl-cased", "base", 294, 0),
        ("google-bert/bert-base-multilingual-cased", "multilg", 39, 0),
        (ALBERTO, "alberto", 940, 1),
        ("Musixmatch/umberto-commoncrawl-cased-v1", "umberto", 14, 2),
        ("someone/another-italian-bert", DICTIONARY, 3114, 183),
    ],
)
def test_the_verbs_are_the_papers_for_the_tested_model(
    upstream_data: Path, model: str, name: str, verbs: int, without_form: int
) -> None:
    lexicon = lexicon_of(ITALIAN, "scin", upstream_data, None, model)
    assert (lexicon.verb_list, len(lexicon.verbs)) == (name, verbs)
    assert sum(lexicon.form(verb) is None for verb in lexicon.verbs) == without_form
    assert lexicon_of(ITALIAN, "scin", upstream_data, "base", model).verb_list == "base"


def test_every_model_of_the_paper_has_a_list_and_the_printed_count() -> None:
    counts = published.printed("scin", "selection", "CpTp", "verbs")
    assert {model for models in RELEASED.values() for model in models} == set(counts)
    assert ALBERTO in models_of("alberto")


@needs_verbecc
def test_the_finding_says_which_list_it_was(upstream_data: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"limit": 4, "lexicon": "scin", "data_dir": upstream_data}
    model = KnownModel("dbmdz/bert-base-italian-cased", lambda text, words: True, ["x"])
    [paper] = evaluate(model, "scin", out=tmp_path, **options).findings
    assert paper.notes[0] == (
        "Verbs: the paper's list base, for b-b-it-c and b-b-it-xxl: 294 verbs."
    )
    assert not [d for d in paper.differences if d.tag in ("words", "pieces")]
    [other] = evaluate("known:aware", "scin", out=tmp_path, **options).findings
    assert "source list of 3,114 different intransitive verbs" in other.notes[0]
    [chosen] = evaluate(model, "scin", out=tmp_path, verbs="umberto", **options).findings
    [words] = [d.text for d in chosen.differences if d.tag == "words"]
    assert "the list umberto, not the paper's for this model" in words


class InPieces(KnownModel):
    """A model for which the words that begin with these letters are two pieces."""

    def __init__(self, *beginnings: str) -> None:
        super().__init__("pieces", lambda text, words: True, ["pieces", *beginnings])
        self.beginnings = beginnings

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        return {
            word: Pieces((word[:1], word[1:]), f"2 pieces: {word[:1]} {word[1:]}")
            if word.startswith(self.beginnings)
            else Pieces((word,))
            for word in words
        }


FORMS: dict[str, str | None] = {
    "fumare": "fuma", "uscire": "esce", "andare": "va", "udire": "ode", "ire": None,
}  # fmt: skip


def listed(name: str) -> Any:
    lexicon = replace(SETTING.lexicon, verbs=tuple(FORMS), forms=FORMS, verb_list=name)
    options = {"scin": SUITE.options_type(lexicon="scin")}
    return replace(SETTING, lexicon=lexicon, spec=replace(SETTING.spec, options=options))


def test_for_other_models_the_infinitive_must_be_one_piece() -> None:
    fit = SUITE.fit(InPieces("u", "o"), listed(DICTIONARY))
    assert fit.used == ("fumare", "andare")
    assert fit.left_out == (
        ("ire", "its form is not known"),
        ("uscire", "infinitive in several pieces: 2 pieces: u scire"),
        ("udire", "infinitive in several pieces: 2 pieces: u dire"),
    )
    assert fit.about["never"] == 1 and fit.about["verbs"] == DICTIONARY
    with pytest.raises(NoUsableWordError, match="none of the 5 infinitives"):
        SUITE.fit(InPieces("f", "u", "a", "i"), listed(DICTIONARY))


def test_on_a_released_list_the_infinitive_is_the_papers_business() -> None:
    fit = SUITE.fit(InPieces("u", "o"), listed("base"))
    assert fit.used == ("fumare", "uscire", "andare")
    assert [verb for verb, _ in fit.left_out] == ["udire", "ire"]
    assert fit.about["never"] == 2


def test_the_ratio_is_of_all_verbs_not_only_of_each_pairs_first(tmp_path: Path) -> None:
    run = evaluate("known:random:0.4:2", "scin", limit=80, out=tmp_path)
    ratio = figure(run, "ratio")
    assert ratio.n == 80 * 8
    assert ratio.low < 40 < ratio.high and ratio.high - ratio.low < 12
    asked = [row for row in rows_of(run) if row["condition"] == "CpTp"]
    first = [row for row in asked if row["place"] < 8]
    assert len(first) == 80 * 8
    share = sum(row["answer"] == row["form"] for row in first) / len(first)
    assert ratio.value == pytest.approx(100 * share)
    assert figure(run, "selected").value == 80  # still one verb for each pair


def test_all_verbs_of_the_list_count_as_in_the_paper(tmp_path: Path) -> None:
    forms = "".join(f'{verb} = "{form}"\n' for verb, form in FORMS.items() if form)
    mine = tmp_path / "mine.toml"
    mine.write_text(f"[verbs.forms]\n{forms}", encoding="utf-8")
    run = evaluate(InPieces("o"), "scin", limit=5, exhaustive=True, lexicon=str(mine), out=tmp_path)
    assert figure(run, "verbs").value == 4
    assert figure(run, "tested").value == 4 * 5  # also ode, which can never be repeated
    assert figure(run, "repeating").value == 3 * 5
    assert figure(run, "ratio").value == pytest.approx(75)


OLD_FIT = Fit(SETTING.lexicon.verbs)  # as version 1 stored it: without a sample


def last(row: dict[str, Any], rows: list[dict[str, Any]]) -> int:
    """The place where the pair's walk ended: at its selected verb."""
    own = (r for r in rows if r["unit"] == row["unit"] and r["condition"] != "CpTp")
    return max(int(r["place"]) for r in own)


def test_runs_without_a_sample_are_measured_as_they_were(tmp_path: Path) -> None:
    run = evaluate("known:random:0.4:2", "scin", limit=40, out=tmp_path)
    rows = rows_of(run)
    stopped = [row for row in rows if row["condition"] != "CpTp" or row["place"] <= last(row, rows)]
    table = table_of((TripletRow(**row) for row in stopped), TripletRow)
    analysis = SUITE.analyse(SUITE.judge(table), run.spec, OLD_FIT)
    found = analysis.finding("scin", whole=False)
    firsts = [row for row in rows if row["condition"] == "CpTp" and row["place"] == 0]
    [ratio] = [e for e in found.estimates if e.metric == "ratio"]
    share = sum(row["answer"] == row["form"] for row in firsts) / len(firsts)
    assert ratio.value == pytest.approx(100 * share)


@given(st.text(alphabet="x.", min_size=12, max_size=12), st.integers(1, 4), st.integers(0, 8))
def test_a_sample_adds_rows_and_selects_the_same(hits: str, cap: int, sample: int) -> None:
    def walked(sample: int) -> Walk:
        walk = Walk(SETTING.units[0], [f"verb{k}" for k in range(12)], cap, 1, sample)
        while asked := walk.next_verbs(exhaustive=False):
            done = len(walk.steps)
            for k, verb in enumerate(asked, done):
                said = verb if hits[k] == "x" else "other"
                walk.take((FillBlank("t", (verb,)), Fill((Guess(said, 0.0),))), exhaustive=False)
        return walk

    plain, kept = walked(0), walked(sample)
    assert kept.selected == plain.selected
    assert len(kept.steps) == max(len(plain.steps), sample)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("dbmdz/bert-base-italian-cased", "molto spesso"),
        ("dbmdz/bert-base-italian-cased", "six models"),
        ("dbmdz/bert-base-italian-cased", "never less than 25 %"),
        ("dbmdz/bert-base-italian-cased", "roberta-large the best"),
        ("Musixmatch/umberto-commoncrawl-cased-v1", "lowest in all configurations"),
        ("dbmdz/bert-base-italian-cased", "not insensitive"),
    ],
)
def test_the_papers_contradictions_are_said(model: str, says: str) -> None:
    told = published.contradictions("scin", ["drops"], ModelIdentity.named(model))
    assert len([one for one in told if says in one]) == 1


def test_the_own_verbs_are_intransitive_in_the_papers_source(upstream_data: Path) -> None:
    folder = upstream_data / "it_neg_tests" / "Inputs"
    source = set(upstream_lines(folder / "3138_verbi_intransitivi_DISC2.txt"))
    assert len(source) == 3114
    assert set(ITALIAN.lexicon.verbs) <= source
    assert len(ITALIAN.lexicon.verbs) >= 300


def test_excluded_verbs_are_not_on_the_list(scripts: Any) -> None:
    excluded = scripts("derive_italian_verbs").excluded()
    assert len(excluded) == 92 and not excluded & set(ITALIAN.lexicon.verbs)
