"""Misprimes, released and own, on toy files: which facts, which primes, which words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import rows_of
from lama_checks import cloze, concept, fact, released, write
from naysay import evaluate
from naysay.core.errors import DatasetError, SpecError
from naysay.core.probes import Fill, FillBlank, Guess
from naysay.core.records import Estimate
from naysay.core.spec import RunSpec
from naysay.data.lama import facts as names
from naysay.models.known import KnownModel
from naysay.run.plan import setting_of
from naysay.suites.lama.source import FactSource, source_of
from naysay.suites.lama_misprimed.analysis import verdict

WORDS = ("Ulm", "Bonn", "Rome", "fly", "sing", "talk", "red", "blue", "gold")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with released rows of facts that LAMA's own files lack."""
    folder = tmp_path / "data"
    (folder / "LAMA").mkdir(parents=True)
    (folder / "LAMA" / "common_vocab_cased.txt").write_text("\n".join(WORDS), encoding="utf-8")
    relations = [{"relation": "P9", "template": "[X] lies in [Y] .", "type": "1-1"}]
    write(folder / "LAMA" / "data" / "relations.jsonl", relations)
    lies = "Dom lies in [MASK] .", "Dom does not lie in [MASK] ."
    birds = "Birds can [MASK].", "Birds cannot [MASK]."
    primed = folder / "LAMA_primed_negated" / "data"
    for name, primes in (
        ("random", ("Gold?", "Red?")),
        ("low_ranked", ("Bonn?", "Blue?")),
        ("high_ranked", ("Rome? ?", "Talk?")),
    ):
        row = released("Dom", "Ulm", primes[0], *lies)
        write(primed / "TREx" / name / f"P9_{name}.jsonl", [row])
        row = released("bird", "fly", primes[1], *birds, pred="CapableOf")
        write(primed / "ConceptNet" / name / "ConceptNet.jsonl", [row])
    return folder


def options_of(data: Path, **more: Any) -> dict[str, Any]:
    return {"data_dir": data, "primes": "released", "items": "lama", **more}


class TestReleased:
    def test_the_released_rows_are_the_facts(self, data: Path, tmp_path: Path) -> None:
        run = evaluate("known:blind", "lama_misprimed", out=tmp_path / "o", **options_of(data))
        rows = rows_of(run)
        assert {row["unit"] for row in rows} == {"trex/P9/Dom/Ulm", "conceptnet/CapableOf/bird/fly"}
        primed = {
            (row["relation"], row["prime_class"]): row["prime"] for row in rows if row["prime"]
        }
        assert primed == {
            ("trex/P9", "A"): "Gold", ("trex/P9", "B"): "Bonn", ("trex/P9", "C"): "Rome",
            ("conceptnet/CapableOf", "A"): "Red", ("conceptnet/CapableOf", "B"): "Blue",
            ("conceptnet/CapableOf", "C"): "Talk",
        }  # fmt: skip
        assert {"trex.1-1", "conceptnet", "all"} <= {e.condition for e in run}
        [finding] = run.findings
        assert any("facts are the released rows" in note for note in finding.notes)

    def test_faults_are_those_of_the_corpora_asked(self, data: Path, tmp_path: Path) -> None:
        def faults(**more: Any) -> set[str]:
            run = evaluate(
                "known:blind", "lama_misprimed", out=tmp_path / "o", **options_of(data, **more)
            )
            return {e.metric for e in run if e.table == "faults"}

        assert names.MANY_MARKS in faults(corpora="trex")
        assert faults(corpora="conceptnet") == {"rows read"}

    def test_they_need_lamas_words(self, data: Path) -> None:
        with pytest.raises(SpecError, match="goes with --items lama"):
            evaluate("known:blind", "lama_misprimed", **options_of(data, items="facts"))

    def test_another_prime_makes_another_run(self) -> None:
        one, other = (
            FactSource("lama", (), (), primes={"x": {"A": (word, f"{word}? It is ▢.")}})
            for word in ("Red", "Gold")
        )
        assert one.digest != other.digest


class TestVerdict:
    @pytest.mark.parametrize(
        ("primes", "whose"), [("own", "its own best wrong answer"), ("released", "BERT-large's")]
    )
    def test_it_says_whose_wrong_answer_it_is(self, primes: str, whose: str) -> None:
        lost = Estimate("lama_misprimed", "misprimed", "all", "drop C", 80.0, 70.0, 90.0, n=99)
        assert whose in verdict([lost], 5.0, primes).figures
        other = {"own": "BERT-large", "released": "its own"}[primes]
        assert other not in verdict([lost], 5.0, primes).figures


