"""Trying a model: versions of a sentence, the thread that asks, and that the last question wins."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from naysay.core.errors import NaysayError, SpecError, UnknownNameError
from naysay.core.probes import Answer, ChooseClosest, Closest, Fill, FillBlank, Guess, Pieces, Probe
from naysay.core.protocols import Model, ModelRequest
from naysay.data.intensification import intensified_pair, intensifier_of
from naysay.data.languages import LANGUAGES
from naysay.view.loading import KEPT, ModelThread, SupersededError
from naysay.view.trial import Trial, ready_sentences
from naysay.view.versions import Question, versions_of

PATIENCE = 60


class ToyModel:
    """A masked model, or an embedder, that says what it is told."""

    kind, digest = "masked", "toy"

    def __init__(self, name: str, answers: frozenset[type] = frozenset({FillBlank})) -> None:
        self.name, self.answers = name, answers
        self.asked: list[str] = []
        self.closed = False

    def prepare(self) -> None:
        """Nothing to load."""

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Any]:
        self.asked += [probe.text for probe in probes]  # type: ignore[attr-defined]
        return [self._answer(probe) for probe in probes]

    def _answer(self, probe: Any) -> Any:
        negated = "not" in probe.text or "n't" in probe.text
        if isinstance(probe, ChooseClosest):
            return Closest((0.25 if negated else 0.75,), "cosine")
        words = ("go", "<b>run</b>") if negated else ("<b>run</b>", "go")
        top = (Guess(words[0], -0.7), Guess(words[1], -2.0))
        return Fill(top, tuple(-1.0 for _ in probe.words))

    def single_pieces(self, words: Sequence[str], text: str, **_: Any) -> dict[str, Pieces]:
        return {}

    def facts(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        self.closed = True


def opener(made: dict[str, ToyModel]) -> Callable[[str, ModelRequest], Model]:
    def opening(name: str, request: ModelRequest) -> Model:
        kinds = frozenset({ChooseClosest}) if name.startswith("embedder") else None
        made[name] = ToyModel(name, kinds) if kinds else ToyModel(name)
        return made[name]

    return opening


def question(**given: Any) -> dict[str, Any]:
    return {"client": "me", "model": "toy", "text": "She is happy to ▢.", **given}


def test_versions_are_those_that_are_turned_on() -> None:
    def of(**given: Any) -> list[str]:
        return list(versions_of(Question(**question(**given))).texts.values())

    assert of() == ["She is happy to ▢."]
    assert of(negate=True) == ["She is happy to ▢.", "She isn't happy to ▢."]
    assert of(intensify=True) == ["She is happy to ▢.", "She is very happy to ▢."]
    assert of(negate=True, intensify=True, text="She is not happy to ___.") == [
        "She is happy to ▢.", "She is not happy to ▢.",
        "She is very happy to ▢.", "She is not very happy to ▢.",
    ]  # fmt: skip
    assert (
        of(negate=True, language="it", text="Anna è felice di ▢.")[1] == "Anna non è felice di ▢."
    )
    for wrong in ({"text": " "}, {"text": "▢ and ▢"}, {"language": "xx"}):
        with pytest.raises(NaysayError):
            of(**wrong)


@pytest.mark.parametrize("code", [one.code for one in LANGUAGES.all() if one.negator])
def test_every_language_with_a_negator_has_a_word_of_degree(code: str) -> None:
    sentence = {
        "en": "Ann is a nurse. She wasn't always glad to ▢.",
        "de": "Anna ist eine Lehrerin. Sie ist nicht froh, hier zu ▢.",
        "fr": "Anna est une infirmière. Elle n'est pas heureuse de ▢.",
        "it": "Anna è una maestra. Non è felice di ▢.",
        "es": "Ana es una maestra. No está contenta de ▢.",
    }[code]
    pair = intensified_pair(sentence, code)
    word = intensifier_of(code)
    assert pair.without == sentence
    assert pair.intensified.split().count(word) == 1
    assert pair.intensified.replace(f"{word} ", "") == sentence
    assert intensified_pair(pair.intensified, code) == pair


def test_what_cannot_have_a_degree_is_left_alone() -> None:
    for text in (
        "She likes to ▢.",
        "She is a nurse.",
        "She is ▢.",
        "She is",
        "Paris is in France.",
    ):
        with pytest.raises(SpecError, match="no rule adds 'very'"):
            intensified_pair(text)


@pytest.mark.parametrize("turned_on", [{"negate": True}, {"intensify": True}])
def test_what_no_rule_can_change_is_asked_as_it_is(turned_on: dict[str, bool]) -> None:
    made = versions_of(Question(**question(text="Birds ▢", **turned_on)))
    assert list(made.texts.values()) == ["Birds ▢"]
    assert "in this sentence" in made.note
    assert "--" not in made.note
    assert "command" not in made.note
    both = versions_of(Question(**question(text="She likes to ▢.", negate=True, intensify=True)))
    assert list(both.texts.values()) == ["She likes to ▢.", "She doesn't like to ▢."]
    assert both.note == "The rules found no place for “very” in this sentence."


def test_a_sentence_that_is_being_typed_is_answered() -> None:
    trial = Trial(["toy", "embedder"], opener({}))
    try:
        reply = trial.ask(question(text="Birds ▢", negate=True))
        assert [one["words"][0]["word"] for one in reply["versions"]] == ["<b>run</b>"]
        assert reply["note"] == "The rules found no negation to add or remove in this sentence."
        alone = trial.ask(question(model="embedder", text="Birds", negate=True))
        assert alone["note"] == reply["note"]
        assert not any(one["words"] for one in alone["versions"])
    finally:
        trial.close()


def test_a_rule_is_given_its_word_in_the_words_of_the_page() -> None:
    trial = Trial(["known:aware"])
    try:
        with pytest.raises(NaysayError, match="“Words to follow”") as found:
            trial.ask(question(model="known:aware", negate=True))
        assert "--words" not in str(found.value)
        reply = trial.ask(question(model="known:aware", negate=True, words="run"))
        assert len(reply["versions"]) == 2
    finally:
        trial.close()


class FallingModel(ToyModel):
    """Says *dance* first, and hardly at all after a negation."""

    def _answer(self, probe: Any) -> Any:
        negated = "n't" in probe.text
        said = ("sit", "wait") if negated else ("dance", "sing", "##ed", "run")
        scores = [None if word == "##ed" else -12.0 if negated else -1.0 for word in probe.words]
        return Fill(tuple(Guess(word, -1.0 - k) for k, word in enumerate(said)), tuple(scores))


def test_the_first_words_of_the_plain_version_are_shown_wherever_they_fall() -> None:
    trial = Trial(["toy"], lambda name, request: FallingModel(name))
    try:
        first, second = trial.ask(question(negate=True))["versions"]
        words = {word["word"]: word for word in second["words"]}
        assert list(words) == ["sit", "wait", "dance", "sing", "##ed"]
        assert (words["dance"]["shown"], words["dance"]["change"]) == ("< 0.01 %", "−36.8")
        assert words["dance"]["up"] is False
        assert words["##ed"]["shown"] == "< 14 %"  # no question of its own, so less than the last
        assert [word["word"] for word in first["words"]] == ["dance", "sing", "##ed", "run"]
    finally:
        trial.close()


def test_sentences_to_begin_with_can_be_asked() -> None:
    for one in ready_sentences():
        plain = {name: value for name, value in one.items() if name != "other"}
        made = versions_of(Question(client="", model="", **plain))
        assert len(made.texts) >= 2
        assert not made.note


def test_predictions_stand_side_by_side_with_how_they_moved() -> None:
    trial = Trial(["toy"], opener({}))
    try:
        reply = trial.ask(question(negate=True, words="go, fly"))
        first, second = reply["versions"]
        assert [word["word"] for word in first["words"]] == ["<b>run</b>", "go"]
        assert [word["word"] for word in second["words"]] == ["go", "<b>run</b>"]
        assert (first["words"][0]["change"], second["words"][1]["change"]) == ("", "−36.1")
        assert second["words"][1]["up"] is False
        assert [piece for piece, differs in second["pieces"] if differs] == ["isn't"]
        assert [word["word"] for word in first["followed"]] == ["go", "fly"]
        assert trial.state("toy") == {"state": "ready"}
    finally:
        trial.close()


def test_an_embedder_compares_two_sentences() -> None:
    trial = Trial(["embedder"], opener({}))
    asked = {"model": "embedder", "text": "It is good.", "negate": True}
    try:
        moved = trial.ask(question(**asked, other="It is bad."))["versions"]
        assert [one["words"][0]["change"] for one in moved] == ["", "−0.500"]
        alone = trial.ask(question(**asked))["versions"]
        assert [len(one["words"]) for one in alone] == [0, 1]
        with pytest.raises(NaysayError, match="fills no blanks"):
            trial.ask(question(model="embedder", other="x"))
        with pytest.raises(NaysayError, match="give a second one"):
            trial.ask(question(model="embedder", text="It is good."))
    finally:
        trial.close()


def test_only_offered_models_are_opened() -> None:
    made: dict[str, ToyModel] = {}
    trial = Trial(["toy"], opener(made))
    try:
        for name in ("server:http://127.0.0.1:1/v1", "/etc", "other"):
            with pytest.raises(UnknownNameError):
                trial.ask(question(model=name))
        wrong: Any
        for wrong in (
            {},
            [],
            "x",
            question(top=3),
            question(negate="yes"),
            question(text="x" * 9999),
        ):
            with pytest.raises(SpecError):
                trial.ask(wrong)
        assert not made
    finally:
        trial.close()


def test_the_last_question_wins_and_nothing_piles_up() -> None:
    go, begun, done = threading.Event(), threading.Event(), []
    models = ModelThread(opener({}))

    def slow(model: Model) -> str:
        begun.set()
        assert go.wait(PATIENCE)
        return "slow"

    try:
        first = models.submit("reader", "toy", slow)
        assert begun.wait(PATIENCE)
        typed = [models.submit("reader", "toy", lambda m, k=k: done.append(k)) for k in range(500)]  # type: ignore[misc]
        other = models.submit("another", "toy", lambda model: "other")
        for future in typed[:-1]:
            assert isinstance(future.exception(0), SupersededError)
        go.set()
        assert first.result(PATIENCE) == "slow"
        typed[-1].result(PATIENCE)
        assert done == [499]
        assert other.result(PATIENCE) == "other"
    finally:
        go.set()
        models.close()


def test_many_readers_do_not_pile_up_either() -> None:
    go, begun = threading.Event(), threading.Event()
    models = ModelThread(opener({}))

    def slow(model: Model) -> None:
        begun.set()
        assert go.wait(PATIENCE)

    try:
        models.submit("first", "toy", slow)
        assert begun.wait(PATIENCE)
        waiting = [models.submit(str(k), "toy", lambda model: None) for k in range(100)]
        assert sum(not future.done() for future in waiting) == 16
    finally:
        go.set()
        models.close()


def test_models_load_once_and_few_stay() -> None:
    made: dict[str, ToyModel] = {}
    models = ModelThread(opener(made))
    try:
        names = [f"m{k}" for k in range(KEPT + 1)]
        for name in (*names, names[-1]):
            assert models.state(name)["state"] in ("idle", "ready")
            models.submit("me", name, lambda model: None).result(PATIENCE)
        assert [made[name].closed for name in names] == [True] + [False] * KEPT
        assert models.state(names[0]) == {"state": "idle"}
    finally:
        models.close()


def test_a_model_that_fails_is_reported_and_the_thread_goes_on() -> None:
    def opening(name: str, request: ModelRequest) -> Model:
        if name == "bad":
            raise ValueError("no such weights")
        return opener({})(name, request)

    models = ModelThread(opening)
    try:
        with pytest.raises(NaysayError, match="no such weights"):
            models.submit("me", "bad", lambda model: None).result(PATIENCE)
        assert models.state("bad") == {"state": "failed", "problem": "no such weights"}
        with pytest.raises(NaysayError, match="ZeroDivisionError"):
            models.submit("me", "good", lambda model: 1 / 0).result(PATIENCE)
        assert models.submit("me", "good", lambda model: 7).result(PATIENCE) == 7
    finally:
        models.close()
    with pytest.raises(NaysayError, match="ending"):
        models.submit("me", "good", lambda model: None)
