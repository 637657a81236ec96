"""The fact that LAMA's control compares with: another question with another answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import rows_of
from naysay import evaluate
from naysay.core.spec import RunSpec
from naysay.data.lama import Fact
from naysay.run.plan import setting_of
from naysay.suites.lama.source import FactSource, _answers, _other, source_of

RELATIONS = """
[[relation]]
name = "city"
template = "[Y] is a city in [X]."
negated = "[Y] is not a city in [X]."
facts = [
  ["France", "Paris"], ["France", "Lyon"], ["France", "Nice"], ["Italy", "Rome"], ["Italy", "Turin"]
]

[[relation]]
name = "colour"
template = "Snow and [X] are [Y]."
negated = "Snow and [X] are not [Y]."
facts = [["milk", "white"], ["milk", "cold"]]
"""


def fact(query: str, answer: str) -> Fact:
    return Fact(
        key=f"{query}/{answer}", corpus="c", relation="r", kind="", subject="s", answer=answer,
        query=query, negated=None, negation="own",
    )  # fmt: skip


def source(tmp_path: Path) -> tuple[FactSource, RunSpec]:
    file = tmp_path / "facts.toml"
    file.write_text(RELATIONS, encoding="utf-8")
    spec = RunSpec(model="known:x", suites=("lama",))
    return source_of(setting_of(spec), str(file), None), spec


def test_the_control_is_another_question_of_the_same_relation(tmp_path: Path) -> None:
    found, spec = source(tmp_path)
    units = found.drawn(spec, None)
    cities = [unit for unit in units if unit["relation"].endswith("city")]
    assert len(cities) == 5
    other = {"France": "Italy", "Italy": "France"}
    for unit in cities:
        assert unit["other"] == unit["query"].replace(unit["subject"], other[unit["subject"]])
        assert unit["other_answer"] in {"Paris", "Lyon", "Nice", "Rome", "Turin"}
        assert unit["other_answer"] != unit["answer"]


def test_a_relation_with_one_question_has_no_control(tmp_path: Path) -> None:
    found, spec = source(tmp_path)
    colours = [u for u in found.drawn(spec, None) if u["relation"].endswith("colour")]
    assert [(unit["other"], unit["other_answer"]) for unit in colours] == [("", "")] * 2


def test_the_next_with_another_answer_comes_first_and_the_first_after_the_last() -> None:
    a, a2, b, c = fact("a", "1"), fact("a", "2"), fact("b", "3"), fact("c", "2")
    facts = [a, a2, b, c]
    answers = _answers(facts)
    # "a" has the answer of "c", too.
    assert [_other(facts, answers, k) for k in range(4)] == [b, b, c, b]
    for alone in ([a, a2], [a], [a, fact("d", "1")]):
        assert _other(alone, _answers(alone), 0) is None


ANSWERS = st.sampled_from(["red", "Red", "blue", "green"])


@given(st.lists(st.tuples(st.sampled_from("abcdef"), ANSWERS), min_size=1, unique=True))
def test_no_answer_is_right_for_both_questions(pairs: list[tuple[str, str]]) -> None:
    facts = [fact(query, answer) for query, answer in pairs]
    answers = _answers(facts)
    for k, one in enumerate(facts):
        other = _other(facts, answers, k)
        right = {answer.lower() for query, answer in pairs if query == one.query}
        free = [q for q, _ in pairs if right.isdisjoint(answers[q])]
        assert (other is None) == (not free)
        assert other is None or right.isdisjoint(answers[other.query])


def test_who_knows_the_facts_ranks_words_differently(tmp_path: Path) -> None:
    run = evaluate("known:aware", "lama", items="facts", out=tmp_path)
    [rho] = [e for e in run if (e.table, e.condition, e.metric) == ("control", "all", "rho")]
    assert abs(rho.value or 0) < 1 and rho.n == 213
    names = ("control", "all", "rho above control")
    [more] = [e for e in run if (e.table, e.condition, e.metric) == names]
    assert more.value == pytest.approx(0, abs=1) and more.low is not None and more.high is not None


def test_only_queries_that_are_answered_right_are_controlled(tmp_path: Path) -> None:
    run = evaluate("known:random:0.5:1", "lama", items="facts", out=tmp_path)
    right = [row for row in rows_of(run) if row["said"] == row["answer"]]
    controlled = [e for e in run if (e.table, e.condition) == ("control", "all")]
    assert 50 < len(right) < 150
    assert {e.metric: e.n for e in controlled} == {
        "rho": len(right), "top1_agreement": len(right), "rho above control": len(right),
    }  # fmt: skip
    paired = [100 * (row["rho"] - row["rho_other"]) for row in right]
    by_relation: dict[str, list[float]] = {}
    for row, difference in zip(right, paired, strict=True):
        by_relation.setdefault(row["relation"], []).append(difference)
    mean = sum(sum(found) / len(found) for found in by_relation.values()) / len(by_relation)
    assert {e.metric: e.value for e in controlled}["rho above control"] == pytest.approx(mean)
