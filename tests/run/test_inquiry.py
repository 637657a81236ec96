"""`naysay ask`: sentences put to models without a run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import naysay as package
from conftest import Outcome, refused
from naysay.core.errors import NotAskableError, SpecError
from naysay.models.files.wheels import get
from naysay.reports.inquiry import show_inquiry
from naysay.run.inquiry import Cloze, Inquiry, ModelReply, WordChance, inquire, with_blank

Naysay = Callable[..., Outcome]
MARY = "Mary is an architect who doesn't like to run. She is happy to ▢."


class Counting:
    """An encoder whose vectors count letters."""

    name = "counting"

    def encode(self, sentences: Sequence[str]) -> list[list[float]]:
        return [[float(text.count(letter)) for letter in "abcdenotr"] for text in sentences]


@pytest.mark.parametrize("blank", ["▢", "___", "______", "[MASK]", "<mask>", "[mask]"])
def test_the_blank_may_be_typed_in_many_ways(blank: str) -> None:
    assert with_blank(f"She is happy to {blank}.") == "She is happy to ▢."
    assert with_blank("snake_case __ here") == "snake_case __ here"


class TestControls:
    """The two small models that naysay brings."""

    @pytest.fixture
    def inquiry(self) -> Inquiry:
        return package.ask(MARY, negate=True, words=["run", "defenestrate"], top=3)

    def test_only_one_of_them_reads_the_negation(self, inquiry: Inquiry) -> None:
        aware, blind = inquiry
        assert [cloze.first.word for cloze in blind.clozes] == ["run", "run"]
        without, negated = aware.clozes
        assert without.first.word == "run" != negated.first.word
        assert "the same first word with and without the negation" in inquiry.conclusions[1]
        assert 'another first word with the negation, "' in inquiry.conclusions[0]
        # Whether a word is seldom or not among the first ones: one way of saying so.
        assert "< 0.1 %" in inquiry.conclusions[0] and "< 0.01 %" not in inquiry.conclusions[0]
        assert inquiry.negation is not None and not inquiry.negation.added
        assert "mini-blind" in repr(inquiry) and "<table>" in inquiry._repr_html_()

    def test_words_of_interest_have_probability_and_rank(self, inquiry: Inquiry) -> None:
        blind = inquiry.replies[1]
        for cloze in blind.clozes:
            run, other = cloze.words
            assert run.rank == 0 and run.probability == pytest.approx(cloze.first.probability)
            assert other.probability is None and other.problem.endswith(" tokens")
            assert len(cloze.top) == 3
            chances = [one.probability or 0 for one in cloze.top]
            assert chances == sorted(chances, reverse=True)

    def test_columns_stand_side_by_side_within_80(
        self, naysay: Naysay, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        ended = naysay("ask", MARY.replace("▢", "___"), "--negate", "--words", "run,defenestrate")
        assert ended.code == 0 and "no model given: asking mini-aware and mini-blind" in ended.err
        lines = ended.out.splitlines()
        assert max(map(len, lines)) <= 80
        assert lines[0] == "without: Mary is an architect who likes to run. She is happy to ▢."
        assert lines[2] == "(negation removed from sentence 1)"
        [first] = [line for line in lines if line.startswith("1 ")]
        assert first.count("run") == 3 and first.count("%") == 4
        assert re.search(r"defenestrate +(\d+ tokens *){4}", ended.out)
        assert "mini-blind: the same first word with and without the negation" in ended.out


def test_rules_answer_about_an_expected_word(naysay: Naysay) -> None:
    words = ["ask", MARY, "-m", "known:aware", "-m", "known:blind"]
    refused(naysay(*words), "known:aware is a rule", "--words")
    ended = naysay(*words, "--words", "run", "--json")
    assert ended.code == 0
    found = json.loads(ended.out)
    tops = {one["model"]: one["clozes"][0]["top"][0]["word"] for one in found["models"]}
    assert tops["known:aware"] != "run" == tops["known:blind"]
    assert found["negation"] is None and found["conclusions"] == []


def test_a_causal_model_needs_no_blank(tiny_gpt: Path, naysay: Naysay) -> None:
    open_end, marked = (
        inquire([text], [str(tiny_gpt)]).replies[0].clozes[0]
        for text in ("She is happy to", "She is happy to ___.")
    )
    assert open_end.top == marked.top and len(open_end.top) == 5
    refused(naysay("ask", "She ▢ today.", "-m", tiny_gpt), "put the blank at the end")
    refused(naysay("ask", "She is happy to"), "mini-aware needs a blank", "▢, ___, [MASK]")


@pytest.mark.parametrize(
    ("kind", "noted"),
    [("causal", True), ("llama", True), ("server", True), ("masked", False), ("known", False)],
)
def test_what_predicts_a_token_is_said_to_do_so(kind: str, noted: bool) -> None:
    cloze = Cloze(MARY, (WordChance("run", 0.5, 0),), ())
    said = StringIO()
    inquiry = Inquiry((MARY,), None, (ModelReply("toy", kind, (cloze,)),))
    show_inquiry(inquiry, Console(file=said, width=100))
    assert ("toy predicts a token, which may be the beginning" in said.getvalue()) == noted


def test_a_causal_model_gives_likelihoods_of_sentences(tiny_gpt: Path) -> None:
    others = ["She is here.", "She is here. He is here."]
    [reply] = inquire(["He is here.", *others], [str(tiny_gpt)])
    assert reply.scale == "logprob" and reply.scores[1] < reply.scores[0] < 0


def test_an_embedder_compares_sentences(tiny_embedder: Path, naysay: Naysay) -> None:
    pair = ["She likes to run.", "She doesn't like to run."]
    [reply] = inquire(pair, [str(tiny_embedder)])
    [negated] = inquire(pair[:1], [str(tiny_embedder)], negate=True)
    assert reply.scale == "cosine" and negated.scores == reply.scores
    ended = naysay("ask", *pair, pair[0], "-m", tiny_embedder)
    lines = [line for line in ended.out.splitlines() if line.startswith("She")]
    assert [line.split("(")[1] for line in lines[1:]] == ["1)", "2)"]
    assert pair[0] in lines[1] and "1.000" in lines[1]
    assert "cosine: 1 is the same direction" in ended.out
    refused(naysay("ask", MARY, "-m", tiny_embedder), "fills no blanks")
    refused(naysay("ask", *pair), "mini-aware fills blanks", "-m minilm")


def test_a_cross_encoder_says_its_scale(tiny_nli: Path, naysay: Naysay) -> None:
    ended = naysay("ask", "She runs.", "She sleeps.", "-m", tiny_nli)
    assert ended.code == 0 and "entailment: the probability of this label" in ended.out


def test_python_takes_objects() -> None:
    inquiry = package.ask(["a note", "a noted tone", "bed"], Counting())
    [reply] = inquiry
    assert reply.model == "counting" and reply.scores[0] > reply.scores[1]
    assert inquiry.conclusions == () and len(inquiry) == 1
    assert inquiry.as_dict()["models"][0]["scores"] == reply.scores


@pytest.mark.parametrize(
    ("sentences", "options", "says"),
    [
        (["▢ and ___."], {}, "several blanks"),
        (["She is ▢.", "He is here."], {}, "all in one argument"),
        (["She is here.", "He is here."], {"negate": True}, "takes one sentence"),
        (["She is ▢."], {"sentence": 1}, "add --negate"),
        (["She is ▢."], {"top": 0}, "--top must be"),
        (["She is ▢."], {"precision": "fp8"}, "--precision must be"),
        ([" "], {}, "empty"),
        ([], {}, "give a sentence"),
    ],
)
def test_what_does_not_fit_is_refused_before_a_model_is_loaded(
    sentences: list[str], options: dict[str, Any], says: str
) -> None:
    with pytest.raises(SpecError, match=says):
        inquire(sentences, ["no/such/model"], **options)


def test_a_rule_compares_several_sentences_only() -> None:
    with pytest.raises(NotAskableError, match="give three"):
        inquire(["It is hot.", "It is cold."], ["known:aware"])
    [reply] = inquire(
        ["It is not hot.", "It is cold.", "It is hot.", "It is not cold."], ["known:aware"]
    )
    assert max(reply.scores) == reply.scores[0]


@pytest.mark.slow
def test_a_real_embedder_hardly_sees_the_negation(
    real_weights: Path, own_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAYSAY_CACHE", str(real_weights))
    get("minilm")
    soup = ["My soup is not hot.", "My soup is cold.", "My soup is hot.", "I like trains."]
    [reply] = inquire(soup, ["minilm"])
    cold, hot, trains = reply.scores
    assert hot > cold > trains
    [pair] = inquire(["My soup is hot."], ["minilm"], negate=True)
    assert pair.scores[0] == pytest.approx(0.953, abs=0.001)