class TestOwn:
    def test_no_prime_is_right_for_the_same_subject(self, tmp_path: Path) -> None:
        path = tmp_path / "facts.toml"
        path.write_text(
            '[[relation]]\nname = "city"\ntemplate = "A city in [X] is [Y]."\n'
            'negated = "A city in [X] is not [Y]."\n'
            'facts = [["France", "Paris"], ["France", "Lyon"], ["Italy", "Rome"]]\n'
        )

        class Cities(KnownModel):
            """Says Paris, then Lyon, then Rome, whatever is asked."""

            def ask(self, probes: Any) -> Any:
                order = ["Paris", "Lyon", "Rome"]
                found: list[Any] = []
                for probe in probes:
                    if isinstance(probe, FillBlank) and probe.among is not None:
                        top = [Guess(word, -3.0 * k) for k, word in enumerate(order)]
                        found.append(Fill(tuple(top[: probe.top_k])))
                    else:
                        found += super().ask([probe])
                return found

        model = Cities("cities", lambda text, words: True, ["cities"])
        run = evaluate(model, "lama_misprimed", items=str(path), out=tmp_path / "o")
        primed = [row for row in rows_of(run) if row["prime"]]
        assert {row["unit"] for row in primed} == {"file/city/France/Paris"}
        known = [row for row in primed if row["prime_class"] != "A"]
        assert {(row["prime_class"], row["prime"]) for row in known} == {
            ("B", "Rome"),
            ("C", "Rome"),
        }
        assert {"Paris", "Lyon"}.isdisjoint(row["prime"] for row in primed)

    def test_squad_has_no_b(self, data: Path, tmp_path: Path) -> None:
        rows = [
            cloze("red", "A rose is [MASK]."), cloze("blue", "The sky is [MASK]."),
            cloze("gold", "It is [MASK]."), cloze("red", "It is [MASK]."),
        ]  # fmt: skip
        write(data / "LAMA" / "data" / "Squad" / "test.jsonl", rows)
        run = evaluate(
            "known:aware", "lama_misprimed", data_dir=data, corpora="squad", out=tmp_path / "o"
        )
        asked = {
            row["prime_class"]: row["asked"] for row in rows_of(run) if row["distance"] == 0
        }  # fmt: skip
        assert asked == {"none": "yes", "A": "yes", "B": "no such prime", "C": "yes"}
        assert not [e for e in run if e.metric == "drop B"]
        twice = [row for row in rows_of(run) if row["text"].endswith("It is ▢.")]
        assert {row["prime"] for row in twice}.isdisjoint({"red", "gold"})


class TestNeutral:
    def test_a_file_with_other_sentences_is_refused(self, data: Path, tmp_path: Path) -> None:
        path = data / "derived" / "neutral_sentences.txt"
        path.parent.mkdir()
        path.write_text("It rains.\n" * 20)
        with pytest.raises(DatasetError, match=r"neutral_sentences\.txt does not have the 20"):
            evaluate("known:blind", "lama_misprimed", out=tmp_path / "o", **options_of(data))

    def test_without_it_they_are_ours(self, data: Path, tmp_path: Path) -> None:
        model = KnownModel("bert-large-cased", lambda text, words: True, ["x"])
        run = evaluate(model, "lama_misprimed", out=tmp_path / "o", **options_of(data))
        [d] = [e for e in run if (e.condition, e.metric) == ("conceptnet", "drop D")]
        assert d.published is None
        assert any("are naysay's own" in note for note in run.findings[0].notes)


class TestConceptNet:
    ROWS: Sequence[Any] = (
        concept("CapableOf", "bird", "fly", "Birds can [MASK]."),
        concept("HasProperty", "rose", "red", "Many roses of the garden are [MASK]."),
        concept("MadeOf", "ring", "gold", "A very old ring is made of [MASK]."),
        concept(
            "CapableOf", "bard", "sing", "Some bards can well [MASK].",
            negated=["Some bards cannot well [MASK]."],
        ),
    )  # fmt: skip

    def units(self, data: Path, **more: Any) -> set[str]:
        spec = RunSpec(model="m", suites=("lama",), data_dir=data)
        found = source_of(setting_of(spec), "lama", ("conceptnet",), **more)
        return {fact.subject for fact in found.facts}

    def test_the_papers_subset_is_the_default(self, data: Path, tmp_path: Path) -> None:
        write(data / "LAMA" / "data" / "ConceptNet" / "test.jsonl", self.ROWS)
        assert self.units(data) == {"bird", "ring", "bard"}
        assert self.units(data, easy=False) == {"bird", "ring", "bard", "rose"}
        options: dict[str, Any] = {"data_dir": data, "items": "lama", "out": tmp_path / "o"}
        easy = evaluate("known:blind", "lama", **options)
        every = evaluate("known:blind", "lama", conceptnet="all", **options)
        assert (len(rows_of(easy)), len(rows_of(every))) == (3, 4)
        [left] = [e for e in easy if e.metric == names.NOT_IN_SUBSET]
        assert (left.condition, left.value) == ("conceptnet HasProperty", 1)


class TestNegatedArchive:
    def test_its_files_take_precedence(self, data: Path, tmp_path: Path) -> None:
        write(data / "LAMA" / "data" / "ConceptNet" / "test.jsonl", TestConceptNet.ROWS[:1])
        write(data / "LAMA" / "data" / "TREx" / "P9.jsonl", [fact("Dom", "Ulm")])
        archive = data / "LAMA_negated"
        rows = [
            concept("CapableOf", name, word, f"{who} can [MASK].", negated=[f"{who} can't [MASK]."])
            for name, word, who in (("bird", "fly", "Birds"), ("man", "sing", "Men"))
        ]
        write(archive / "ConceptNet" / "test.jsonl", rows)
        write(
            archive / "Squad" / "test.jsonl",
            [cloze("red", "It is [MASK].", negated="It isn't [MASK].")],
        )
        run = evaluate(
            "known:blind", "lama", data_dir=data, items="lama", out=tmp_path / "o"
        )  # fmt: skip
        found = {row["unit"]: (row["negated"], row["negation"]) for row in rows_of(run)}
        assert found == {
            "trex/P9/Dom/Ulm": ("Dom does not lie in ▢.", "released"),
            "conceptnet/CapableOf/bird/fly": ("Birds can't ▢.", "released"),
            "conceptnet/CapableOf/man/sing": ("Men can't ▢.", "released"),
            "squad//Squad/red": ("It isn't ▢.", "released"),
        }

    def test_it_must_be_unpacked(self, data: Path) -> None:
        (data / "LAMA_negated").mkdir()
        (data / "LAMA_negated" / "negated_data.tar.gz").write_bytes(b"packed")
        with pytest.raises(DatasetError, match=r"unpack it there: tar -xzf negated_data\.tar\.gz"):
            evaluate("known:blind", "lama", data_dir=data, items="lama")
