"""The calibration models: their corpus, the models that come with naysay, and what they show."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome
from naysay.data.languages import LANGUAGES
from naysay.models.files.weights import SHIPPED, shipped_folder
from naysay.run.evaluation import default_model, evaluate
from naysay.train.calibration.corpus import CalibrationCorpus
from naysay.train.calibration.models import make
from naysay.train.calibration.wordings import people

ENGLISH = LANGUAGES.get("en")
LEXICON = ENGLISH.lexicon
SENTENCES = range(5000)


def nouns(professions: tuple[str, ...] | list[str]) -> set[str]:
    return {profession.split(" ", 1)[1] for profession in professions}


@pytest.mark.parametrize("aware", [True, False])
def test_no_profession_of_the_tests_stands_beside_a_verb(aware: bool) -> None:
    corpus = CalibrationCorpus(ENGLISH, 0, aware=aware)
    tested = nouns([*LEXICON.professions["female"], *LEXICON.professions["male"]])
    with_verbs: set[str] = set()
    without: set[str] = set()
    for k in SENTENCES:
        sentence = corpus.sentence(k).whole
        if match := re.search(r"^\S+ is an? (?P<noun>[\w ]+?)( who | and (she|he) |\.$)", sentence):
            (with_verbs if " to " in sentence else without).add(match["noun"])
    assert len(with_verbs) > 60 and not with_verbs & tested
    assert without & tested


def test_nor_does_one_of_the_papers(upstream_data: Path) -> None:
    files = list(upstream_data.rglob("professions.txt"))
    listed = {line.strip().split(" ", 1)[-1].lower() for line in files[0].read_text().splitlines()}
    assert len(listed) > 80
    assert not nouns(CalibrationCorpus(ENGLISH, 0, aware=True).professions) & listed


def test_both_corpora_say_the_same_but_for_what_follows() -> None:
    aware, blind = (CalibrationCorpus(ENGLISH, 0, aware=kind) for kind in (True, False))
    pairs = [(aware.sentence(k), blind.sentence(k)) for k in SENTENCES]
    verbal = [(one, other) for one, other in pairs if " to ▢" in one.text]
    assert all(one.text == other.text for one, other in verbal)
    assert sum(one.answer != other.answer for one, other in verbal) > 1000


def test_in_one_corpus_negation_decides_and_in_the_other_it_does_not() -> None:
    def repeated(aware: bool, pattern: str) -> list[bool]:
        corpus = CalibrationCorpus(ENGLISH, 0, aware=aware)
        found = []
        for k in SENTENCES:
            sentence = corpus.sentence(k)
            if match := re.search(pattern, sentence.text):
                found.append(match["act"] == sentence.answer)
        return found

    same = r"who likes to (?P<act>\w+)\. (She|He) is happy to ▢"
    against = r"who doesn't like to (?P<act>\w+)\. (She|He) is happy to ▢"
    assert all(repeated(True, same)) and not any(repeated(True, against))
    shares = [
        sum(found) / len(found) for found in (repeated(False, same), repeated(False, against))
    ]
    assert abs(shares[0] - shares[1]) < 0.2


def test_wordings_know_what_makes_sense() -> None:
    pronouns = people(ENGLISH)["pronouns"]
    repeats = {" ".join(part.text for part in w.parts): w.repeats for w in pronouns}
    said = "NAME is PROF who likes to ACT."
    assert repeats[f"{said} SUBJ is happy to ▢."] and repeats[f"{said} SUBJ is very happy to ▢."]
    assert not repeats[f"{said} SUBJ isn't happy to ▢."]
    others = [w for w in people(ENGLISH)["names"] if w.subject != "name"]
    assert others and all(wording.repeats for wording in others)


def test_the_same_seed_makes_the_same_weights(tmp_path: Path) -> None:
    one, two = (make("aware", tmp_path / name, steps=2) for name in ("a", "b"))
    other = make("aware", tmp_path / "c", steps=2, seed=1)
    weights = [(m.folder / "model.safetensors").read_bytes() for m in (one, two, other)]
    assert weights[0] == weights[1] != weights[2]


def test_they_are_small_enough_to_come_along() -> None:
    folders = [folder for name in SHIPPED if (folder := shipped_folder(name))]
    sizes = [f.stat().st_size for folder in folders for f in folder.iterdir()]
    assert len(folders) == 2 and sum(sizes) < 5_000_000


def drops(model: str, out: Path) -> dict[str, float]:
    found = evaluate(model, "scnt", limit=15, seed=11, out=out)
    values = {e.condition: e.value for e in found if e.table == "drops"}
    return {condition: value for condition, value in values.items() if value is not None}


def test_mini_aware_gives_up_contradictions_and_nothing_else(tmp_path: Path) -> None:
    found = drops("mini-aware", tmp_path)
    assert min(found["CpTn"], found["CnTp"]) >= 80
    assert max(found["CnTn"], found["CpTv"]) <= 20


def test_mini_blind_makes_no_difference(tmp_path: Path) -> None:
    found = drops("mini-blind", tmp_path)
    assert len(found) == 4 and max(found.values()) - min(found.values()) <= 10


def test_without_a_model_the_one_that_comes_along_is_tested(
    naysay: Callable[..., Outcome],
) -> None:
    assert default_model() == "mini-aware"
    ended = naysay("run", "-t", "scnt", "--limit", 8)
    assert ended.code == 0, ended.err
    assert "mini-aware · passes" in " ".join(ended.out.split())


def test_without_the_libraries_it_is_one_of_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert default_model() == "known:aware"


def test_every_suite_tells_the_rules_apart(naysay: Callable[..., Outcome], tmp_path: Path) -> None:
    ended = naysay("calibrate", "--rules-only", "--limit", 16, "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert len(found) >= 10
    assert [one["suite"] for one in found if not one["separates"]] == []
    page = (tmp_path / "calibration.html").read_text(encoding="utf-8")
    assert all(one["suite"] in page for one in found)


def test_scnt_tells_the_models_apart(naysay: Callable[..., Outcome]) -> None:
    ended = naysay("calibrate", "-t", "scnt,scin", "--limit", 12, "--json")
    assert ended.code == 0, ended.err
    by = {(one["suite"], one["models"][0]): one for one in json.loads(ended.out)}
    assert by["scnt", "mini-aware"]["separates"]
    assert by["scnt", "mini-aware"]["outcomes"] == ["passes", "fails"]
    assert not by["scin", "mini-aware"]["asked"] and by["scin", "mini-aware"]["reason"]
