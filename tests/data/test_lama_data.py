"""Negated and Misprimed LAMA: every rule on tiny folders, and the counts of upstream's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from lama_checks import (
    assert_all_rows_accounted_for,
    by_key,
    cloze,
    concept,
    counts,
    fact,
    released,
    write,
)
from naysay.core.errors import DatasetError, SpecError, UnknownNameError
from naysay.data.lama import Fact, common_vocabulary, read_facts, read_primed
from naysay.data.lama import facts as names

RELATIONS = [
    {"relation": "P9", "template": "[X] lies in [Y] .", "type": "N-1"},
    {"relation": "P10", "template": "[X] works for [Y] .", "type": "N-M"},
    {"relation": "P11", "template": "[X] is the twin of [Y] .", "type": "1-1"},
    {"relation": "P54", "template": "[X] plays with [Y] .", "type": "N-1"},
]
WORDS = [
    "Ulm",
    "Bonn",
    "Acme",
    "NBK",
    "HP",
    "hp",
    "gold",
    "fly",
    "McAdam",
    "red",
    "1900",
    "IT",
    "It",
]


@pytest.fixture
def lama(tmp_path: Path) -> Path:
    """LAMA's folder with two relations of T-REx, one of Google-RE, and nothing else."""
    root = tmp_path / "LAMA"
    write(root / "data" / "relations.jsonl", RELATIONS)
    write(root / "data" / "TREx" / "P9.jsonl", [fact("Ulm Minster", "Ulm"), fact("Dom", "Bonn")])
    write(root / "data" / "TREx" / "P10.jsonl", [fact("Ann", "Acme"), fact("Bea", "NBK")])
    write(root / "data" / "Google_RE" / "date_of_birth_test.jsonl", [fact("Ann Lee", "1900")])
    (root / "common_vocab_cased.txt").write_text("\n".join([*WORDS, "", "Ulm"]), encoding="utf-8")
    return root


@pytest.fixture
def misprimed(tmp_path: Path) -> Path:
    """The folder of Misprimed LAMA, with files named as upstream names them."""
    root = tmp_path / "LAMA_primed_negated"
    minster = "Ulm Minster lies in [MASK] .", "Ulm Minster does not lie in [MASK] ."
    ann = "Ann works for [MASK] .", "Ann works for [MASK] ."
    for folder, suffix, words in (
        ("random", "_random", ("Gold?", "Mcadam?")),
        ("low_ranked", "", ("Bonn?", "Nbk?")),
        ("high_ranked", "", ("Ulm?", "Hp? ?")),
    ):
        place = root / "data" / "TREx" / folder
        write(place / f"P9{suffix}.jsonl", [released("Ulm Minster", "Ulm", words[0], *minster)])
        write(place / f"P10{suffix}.jsonl", [released("Ann", "Acme", words[1], *ann)])
    return root


