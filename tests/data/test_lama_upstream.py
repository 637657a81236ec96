"""LAMA as upstream has it: the paper's counts, and the faults that the checks find."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from lama_checks import assert_all_rows_accounted_for, by_key, counts
from naysay.data.lama import (
    FactSet,
    Primed,
    common_vocabulary,
    is_in_subset,
    negate,
    read_facts,
    read_primed,
)
from naysay.data.lama import facts as names


@pytest.fixture(scope="module")
def facts(upstream_data: Path) -> FactSet:
    return read_facts(upstream_data / "LAMA", upstream_data / "LAMA_primed_negated")


@pytest.fixture(scope="module")
def primed(upstream_data: Path, facts: FactSet) -> Primed:
    lama = upstream_data / "LAMA"
    return read_primed(upstream_data / "LAMA_primed_negated", lama, facts=facts)


class TestUpstream:
    """Upstream's own files, as `naysay data` knows them."""

    def test_facts_are_as_many_as_in_the_paper(self, facts: FactSet) -> None:
        by_key(facts)
        found = Counter((item.corpus, item.relation) for item in facts.facts)
        assert found["google_re", "place_of_birth"] == 2937
        assert found["google_re", "date_of_birth"] == 1825
        assert (found["google_re", "place_of_death"], facts.read["google_re/place_of_death"]) == (
            765, 766,
        )  # fmt: skip
        # 305 distinct facts of SQuAD, of which three have two blanks.
        assert (facts.read["squad/"], found["squad", ""]) == (305, 302)
        assert sum(key.startswith("trex/") for key in facts.read) == 12

    def test_faults_of_the_facts(self, facts: FactSet) -> None:
        assert counts(facts) == {
            ("place_of_death", names.DOUBLED): 1,
            ("P138", names.DOUBLED): 3,
            ("P138", names.ANSWER_IS_SUBJECT): 24,
            ("P159", names.ANSWER_IS_SUBJECT): 1,
            ("P159", names.NOT_NEGATED): 336,
            ("P159", names.NOT_NEGATED_TEMPLATE): 1,
            ("squad", names.MANY_BLANKS): 3,
            ("squad", names.DAMAGED): 1,
            ("squad", names.NOT_EASY): 82,
        }
        missing = [fault for fault in facts.faults if fault.what == names.NO_FILE]
        assert Counter(fault.corpus for fault in missing) == {"trex": 29, "conceptnet": 1}

    def test_negations_come_from_where_they_should(self, facts: FactSet) -> None:
        found = Counter((item.corpus, item.negation) for item in facts.facts)
        assert found == {
            ("google_re", "template"): 5028, ("google_re", "released"): 499,
            ("trex", "template"): 4750, ("trex", "released"): 2348, ("trex", "built"): 1933,
            ("squad", "built"): 220, ("squad", "none"): 82,
        }  # fmt: skip
        assert {item.relation for item in facts.facts if item.negation == "built"} == {
            "P27", "P159", "",
        }  # fmt: skip

    def test_faults_of_the_primes(self, primed: Primed) -> None:
        assert_all_rows_accounted_for(primed)
        found = Counter[str]()
        for fault in primed.faults:
            found[fault.what] += fault.count
        assert found == {
            names.GOLD_PRIME: 6, names.MANY_MARKS: 13, names.NOT_NEGATED: 1008,
            names.LOST_ACRONYM: 718, names.LOST_CAPITALS: 111, names.MAYBE_ACRONYM: 34,
            names.LONG_PRIME: 373, names.NO_FILE: 1,
        }  # fmt: skip
        [told] = {fault.relation for fault in primed.faults if fault.what == names.NOT_NEGATED}
        assert told == "P159"
        classes = Counter((item.fact.corpus, item.prime_class) for item in primed.facts)
        assert classes == {
            ("trex", "A"): 10469, ("trex", "B"): 10469, ("trex", "C"): 10463,
            ("google_re", "A"): 499, ("google_re", "B"): 485, ("google_re", "C"): 499,
            ("conceptnet", "A"): 146, ("conceptnet", "B"): 146, ("conceptnet", "C"): 146,
        }  # fmt: skip
        assert all(item.text == f"{item.prime}? {item.fact.query}" for item in primed.facts)

    def test_our_templates_are_upstreams_but_for_four(self, upstream_data: Path) -> None:
        path = upstream_data / "derived" / "trex_negated_templates.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        given = {row["relation"]: row for row in rows if row["template_negated"]}
        other = {
            name: negate(row["template"])
            for name, row in given.items()
            if negate(row["template"]) != row["template_negated"]
        }
        assert len(given) == 40
        assert other == {
            "P39": "[X] does not have the position of [Y] .",
            "P159": "The headquarter of [X] is not in [Y] .",
            "P937": "[X] did not use to work in [Y] .",
            "P1412": "[X] did not use to communicate in [Y] .",
        }
        assert all(negate(row["template"]) for row in rows)

    def test_conceptnets_negations_differ_in_have_alone(self, primed: Primed) -> None:
        asked = {item.fact for item in primed.facts if item.fact.corpus == "conceptnet"}
        assert len(asked) == 146
        other = {item for item in asked if negate(item.query) != item.negated}
        assert len(other) == 10
        assert {item.relation for item in other} == {"HasA"}
        assert all(" not have " in (negate(item.query) or "") for item in other)

    def test_every_released_row_of_conceptnet_is_in_the_papers_subset(self, primed: Primed) -> None:
        asked = {item.fact for item in primed.facts if item.fact.corpus == "conceptnet"}
        assert len(asked) == 146 and all(is_in_subset(item.query) for item in asked)
        # Most have four words or fewer, the others one of the phrases: no other count fits both.
        assert sum(len(item.query.split()) <= 4 for item in asked) == 111
        assert {len(item.query.split()) for item in asked} == {3, 4, 5, 6, 7}

    def test_the_common_vocabulary_is_whole(self, upstream_data: Path) -> None:
        words = common_vocabulary(upstream_data / "LAMA")
        assert len(words) == len(set(words)) == 21018
