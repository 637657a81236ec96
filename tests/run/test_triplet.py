"""One triplet put to several models, without a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Outcome
from naysay.core.errors import LexiconError, SpecError, UnknownNameError
from naysay.data.languages import LANGUAGES
from naysay.run.triplet import Triplet, ask_triplet, printed_word
from naysay.suites.identity import ModelIdentity

Naysay = Callable[..., Outcome]
ENGLISH = LANGUAGES.get("en").lexicon


class TestReading:
    """What may be written after --triplet."""

    def test_gender_and_article_come_from_the_lists(self) -> None:
        name = ENGLISH.names["male"][0]
        found = Triplet.read(f"{name}, architect ,smoke", ENGLISH)
        assert found == Triplet("male", name, "an architect", "smoke")

    def test_an_unlisted_name_needs_its_gender(self) -> None:
        with pytest.raises(LexiconError, match=r"no list of names.*female"):
            Triplet.read("Xyzzy,dancer,smoke", ENGLISH)
        assert Triplet.read("Xyzzy,dancer,smoke,female", ENGLISH).gender == "female"
        with pytest.raises(UnknownNameError, match="gender"):
            Triplet.read("Xyzzy,dancer,smoke,both", ENGLISH)

    def test_an_unlisted_profession_needs_its_article(self) -> None:
        with pytest.raises(LexiconError, match="article"):
            Triplet.read("Xyzzy,juggler,smoke,male", ENGLISH)
        assert Triplet.read("Xyzzy,a juggler,smoke,male", ENGLISH).profession == "a juggler"
        # "driver" alone is not "a bus driver"
        with pytest.raises(LexiconError, match="article"):
            Triplet.read("Xyzzy,driver,smoke,male", ENGLISH)

    def test_two_words_are_no_article(self) -> None:
        with pytest.raises(LexiconError, match="article"):
            Triplet.read("Xyzzy,yoga teacher,smoke,male", ENGLISH)

    def test_a_verb_whose_form_is_unknown_is_refused(self) -> None:
        with pytest.raises(LexiconError, match="form of 'xyzzare'"):
            Triplet.read("Xyzzy,ballerina,xyzzare,female", LANGUAGES.get("it").lexicon)

    @pytest.mark.parametrize("text", ["", "Jessica", "Jessica,dancer", "a,b,c,d,e", "a,,c"])
    def test_anything_else_is_refused(self, text: str) -> None:
        with pytest.raises(SpecError, match="Jessica,dancer,smoke"):
            Triplet.read(text, ENGLISH)


def test_models_are_asked_in_all_conditions() -> None:
    names = ["known:aware", "known:blind"]
    aware, blind = ask_triplet("Jessica,dancer,smoke,female", names, "scnt", {})
    answers = {
        one.model: {s.label: s.answer for s in one.examples[0].sides} for one in (aware, blind)
    }
    assert set(answers["known:blind"].values()) == {"smoke"}
    repeated = {label for label, word in answers["known:aware"].items() if word == "smoke"}
    assert repeated == {"CpTp", "CnTn", "CpTv"}
    assert aware.retained and blind.retained
    [texts] = [{side.label: side.text for side in aware.examples[0].sides}]
    assert texts["CpTn"] == "Jessica is a dancer who likes to smoke. She isn't happy to ▢."


def test_a_verb_that_cannot_be_a_first_word_is_told(naysay: Naysay, tiny_bert: Path) -> None:
    told = naysay("show", "--triplet", "Jessica,dancer,xylophonize,female", "-m", tiny_bert)
    assert told.code == 0 and "cannot be its first word" in told.out


def test_controls_have_an_example_for_each_subject() -> None:
    [one] = ask_triplet("Jessica,dancer,smoke,female", ["known:aware"], "scnt_controls", {})
    assert [e.facet for e in one.examples] == ["pronoun", "name", "same-gender", "other-gender"]


def test_other_suites_have_no_triplets() -> None:
    with pytest.raises(SpecError, match=r"scnt.*not with gh22"):
        list(ask_triplet("a,b,c", ["known:aware"], "gh22", {}))


DANCER = Triplet("female", "Jessica", "a dancer", "smoke")
BALLERINA = Triplet("female", "Jessica", "una ballerina", "fumare")


@pytest.mark.parametrize(
    ("suite", "triplet", "model", "word"),
    [
        ("scnt", DANCER, "roberta-large", "chat"),
        ("scnt", DANCER, "google-bert/bert-base-cased", "smoke"),
        ("scnt", replace(DANCER, verb="run"), "roberta-large", ""),
        ("scnt", DANCER, "gpt2", ""),
        ("scnt", replace(DANCER, profession="a baker"), "roberta-large", ""),
        ("scin", BALLERINA, "bert-base-multilingual-cased", "balla"),
    ],
)
def test_the_papers_own_answer_is_found(
    suite: str, triplet: Triplet, model: str, word: str
) -> None:
    assert printed_word(suite, triplet, ModelIdentity.named(model)) == word


class TestCommand:
    """`naysay show --triplet`."""

    def test_several_models_stand_in_one_table(self, naysay: Naysay) -> None:
        told = naysay(
            "show", "--triplet", "Jessica,ballerina,fumare,female", "-t", "scin",
            "-m", "known:aware", "-m", "known:blind",
        )  # fmt: skip
        assert told.code == 0, told.err
        lines = told.out.splitlines()
        last = lines.index(next(line for line in lines if "first word of each model" in line))
        assert lines[last + 1].split() == ["CpTp", "retained", "CpTn", "CnTp", "CnTn", "CpTv"]
        assert lines[last + 4].split() == ["known:blind", "fuma", "✓", *4 * ["fuma"]]

    def test_as_json(self, naysay: Naysay) -> None:
        told = naysay(
            "show", "--triplet", "Jessica,dancer,smoke,female", "-m", "known:blind", "--json"
        )
        [one] = json.loads(told.out)["models"]
        assert one["retained"] and len(one["items"][0]["sides"]) == 5

    @pytest.mark.parametrize(
        "words",
        [
            ("show",),
            ("show", "--triplet", "Jessica,dancer,smoke"),
            ("show", "some-run", "--triplet", "Jessica,dancer,smoke", "-m", "known:blind"),
            ("show", "some-run", "-m", "known:blind"),
        ],
    )
    def test_a_run_or_a_triplet(
        self, naysay: Naysay, words: tuple[str, ...], tmp_path: Path
    ) -> None:
        told = naysay(*words)
        assert told.code == 2 and "--triplet" in told.err


def test_rules_answer_in_the_language_that_is_asked() -> None:
    [aware] = ask_triplet("Jessica,ballerina,fumare,female", ["known:aware"], "scin", {})
    answers = {side.label: side.answer for side in aware.examples[0].sides}
    assert answers["CpTp"] == "fuma"
    forms = LANGUAGES.get("it").lexicon.forms.values()
    assert answers["CpTn"] in forms and answers["CpTn"] != "fuma"