class TestQueries:
    def test_templates_are_filled_and_negated(self, lama: Path) -> None:
        facts = by_key(read_facts(lama))
        assert facts["trex/P9/Dom/Bonn"] == Fact(
            "trex/P9/Dom/Bonn", "trex", "P9", "N-1", "Dom", "Bonn",
            "Dom lies in ▢.", "Dom does not lie in ▢.", "built",
        )  # fmt: skip
        born = facts["google_re/date_of_birth/Ann Lee/1900"]
        assert (born.query, born.negated) == ("Ann Lee (born ▢).", "Ann Lee (not born ▢).")
        assert (born.kind, facts["trex/P10/Bea/NBK"].kind) == ("", "N-M")

    def test_upstreams_spaces_can_stay(self, lama: Path) -> None:
        dom = by_key(read_facts(lama, spaces=True))["trex/P9/Dom/Bonn"]
        assert (dom.query, dom.negated) == ("Dom lies in ▢ .", "Dom does not lie in ▢ .")

    def test_places_are_cities_in_the_paper_only(self, lama: Path) -> None:
        write(lama / "data" / "Google_RE" / "place_of_death.jsonl", [fact("Ann", "Ulm")])
        key = "google_re/place_of_death/Ann/Ulm"
        assert by_key(read_facts(lama))[key].query == "Ann died in the city of ▢."
        asked = by_key(read_facts(lama, wording="lama"))[key]
        assert (asked.query, asked.negated) == ("Ann died in ▢.", "Ann did not die in ▢.")
        with pytest.raises(SpecError, match="paper, lama"):
            read_facts(lama, wording="other")

    def test_masked_sentences_are_joined_and_have_one_blank(self, lama: Path) -> None:
        rows = [
            cloze("gold", "It  is  [MASK] ."),
            cloze("gold", "The bar was [MASK]."),
            cloze("red", "It is big.", "It is [MASK]."),
            cloze("red", "[MASK] is like [MASK]."),
            cloze("red", "It is red."),
            cloze("red", f"{'so ' * 100}it is [MASK]."),
            cloze("gold", "It  is  [MASK] ."),
            cloze("red", "The ship that sank was [MASK]."),
            cloze("red", "Jos√© is [MASK]."),
        ]
        write(lama / "data" / "Squad" / "test.jsonl", rows)
        read = read_facts(lama, corpora=["squad"])
        facts = by_key(read)
        assert [item.query for item in read.facts] == [
            "It is ▢.", "The bar was ▢.", "It is big. It is ▢.", "The ship that sank was ▢.",
            "Jos√© is ▢.",
        ]  # fmt: skip
        assert facts["squad//Squad/gold/2"].negated == "The bar was not ▢."
        assert facts["squad//Squad/red/2"].negation == "none"
        assert counts(read) == {
            ("squad", names.MANY_BLANKS): 1,
            ("squad", names.NO_BLANK): 1,
            ("squad", names.LONG): 1,
            ("squad", names.DOUBLED): 1,
            ("squad", names.NOT_EASY): 2,
            ("squad", names.DAMAGED): 1,
        }

    def test_a_row_left_out_takes_no_number(self, lama: Path) -> None:
        rows = [cloze("red", "[MASK] and [MASK]."), cloze("red", "It is [MASK].")]
        write(lama / "data" / "Squad" / "test.jsonl", rows)
        assert set(by_key(read_facts(lama, corpora=["squad"]))) == {"squad//Squad/red"}

    def test_relations_of_conceptnet_are_in_the_rows(self, lama: Path) -> None:
        rows = [
            concept("CapableOf", "bird", "fly", "Birds can [MASK]."),
            concept("CapableOf", "bird", "fly", "A bird can [MASK]."),
            concept("HasProperty", None, "red", "Roses are [MASK].", sub="rose"),
            concept("HasProperty", "it", "blue", "It is [MASK].", negated=["It isn't [MASK]."]),
        ]
        write(lama / "data" / "ConceptNet" / "test.jsonl", rows)
        read = read_facts(lama, corpora=["conceptnet"])
        facts = by_key(read)
        assert facts["conceptnet/CapableOf/bird/fly/2"].negated == "A bird cannot ▢."
        own = facts["conceptnet/HasProperty/it/blue"]
        assert (own.negated, own.negation) == ("It isn't ▢.", "released")
        assert read.read == {"conceptnet/CapableOf": 2, "conceptnet/HasProperty": 2}
        assert counts(read) == {
            ("HasProperty", names.NO_SUBJECT): 1,
            ("HasProperty", names.NOT_IN_VOCABULARY): 1,
        }


class TestRows:
    def test_each_row_is_a_fact_or_counted(self, lama: Path) -> None:
        said = [{"judgment": word} for word in ("yes", "no", "no")]
        rows = [
            fact("A", "Ulm"), fact("A", "Ulm"), fact("A", "Bonn"), fact("", "Ulm"),
            fact("B", None), {"obj_label": "Ulm"}, "{broken", "[1]", "", fact("C", "Köln"),
            fact("Ulm", "Ulm"), fact("D", "Ulm", judgments=said),
            fact("E", "Ulm", judgments=said[:2]), fact(" F ", " Ulm "),
        ]  # fmt: skip
        write(lama / "data" / "TREx" / "P9.jsonl", rows)
        read = read_facts(lama, corpora=["trex"])
        facts = by_key(read)
        assert read.read["trex/P9"] == 13
        assert {key for key in facts if "P9" in key} == {
            f"trex/P9/{rest}" for rest in ("A/Ulm", "A/Bonn", "C/Köln", "Ulm/Ulm", "E/Ulm", "F/Ulm")
        }
        assert counts(read) == {
            ("P9", names.DOUBLED): 1,
            ("P9", names.NO_SUBJECT): 2,
            ("P9", names.NO_ANSWER): 1,
            ("P9", names.NO_JSON): 2,
            ("P9", names.NOT_IN_VOCABULARY): 1,
            ("P9", names.ANSWER_IS_SUBJECT): 1,
            ("P9", names.RATED_WRONG): 1,
        }
        [broken] = [fault for fault in read.faults if fault.what == names.NO_JSON]
        assert (broken.left_out, broken.example) == (True, "{broken")

    def test_keys_never_meet(self, lama: Path) -> None:
        write(lama / "data" / "TREx" / "P9.jsonl", [fact("a/b", "c"), fact("a", "b/c")])
        assert {"trex/P9/a/b/c", "trex/P9/a/b/c/2"} <= set(by_key(read_facts(lama)))

    def test_a_relation_without_a_template_is_counted(self, lama: Path) -> None:
        write(lama / "data" / "TREx" / "P99.jsonl", [fact("Ann", "Ulm")] * 3)
        read = read_facts(lama)
        by_key(read)
        assert counts(read) == {("P99", names.NO_TEMPLATE): 3}


