"""How a pair walks through its verbs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from naysay.core.errors import UnknownNameError
from naysay.core.keys import seeded_order
from naysay.core.probes import Choice, ChooseWord, Fill, FillBlank, Guess
from naysay.core.spec import RunSpec
from naysay.models.known import KnownModel
from naysay.run.plan import setting_of
from naysay.suites.scnt.selection import (
    _AT_LEAST,
    BASELINE,
    CONTRADICTIONS,
    CONTROLS,
    SELECTION,
    TESTS,
    TripletSentences,
    Walk,
    select,
)
from naysay.suites.scnt.suite import SUITE

SETTING = setting_of(RunSpec(model="known", suites=("scnt",), limit=3))
UNITS = list(SUITE.units(SETTING))
ITEMS = SUITE.items(SETTING)
VERBS = [f"verb{k}" for k in range(40)]


def step(verb: str, said: str) -> Any:
    return FillBlank("t", (verb,)), Fill((Guess(said, 0.0),))


def walk(cap: int, at_least: int = 8) -> Walk:
    return Walk(UNITS[0], VERBS, cap, at_least)


def taken(walk: Walk, hits: str, *, exhaustive: bool = False) -> Walk:
    """The walk after answers of which those with an x repeat."""
    for verb, hit in zip(VERBS, hits, strict=False):
        walk.take(step(verb, verb if hit == "x" else "other"), exhaustive=exhaustive)
    return walk


def test_conditions_have_the_names_of_the_paper() -> None:
    assert SELECTION == "CpTp" and BASELINE == "CpTv" and BASELINE in CONTROLS
    assert CONTRADICTIONS == ("CpTn", "CnTp") and CONTROLS == ("CnTn", "CpTv")
    assert TESTS == ("CpTn", "CnTp", "CnTn", "CpTv")


@pytest.mark.parametrize(
    ("cap", "at_least", "hits", "asked"),
    [
        (20, 8, "", 20),  # it cannot be done with fewer
        (20, 8, "x.x.", 18),
        (3, 8, "", 8),
        (3, 1, "", 3),
        (3, 1, "xx", 1),
        (3, 8, "xx.", 8),
        (3, 8, "xxx", 0),
        (20, 8, "." * 35, 5),  # the last ones
        (1, 8, "." * 40, 0),
    ],
)
def test_as_many_are_asked_as_are_needed(cap: int, at_least: int, hits: str, asked: int) -> None:
    found = taken(walk(cap, at_least), hits).next_verbs(exhaustive=False)
    assert found == VERBS[len(hits) : len(hits) + asked]


def test_an_exhaustive_walk_asks_all_that_is_left() -> None:
    assert walk(1).next_verbs(exhaustive=True) == VERBS
    begun = taken(walk(1), "x.x", exhaustive=True)
    assert begun.next_verbs(exhaustive=True) == VERBS[3:]
    assert begun.selected == [0] and len(begun.steps) == 3


def test_a_walk_keeps_nothing_after_its_end() -> None:
    found = taken(walk(2), "x..x.x")
    assert found.selected == [0, 3]
    assert len(found.steps) == 4
    assert found.steps[1] == step("verb1", "other")


def test_an_answer_must_be_the_asked_form() -> None:
    found = walk(5)
    found.take(step("run", "Run"), exhaustive=False)
    found.take(step("run", "runs"), exhaustive=False)
    assert found.selected == [] and len(found.steps) == 2


class Asked(KnownModel):
    """Repeats some verbs, and keeps how many questions came at once."""

    def __init__(self) -> None:
        fits = lambda text, words: int(words[0][4:]) % 4 == 0  # noqa: E731
        super().__init__("asked", fits, ["asked"])
        self.probes: list[list[Any]] = []

    def ask(self, probes: Any) -> Any:
        self.probes.append(list(probes))
        return super().ask(probes)


@pytest.mark.parametrize("exhaustive", [False, True])
def test_pairs_are_asked_together_each_in_its_own_order(exhaustive: bool) -> None:
    model = Asked()
    walks = select(model, ITEMS, UNITS, VERBS, 9, 10, exhaustive=exhaustive)
    assert [w.unit for w in walks] == UNITS
    assert [w.verbs for w in walks] == [seeded_order(VERBS, 9, unit.key) for unit in UNITS]
    assert len(model.probes[0]) == (120 if exhaustive else 30)
    for one in walks:
        hits = [k for k, verb in enumerate(one.verbs) if int(verb[4:]) % 4 == 0]
        assert one.selected == hits
        assert len(one.steps) == (40 if exhaustive else hits[-1] + 1)
        assert [probe.words for probe, _ in one.steps] == [
            (v,) for v in one.verbs[: len(one.steps)]
        ]
        assert one.steps[0][0].text == ITEMS.text("CpTp", one.unit, one.verbs[0])
    assert all(probes for probes in model.probes)


def test_choices_among_many_words_are_asked_as_few_as_needed() -> None:
    few, many = Asked(), Asked()
    select(few, replace(ITEMS, candidates=tuple(VERBS)), UNITS, VERBS, 9, 1, exhaustive=False)
    select(many, ITEMS, UNITS, VERBS, 9, 1, exhaustive=False)
    assert len(few.probes[0]) == len(UNITS)
    assert len(many.probes[0]) == _AT_LEAST * len(UNITS)
    assert all(isinstance(probe, ChooseWord) for probes in few.probes for probe in probes)


def test_a_question_has_the_form_and_says_the_verb() -> None:
    setting = setting_of(RunSpec(model="known", suites=("scin",), limit=1))
    [unit] = SUITE.units(setting)
    items = TripletSentences.of(setting.language, setting.lexicon, "scin")
    verb = setting.lexicon.verbs[0]
    form = setting.lexicon.form(verb)
    assert form is not None and form != verb and items.form(verb) == form
    text = items.text("CnTp", unit, verb)
    assert verb in text and unit["NAME"] in text and text.count("▢") == 1
    assert items.probe("CnTp", unit, verb) == FillBlank(text, (form,), said=(verb,), only_best=True)
    chosen = replace(items, candidates=("a", form)).probe("CnTp", unit, verb)
    assert chosen == ChooseWord(text, ("a", form), (form,), (verb,))
    assert Choice(form, 0.0).best in chosen.words


def test_a_predicate_is_the_first_or_the_one_named() -> None:
    args = SETTING.language, SETTING.lexicon, "scnt"
    targets = SETTING.language.patterns("scnt")["targets"]
    first, second = list(targets)[:2]
    assert (
        TripletSentences.of(*args)
        == TripletSentences.of(*args, first)
        != TripletSentences.of(*args, second)
    )
    assert set(TripletSentences.of(*args, second).targets) == set(targets[second])
    assert TripletSentences.of(*args).candidates == ()
    with pytest.raises(UnknownNameError, match="unknown predicate 'hapy'; did you mean"):
        TripletSentences.of(*args, "hapy")
