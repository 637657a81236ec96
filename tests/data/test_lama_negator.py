"""The negator of English sentences: one clause with a verb that it knows."""

from __future__ import annotations

import pytest

from naysay.data.lama import negate
from naysay.data.lama.negator import is_negation, negators
from naysay.data.lama.verbs import FORMS


class TestNegator:
    @pytest.mark.parametrize(
        ("plain", "negated"),
        [
            ("[X] is located in [Y] .", "[X] is not located in [Y] ."),
            ("[X] and [Y] are twins .", "[X] and [Y] are not twins ."),
            ("Birds can ▢.", "Birds cannot ▢."),
            ("Prices may ▢.", "Prices may not ▢."),
            ("The site may have been moved to ▢.", "The site may not have been moved to ▢."),
            ("▢ has managed to survive.", "▢ has not managed to survive."),
            ("Ann has ▢ eyes.", "Ann does not have ▢ eyes."),
            ("Cats have a ▢.", "Cats do not have a ▢."),
            ("[X] died in [Y] .", "[X] did not die in [Y] ."),
            ("[X] works for [Y] .", "[X] does not work for [Y] ."),
            ("[X] carries [Y] .", "[X] does not carry [Y] ."),
            ("Horses run ▢.", "Horses do not run ▢."),
            ("You like to ▢.", "You do not like to ▢."),
            ("Ann and Bea teach ▢.", "Ann and Bea do not teach ▢."),
            ("Rock often includes ▢.", "Rock does not often include ▢."),
            ("[X] used to work in [Y] .", "[X] did not use to work in [Y] ."),
            ("[X] (born [Y]).", "[X] (not born [Y])."),
            ("Lime tastes like ▢.", "Lime does not taste like ▢."),
            ("Will Can was May's ▢.", "Will Can was not May's ▢."),
            ("Logic can ▢ you.", "Logic cannot ▢ you."),
            ("Kids read ▢.", "Kids do not read ▢."),
            ("Ann read ▢.", "Ann did not read ▢."),
        ],
    )
    def test_one_clause_is_negated(self, plain: str, negated: str) -> None:
        assert negate(plain) == negated
        assert is_negation(plain, negated) and not is_negation(negated, plain)
        assert negate(negated) is None

    @pytest.mark.parametrize(
        "text",
        [
            "The ship that sank was ▢.",
            "Things you own are ▢.",
            "Ann said the man was ▢.",
            "Ann was here and made ▢.",
            "Ann sang and then quickly ate ▢.",
            "Wood comes from trees and burns ▢.",
            "It is what it is, but ▢ was.",
            "The only form it can have is ▢.",
            "It isn't ▢.",
            "A life without ▢ is hard.",
            "Is it ▢?",
            "It is red; it is ▢.",
            "Its chains made of ▢.",
            "Its numbers ▢.",
            "Ann xyzzed ▢.",
            "Music stores sell ▢.",
            "Fruits like apples.",
            "",
        ],
    )
    def test_what_is_not_easy_stays(self, text: str) -> None:
        assert negate(text) is None

    def test_negators_are_words(self) -> None:
        assert negators("Notting Hill knows nobody's cannon") == 1
        assert negators("We can’t and don't and cannot.") == 3

    def test_no_form_is_two_verbs(self) -> None:
        """A word is looked up once, so two bases would be a guess."""
        assert not [word for word, forms in FORMS.items() if len({form.base for form in forms}) > 1]