class TestFolders:
    def test_what_is_not_there_is_noted(self, lama: Path) -> None:
        read = read_facts(lama)
        missing = {(f.corpus, f.relation) for f in read.faults if f.what == names.NO_FILE}
        assert missing == {
            ("google_re", "place_of_birth"), ("google_re", "place_of_death"), ("trex", "P11"),
            ("conceptnet", ""), ("squad", ""),
        }  # fmt: skip
        assert not any(fault.left_out for fault in read.faults)

    def test_a_named_corpus_must_be_there(self, lama: Path, tmp_path: Path) -> None:
        with pytest.raises(DatasetError, match="has no squad; it has google_re, trex"):
            read_facts(lama, corpora=["trex", "squad"])
        with pytest.raises(UnknownNameError, match="unknown corpus 'sqad'; did you mean squad"):
            read_facts(lama, corpora=["sqad"])
        (lama / "data" / "Squad").mkdir()
        with pytest.raises(DatasetError, match="none of the files of squad"):
            read_facts(lama, corpora=["squad"])
        with pytest.raises(DatasetError, match="has no corpus of LAMA"):
            read_facts(tmp_path / "nowhere")

    def test_other_layouts_are_read_too(self, lama: Path) -> None:
        plain = by_key(read_facts(lama))
        assert by_key(read_facts(lama / "data")) == plain
        (lama / "data" / "relations.jsonl").rename(lama / "relations.jsonl")
        (lama / "data" / "Google_RE").rename(lama / "data" / "GoogleRE")
        old = lama / "data" / "GoogleRE" / "date_of_birth_test.jsonl"
        old.rename(old.with_name("date_of_birth.jsonl"))
        (lama / "common_vocab_cased.txt").rename(lama / "data" / "common_vocab_cased.txt")
        assert by_key(read_facts(lama)) == plain
        assert len(common_vocabulary(lama)) == len(WORDS)

    def test_the_vocabulary_has_each_word_once(self, lama: Path) -> None:
        assert common_vocabulary(lama) == tuple(WORDS)
        (lama / "common_vocab_cased.txt").write_text("\n\n")
        with pytest.raises(DatasetError, match="has no words"):
            common_vocabulary(lama)
        (lama / "common_vocab_cased.txt").unlink()
        with pytest.raises(DatasetError, match=r"nor its data folder has common_vocab_cased\.txt"):
            common_vocabulary(lama)
        assert ("", "", names.NO_FILE) in {
            (f.corpus, f.relation, f.what) for f in read_facts(lama).faults
        }


class TestNegations:
    def test_released_comes_before_template_and_built(self, lama: Path, misprimed: Path) -> None:
        read = read_facts(lama, misprimed)
        facts = by_key(read)
        told = {key: (item.negated, item.negation) for key, item in facts.items()}
        assert told["trex/P9/Ulm Minster/Ulm"] == ("Ulm Minster does not lie in ▢.", "released")
        assert told["trex/P9/Dom/Bonn"] == ("Dom does not lie in ▢.", "template")
        assert told["google_re/date_of_birth/Ann Lee/1900"][1] == "built"

    def test_one_without_a_negator_is_not_used(self, lama: Path, misprimed: Path) -> None:
        read = read_facts(lama, misprimed)
        told = {item.subject: (item.negated, item.negation) for item in read.facts}
        assert told["Ann"] == ("Ann does not work for ▢.", "built")
        assert told["Bea"] == ("Bea does not work for ▢.", "built")
        assert counts(read) == {
            ("P10", names.NOT_NEGATED): 1,
            ("P10", names.NOT_NEGATED_TEMPLATE): 1,
        }

    def test_another_querys_negation_is_not_taken(self, lama: Path, misprimed: Path) -> None:
        write(lama / "data" / "Google_RE" / "place_of_death.jsonl", [fact("Ann", "Ulm")])
        query = "Ann died in the city of [MASK] ."
        row = released("Ann", "Ulm", "Bonn?", query, "Ann never died in the city of [MASK] .")
        write(misprimed / "data" / "GoogleRE" / "random" / "place_of_death.jsonl", [row])
        key = "google_re/place_of_death/Ann/Ulm"
        paper = by_key(read_facts(lama, misprimed))[key]
        assert (paper.negated, paper.negation) == ("Ann never died in the city of ▢.", "released")
        other = by_key(read_facts(lama, misprimed, wording="lama"))[key]
        assert (other.negated, other.negation) == ("Ann did not die in ▢.", "built")

    def test_templates_are_listed_with_their_source(self, lama: Path, misprimed: Path) -> None:
        listed = {**RELATIONS[2], "template_negated": "[X] is no twin of [Y] ."}
        write(lama / "data" / "relations.jsonl", [*RELATIONS[:2], listed])
        write(lama / "data" / "TREx" / "P11.jsonl", [fact("Ulm", "Bonn")])
        told = {t.relation: t for t in read_facts(lama, misprimed).templates}
        assert told["P9"].positive == "[X] lies in [Y]."
        assert {name: (t.negated, t.negation) for name, t in told.items()} == {
            "date_of_birth": ("[X] (not born [Y]).", "built"),
            "P9": ("[X] does not lie in [Y].", "template"),
            "P10": ("[X] does not work for [Y].", "built"),
            "P11": ("[X] is no twin of [Y].", "template"),
        }


