from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naysay.core.errors import PatternError
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.data.pattern import Pattern, target
from naysay.run.plan import setting_of
from naysay.suites.pairs import pair
from naysay.suites.scnt.selection import TESTS
from naysay.suites.scnt.suite import SUITE

FILLERS = st.text(min_size=1, max_size=10) | st.sampled_from(["NAME", "ACT", "PROF", "PRON"])


@given(FILLERS, FILLERS, FILLERS)
def test_what_is_filled_in_stands_as_it_is(name: str, profession: str, verb: str) -> None:
    words = {"NAME": name, "PROF": profession, "ACT": verb}
    filled = Pattern("NAME is PROF who likes to ACT.").fill(words)
    assert filled == f"{name} is {profession} who likes to {verb}."


def test_an_unknown_slot_is_refused() -> None:
    with pytest.raises(PatternError, match="unknown slot JOB"):
        Pattern("NAME is JOB.")


def test_a_missing_word_is_refused() -> None:
    with pytest.raises(PatternError, match="lacks a word for ACT"):
        Pattern("NAME likes to ACT.").fill({"NAME": "Mary"})


@pytest.mark.parametrize("text", ["She is happy.", "▢ is happy to ▢."])
def test_a_target_has_exactly_one_blank(text: str) -> None:
    with pytest.raises(PatternError, match="one blank"):
        target(text)


def test_the_five_conditions_are_the_papers() -> None:
    english = LANGUAGES.get("en")
    items = SUITE.items(setting_of(RunSpec(model="m", suites=("scnt",))))
    mary = pair("female", "Mary", "an architect", english)
    assert {c: items.text(c, mary, "run") for c in ("CpTp", *TESTS)} == {
        "CpTp": "Mary is an architect who likes to run. She is happy to ▢.",
        "CpTn": "Mary is an architect who likes to run. She isn't happy to ▢.",
        "CnTp": "Mary is an architect who doesn't like to run. She is happy to ▢.",
        "CnTn": "Mary is an architect who doesn't like to run. She isn't happy to ▢.",
        "CpTv": "Mary is an architect who likes to run. She is very happy to ▢.",
    }
