"""The fact that LAMA's control compares with: another question, never the same one."""

from __future__ import annotations

from pathlib import Path

from naysay.core.spec import RunSpec
from naysay.data.lama import Fact
from naysay.run.plan import setting_of
from naysay.suites.lama.source import FactSource, _other, source_of

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


def test_the_next_fact_comes_first_and_the_first_after_the_last() -> None:
    a, a2, b, c = fact("a", "1"), fact("a", "2"), fact("b", "1"), fact("c", "1")
    facts = [a, a2, b, c]
    assert [_other(facts, k) for k in range(4)] == [b, b, c, a]
    assert [_other([a, b, a2], k) for k in range(3)] == [b, a2, b]
    assert _other([a, a2], 0) is None and _other([a], 0) is None
