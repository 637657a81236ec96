"""When an answer counts as a repetition, and that judging reads nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from naysay.run.store import table_of
from naysay.suites import SUITES
from naysay.suites._templates.suite import SEED, TemplateRow, begins_like, is_word
from naysay.suites.scnt.suite import TripletRow

TRIPLET = TripletRow(
    unit="female/Mary/nurse", gender="female", name="Mary", profession="nurse", subject="pronoun",
    verb="correre", form="corre", place=0, condition="CpTp", text="t", answer="", tie=False,
)  # fmt: skip
TEMPLATE = TemplateRow(
    unit="female/Mary/nurse", gender="female", name="Mary", profession="nurse", experiment=1,
    polarity="negated", acts=2, marking="none", extra="none", style="paper", rank=1, verb="run",
    verbs="run swim", usable=True, text="t", answer="", tie=False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "repeats"),
    [
        ("corre", True),
        ("Corre", False),  # another word for a model that has both
        ("CORRE", False),
        ("correre", False),  # the verb, but not as it stands at the blank
        ("corr", False),
        (" corre", False),
        ("", False),
    ],
)
def test_scnt_wants_the_very_form(answer: str, repeats: bool) -> None:
    suite = SUITES.get("scnt")
    rows = table_of([replace(TRIPLET, answer=answer)], TripletRow)
    judged = suite.judge(rows)
    assert judged["repeats"].to_pylist() == [repeats]
    assert judged.column_names == [*rows.column_names, "repeats"]


@pytest.mark.parametrize(
    ("answer", "exact", "prefix"),
    [
        ("run", True, True),
        ("swim", True, True),  # any of the verbs
        ("Swim", False, True),
        ("running", False, True),
        ("swimmer", False, True),
        ("ruin", False, True),  # as the released code has it
        ("sw", False, False),
        ("walk", False, False),
        ("run swim", False, True),
        ("", False, False),
    ],
)
def test_templates_want_a_verb_or_what_begins_like_it(
    answer: str, exact: bool, prefix: bool
) -> None:
    rows = table_of([replace(TEMPLATE, answer=answer)], TemplateRow)
    judged = SUITES.get("gh22").judge(rows)
    assert judged["exact"].to_pylist() == [exact]
    assert judged["prefix"].to_pylist() == [prefix]
    assert judged.column_names == [*rows.column_names, "exact", "prefix"]


def test_rows_are_judged_each_by_itself() -> None:
    said = ["run", "walk", "swims"]
    rows = table_of([replace(TEMPLATE, answer=answer) for answer in said], TemplateRow)
    judged = SUITES.get("gh22").judge(rows)
    assert judged["exact"].to_pylist() == [True, False, False]
    assert judged["prefix"].to_pylist() == [True, False, True]


def test_a_sentence_for_the_models_own_verbs_may_lack_one() -> None:
    empty = replace(TEMPLATE, polarity=SEED, verb="", verbs="", usable=False, answer="run")
    judged = SUITES.get("gh22").judge(table_of([empty], TemplateRow))
    assert judged["exact"].to_pylist() == [False]


@pytest.mark.parametrize(
    ("verb", "said", "like"),
    [
        ("read", "reads", True),
        ("read", "Reading", True),
        ("READ", "reading", True),
        ("read", "rea", False),  # a letter must follow
        ("read", "rea2", False),
        ("read", "rea-d", False),
        ("read", "reaé", False),  # of ASCII
        ("read", "red", False),
        ("read", "bread", False),
        ("a", "an", True),  # nothing would be left without its only letter
        ("a", "by", False),
        ("a", "a", False),
    ],
)
def test_what_begins_like_a_verb(verb: str, said: str, like: bool) -> None:
    assert begins_like(verb, said) is like


def test_words_have_letters_only() -> None:
    assert is_word("run") and is_word("être")
    assert not any(map(is_word, ("", "##ing", "[MASK]", "o'clock", "2", "to run")))