class TestPrimes:
    def test_primes_are_read_mended_or_left_out(self, lama: Path, misprimed: Path) -> None:
        read = read_primed(misprimed, lama)
        assert_all_rows_accounted_for(read)
        assert {(item.prime_class, item.prime, item.text) for item in read.facts} == {
            ("A", "Gold", "Gold? Ulm Minster lies in ▢."),
            ("B", "Bonn", "Bonn? Ulm Minster lies in ▢."),
            ("A", "McAdam", "McAdam? Ann works for ▢."),
            ("B", "NBK", "NBK? Ann works for ▢."),
            ("C", "HP", "HP? Ann works for ▢."),
        }
        assert counts(read) == {
            ("P9", names.GOLD_PRIME): 1,
            ("P10", names.LOST_CAPITALS): 1,
            ("P10", names.LOST_ACRONYM): 2,
            ("P10", names.MANY_MARKS): 1,
            ("P10", names.NOT_NEGATED): 3,
        }

    def test_facts_are_those_of_lama(self, lama: Path, misprimed: Path) -> None:
        facts = read_facts(lama, misprimed)
        known = by_key(facts)
        for item in read_primed(misprimed, lama, facts=facts).facts:
            assert item.fact is known[item.fact.key]
        alone = read_primed(misprimed)
        assert {item.fact.key for item in alone.facts} <= set(known)
        assert {(item.fact.kind, item.fact.negation) for item in alone.facts} == {
            ("", "released"), ("", "built"),
        }  # fmt: skip
        spaced = read_primed(misprimed, lama, facts=facts, spaces=True).facts[1]
        assert (spaced.text, spaced.fact.kind) == ("Gold? Ulm Minster lies in ▢ .", "N-1")
        assert spaced.fact.key in known

    def test_a_fact_that_lama_lacks_is_noted(self, lama: Path, misprimed: Path) -> None:
        write(lama / "data" / "TREx" / "P9.jsonl", [fact("Dom", "Bonn")])
        read = read_primed(misprimed, lama)
        assert_all_rows_accounted_for(read)
        assert counts(read)["P9", names.NOT_IN_LAMA] == 3

    def test_words_that_may_be_acronyms_stay(self, lama: Path, misprimed: Path) -> None:
        query = "Bea works for [MASK] .", "Bea does not work for [MASK] ."
        primes = ["It?", "New york?", "Hp?", "? ?", ""]
        rows = [released("Bea", f"A{k}", prime, *query) for k, prime in enumerate(primes)]
        place = misprimed / "data" / "TREx" / "random" / "P10_random.jsonl"
        write(place, [*rows, rows[0], "no JSON", {**rows[0], "obj_label": ""}])
        read = read_primed(misprimed, lama)
        assert_all_rows_accounted_for(read)
        primes = [item.prime for item in read.facts if item.fact.subject == "Bea"]
        assert primes == ["It", "New york", "Hp"]  # a random "Hp" may be "hp"
        found = counts(read)
        assert found["P10", names.MAYBE_ACRONYM] == 2
        assert found["P10", names.LONG_PRIME] == 1
        assert found["P10", names.NO_PRIME] == 2
        assert found["P10", names.DOUBLED] == 1
        assert found["P10", names.NO_JSON] == 1
        assert found["P10", names.NO_ANSWER] == 1

    def test_folders_may_be_deeper_and_written_otherwise(self, misprimed: Path) -> None:
        row = released("Squad", "red", "Ann?", "It is [MASK].", "It is  not [MASK].")
        write(misprimed / "data" / "SQUAD" / "high_ranked" / "Squad" / "Squad.jsonl", [row])
        read = read_primed(misprimed, corpora=["squad"])
        [item] = read.facts
        assert (item.prime_class, item.fact.key) == ("C", "squad//Squad/red")
        assert item.fact.negated == "It is not ▢."
        [missing] = [fault for fault in read.faults if fault.what == names.NO_FILE]
        assert (missing.count, missing.example) == (2, "SQUAD/random")
        with pytest.raises(DatasetError, match="has no conceptnet; it has trex, squad"):
            read_primed(misprimed, corpora=["conceptnet"])
