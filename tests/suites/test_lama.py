"""Negated and Misprimed LAMA: correlations, figures by hand, and what cannot be asked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Outcome, refused, rows_of
from naysay import evaluate
from naysay.analysis.items import measures_of
from naysay.core.errors import DatasetError, SpecError
from naysay.core.keys import draw
from naysay.core.probes import BLANK, Contrast, ContrastFills, Fill, FillBlank, Guess, WordList
from naysay.core.protocols import ModelRequest
from naysay.core.records import Estimate
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.models import open_model
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation
from naysay.run.plan import setting_of
from naysay.stats.association import centred_ranks, correlations
from naysay.stats.nested_shares import NestedShares
from naysay.suites import SUITES
from naysay.suites.lama.source import source_of
from naysay.suites.lama_misprimed.primes import own_primes, primed_text

Naysay = Callable[..., Outcome]
WORDS = ("run", "swim", "walk", "sing", "dance", "sleep", "read", "write", "talk", "work")


def figure(run: Evaluation, table: str, condition: str, metric: str) -> Estimate:
    wanted = (table, condition, metric)
    [found] = [e for e in run if (e.table, e.condition, e.metric) == wanted]
    return found


class Teller(KnownModel):
    """Answers by a rule that gives each word of the list a score in each text."""

    def __init__(self, rule: Callable[[str, Sequence[str]], Any]) -> None:
        super().__init__("teller", lambda text, words: True, ["teller", id(rule)])
        self.rule = rule

    def fill(self, text: str, probe: Any) -> Fill:
        scores = np.asarray(self.rule(text, probe.among.words), dtype=float)
        order = np.argsort(-scores)[: probe.top_k]
        return Fill(tuple(Guess(probe.among.words[k], float(scores[k])) for k in order))

    def ask(self, probes: Any) -> Any:
        answers: list[Any] = []
        for probe in probes:
            if isinstance(probe, ContrastFills):
                words = probe.among.words
                texts = (probe.first, probe.second)
                ranks = [centred_ranks(np.array([self.rule(text, words)])) for text in texts]
                [rho] = correlations(*ranks)
                answers.append(Contrast(float(rho), *(self.fill(text, probe) for text in texts)))
            elif isinstance(probe, FillBlank) and probe.among is not None:
                answers.append(self.fill(probe.text, probe))
            else:
                answers += super().ask([probe])
        return answers


RELATIONS = """
[[relation]]
name = "capital"
kind = "1-1"
template = "The capital of [X] is [Y]."
negated = "The capital of [X] is not [Y]."
facts = [["France", "Paris"], ["Italy", "Rome"], ["Spain", "Madrid"], ["Norway", "Oslo"]]

[[relation]]
name = "colour"
template = "[X] is [Y]."
negated = "[X] is not [Y]."
facts = [["Snow", "white"], ["Coal", "black"]]
"""
ANSWERS = {"France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Norway": "Oslo", "Snow": "white",
           "Coal": "black"}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "facts.toml"
    path.write_text(RELATIONS, encoding="utf-8")
    return path


def knows(text: str, words: Sequence[str], *, but: Sequence[str] = ()) -> Any:
    """Scores with the right answer on top, unless its subject is one of the others."""
    subject = next(subject for subject in ANSWERS if subject in text)
    scores = np.random.default_rng(draw(text)).random(len(words)) * 0.1 - 5
    if subject not in but:
        scores[list(words).index(ANSWERS[subject])] = -0.1
    return scores


class TestNegated:
    def test_known_models_are_told_apart(self, tmp_path: Path) -> None:
        blind, aware = (
            evaluate(f"known:{rule}", "lama", items="facts", out=tmp_path)
            for rule in ("blind", "aware")
        )
        assert figure(blind, "negated", "all", "top1_agreement").value == 100
        assert figure(blind, "negated", "all", "rho").value == 100
        assert figure(aware, "negated", "all", "top1_agreement").value == 0
        assert figure(aware, "precision", "all", "P@1").value == 100
        assert figure(aware, "precision", "all", "P@1 negated").value == 0
        assert figure(aware, "precision", "all", "right answers kept").value == 0
        assert figure(blind, "precision", "all", "right answers kept").value == 100
        assert figure(blind, "precision", "all", "P@1 negated").value == 100

    def test_unrelated_answers_have_no_correlation(self, tmp_path: Path) -> None:
        def unrelated(text: str, words: Sequence[str]) -> Any:
            return np.random.default_rng(draw(text)).random(len(words))

        run = evaluate(Teller(unrelated), "lama", items="facts", out=tmp_path)
        found = figure(run, "negated", "all", "rho")
        assert abs(found.value or 0) < 2  # times 100, over 1,174 words and 213 facts
        assert found.low is not None and found.high is not None and found.low < 0 < found.high
        assert figure(run, "negated", "all", "top1_agreement").value == pytest.approx(0, abs=2)

    def test_who_knows_nothing_does_not_pass(self, file: Path, tmp_path: Path) -> None:
        def nothing(text: str, words: Sequence[str]) -> Any:
            return knows(text, words, but=list(ANSWERS))

        run = evaluate(Teller(nothing), "lama", items=str(file), out=tmp_path)
        assert run.findings[0].outcome == "not measured"
        assert "answers nothing right" in run.findings[0].verdict

    def test_figures_are_counted_by_hand(self, file: Path, tmp_path: Path) -> None:
        def rule(text: str, words: Sequence[str]) -> Any:
            """Does not know Oslo; reads "not" about colours only."""
            if "not" in text and ("Snow" in text or "Coal" in text):
                return -np.asarray(knows(text, words))
            return knows(text.replace(" not", ""), words, but=["Norway"])

        run = evaluate(Teller(rule), "lama", items=str(file), out=tmp_path)
        assert figure(run, "precision", "file.1-1", "P@1").value == 75
        assert figure(run, "precision", "file", "P@1").value == 100
        assert figure(run, "precision", "all", "P@1").value == 87.5  # each relation once
        assert figure(run, "precision", "file.1-1", "right answers kept").value == 100
        assert figure(run, "precision", "file.1-1", "right answers kept").n == 3
        assert figure(run, "precision", "all", "right answers kept").value == 50
        assert figure(run, "negated", "file.1-1", "top1_agreement").value == 100
        assert figure(run, "negated", "file", "top1_agreement").value == 0
        assert figure(run, "negated", "all", "top1_agreement").value == 50
        assert figure(run, "micro", "all", "top1_agreement").value == pytest.approx(400 / 6)
        assert figure(run, "negated", "file.1-1", "rho").value == pytest.approx(100)
        assert figure(run, "control", "all", "top1_agreement").value == 0
        assert figure(run, "negated", "file.1-1", "rho").clusters_by == {"relations": 1}
        assert all(e.published is None for e in run)

    def test_the_other_fact_is_of_the_same_relation(self, file: Path, tmp_path: Path) -> None:
        rows = rows_of(evaluate("known:aware", "lama", items=str(file), out=tmp_path))
        for row in rows:
            assert row["other"] != row["query"]
            assert row["other"].startswith("The capital") == (row["relation"] == "file/capital")

    def test_a_sample_takes_equally_many_of_each_relation(self) -> None:
        def units(limit: int) -> list[Any]:
            spec = RunSpec(model="m", suites=("lama",), limit=limit)
            return source_of(setting_of(spec), "facts", None).drawn(spec, None)

        counts = np.unique([unit["relation"] for unit in units(45)], return_counts=True)[1]
        assert counts.tolist() == [5] * 9
        assert {unit.key for unit in units(20)} < {unit.key for unit in units(45)}

    def test_a_blank_inside_is_not_asked_from_left_to_right(
        self, tiny_gpt: Path, tiny_bert: Path, tmp_path: Path
    ) -> None:
        path = tmp_path / "inside.toml"
        inside = (
            'name = "x"\ntemplate = "[X] likes to [Y] here."\nnegated = "[X] does not [Y] here."'
        )
        after = 'name = "y"\ntemplate = "[X] likes to [Y]."\nnegated = "[X] does not [Y]."'
        facts = 'facts = [["Mary", "run"], ["John", "swim"], ["Ann", "walk"]]'
        path.write_text("".join(f"[[relation]]\n{text}\n{facts}\n" for text in (inside, after)))
        causal, masked = (
            evaluate(str(m), "lama", items=str(path), out=tmp_path) for m in (tiny_gpt, tiny_bert)
        )
        asked = [row["asked"] for row in rows_of(causal)]
        assert asked == ["the blank is not at the end"] * 3 + ["yes"] * 3
        assert figure(causal, "negated", "all", "rho").n == 3
        assert "3 facts were not compared: the blank is not at the end." in causal.findings[0].notes
        assert {row["asked"] for row in rows_of(masked)} == {"yes"}

    def test_small_letters_will_do_where_there_are_no_others(
        self, tiny_bert: Path, file: Path, tmp_path: Path
    ) -> None:
        from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

        words = ["paris", "rome", "madrid", "oslo", "white", "black", "the", "capital", "of", "is",
                 "not", "to", "."]  # fmt: skip
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        tokenizer = BertTokenizerFast(
            vocab={word: k for k, word in enumerate([*special, *words])}, do_lower_case=True
        )
        config = BertConfig(
            vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
            intermediate_size=16,
        )  # fmt: skip
        model = BertForMaskedLM(config).eval()
        run = evaluate(model, "lama", tokenizer=tokenizer, items=str(file), out=tmp_path)
        fit = json.loads((run.folder / "lama-fit.json").read_text())
        assert {"paris", "oslo", "white"} <= set(fit["used"])
        assert figure(run, "precision", "all", "P@1").n == 6

    def test_every_template_is_there_for_review(self, file: Path, tmp_path: Path) -> None:
        run = evaluate("known:aware", "lama", items=str(file), out=tmp_path)
        page = (run.folder / "report.md").read_text(encoding="utf-8")
        assert "Templates, for review" in page and "The capital of" in page

    def test_certainty_is_counted_by_hand(self, file: Path, tmp_path: Path) -> None:
        def rule(text: str, words: Sequence[str]) -> Any:
            return knows(text, words) - (1.0 if "not" in text else 0.0)

        run = evaluate(Teller(rule), "lama", items=str(file), out=tmp_path)
        assert figure(run, "threshold", "any two questions", "AUC").value == 1
        assert figure(run, "threshold", "the best threshold", "right").value == 100
        found = figure(run, "certainty", "negated", "mean probability").value
        assert found == pytest.approx(math.exp(-1.1), abs=1e-5)


@pytest.mark.parametrize("suite", ["lama", "lama_misprimed"])
def test_items_are_listed_without_their_intervals(
    suite: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = evaluate("known:aware", suite, items=str(file), out=tmp_path)
    monkeypatch.setattr(NestedShares, "figure", lambda *_, **__: pytest.fail("made without need"))
    found = measures_of(run.manifest, SUITES.get(suite), run.spec)
    assert found and all(len(measure.items) and measure.items.balanced for measure in found)
    # A part of a corpus would repeat it.
    assert {measure.condition for measure in found} <= {"all", "file"}


class TestMisprimed:
    def test_known_models_are_told_apart(self, tmp_path: Path) -> None:
        blind, aware = (
            evaluate(f"known:{rule}", "lama_misprimed", items="facts", out=tmp_path)
            for rule in ("blind", "aware")
        )
        for name in "ABCD":
            assert figure(blind, "misprimed", "all", f"drop {name}").value == 100
            assert figure(blind, "says_prime", "all", f"says the prime {name}").value == 100
            assert figure(aware, "misprimed", "all", f"drop {name}").value == 0

    def test_only_what_is_right_is_primed(self, file: Path, tmp_path: Path) -> None:
        def rule(text: str, words: Sequence[str]) -> Any:
            """Does not know Oslo; a prime about a capital is believed, unless it is far away."""
            scores = knows(text, words, but=["Norway"])
            before, mark, _ = text.partition("?")
            if mark and "capital" in text and len(text) < 80:
                scores[[w.lower() for w in words].index(before.lower())] = 0.0
            return scores

        run = evaluate(Teller(rule), "lama_misprimed", items=str(file), out=tmp_path)
        rows = rows_of(run)
        primed = {row["unit"] for row in rows if row["prime_class"] != "none"}
        assert len(primed) == 5 and not any("Norway" in unit for unit in primed)
        assert figure(run, "unprimed", "file.1-1", "P@1").value == 75
        assert figure(run, "misprimed", "file.1-1", "drop C").value == 100
        assert figure(run, "misprimed", "file.1-1", "drop D").value == 0
        assert figure(run, "misprimed", "file", "drop C").value == 0
        assert figure(run, "misprimed", "all", "drop C").value == 50
        curve = {e.condition: e.value for e in run if e.table == "distance"}
        assert curve == {
            "0 sentences": 50, "5 sentences": 0, "10 sentences": 0, "20 sentences": 0,
        }  # fmt: skip
        for row in rows:
            assert row["prime"].lower() != row["answer"].lower()
            if row["prime_class"] == "B" and row["prime"]:
                capitals = ("Paris", "Rome", "Madrid", "Oslo")
                assert (row["prime"] in capitals) == (row["relation"] == "file/capital")

    def test_c_is_clearly_less_likely(self) -> None:
        from naysay.suites.protocol import Unit

        unit = Unit("x", (("query", "It is ▢."),))
        near = math.log(0.8)
        top = [("right", 0.0), ("near", near), ("far", math.log(0.69)), ("last", -5.0)]
        fill = Fill(tuple(Guess(word, score) for word, score in top))
        assert own_primes(unit, "right", fill, ["right", "any"], ["right", "B"]) == {
            "A": "any", "B": "B", "C": "far",
        }  # fmt: skip
        also_right = own_primes(
            unit, "right", fill, ["right", "Far", "any"], ["right", "far", "B"], {"far"}
        )
        assert also_right == {"A": "any", "B": "B", "C": "last"}
        only = Fill(fill.top[:2])
        assert own_primes(unit, "right", only, ["right"], ["Right"]) == {}

    def test_what_is_too_long_is_counted(self, tiny_bert: Path, tmp_path: Path) -> None:
        import torch
        from transformers import AutoTokenizer, BertForMaskedLM

        opinionated = BertForMaskedLM.from_pretrained(tiny_bert)  # some words are much likelier
        torch.manual_seed(0)
        opinionated.cls.predictions.bias.data.normal_(std=3)
        folder = tmp_path / "opinionated"
        opinionated.save_pretrained(folder)
        AutoTokenizer.from_pretrained(tiny_bert).save_pretrained(folder)
        model = open_model(str(folder), ModelRequest())
        verbs = LANGUAGES.get("en").lexicon.verbs  # the words beside the answers
        cuts = model.single_pieces(verbs, f"to {BLANK}.")
        among = WordList(tuple(verb for verb in verbs if cuts[verb].single))
        names = ("Mary", "John", "Anna")
        texts = [f"{name} likes to {BLANK}." for name in names]
        said = [fill.best for fill in model.ask([FillBlank(t, among=among) for t in texts])]
        path = tmp_path / "facts.toml"
        facts = ", ".join(f'["{n}", "{w}"]' for n, w in zip(names, said, strict=True))
        path.write_text(
            '[[relation]]\nname = "x"\ntemplate = "[X] likes to [Y]."\n'
            f'negated = "[X] does not like to [Y]."\nfacts = [{facts}]\n'
        )
        run = evaluate(str(folder), "lama_misprimed", items=str(path), out=tmp_path)
        rows = rows_of(run)
        far = [row for row in rows if row["distance"] == 20 and row["prime"]]
        assert far and {row["asked"] for row in far} == {"text too long"}
        near = [row for row in rows if row["distance"] == 0 and row["prime"]]
        assert {row["asked"] for row in near} == {"yes"}
        assert any("text too long" in note for note in run.findings[0].notes)

    def test_the_prime_keeps_its_capitals(self) -> None:
        assert primed_text("IBM", "x ▢.") == "IBM? x ▢."
        assert primed_text("apple", "x ▢.", ["One.", "Two."]) == "Apple? One. Two. x ▢."


class TestRefused:
    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (("-t", "lama", "--items", "nothing.toml"), "neither one of lama, facts nor a file"),
            (("-t", "lama", "--items", "lama"), "naysay data get lama"),
            (
                ("-t", "lama", "--items", "facts", "--corpora", "trex"),
                "naysay's own facts have none",
            ),
            (
                ("-t", "lama_misprimed", "--items", "facts", "--primes", "released"),
                "goes with --items lama",
            ),
            (("-t", "lama", "--primes", "released"), "--primes is read by lama_misprimed"),
            (("-t", "lama_misprimed", "--primes", "theirs"), "--primes must be own or released"),
        ],
    )
    def test_it_says_what_to_do(self, naysay: Naysay, options: Any, says: str) -> None:
        refused(naysay("run", "-m", "known:aware", *options), says)

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "has no facts"),
            (
                '[[relation]]\nname = "x"\ntemplate = "[X] is."\nnegated = "[X]"\nfacts = []',
                r"\[Y\]",
            ),
            ("[[relation]]\nname = 1", "relation 1 cannot be used"),
            ("not toml", "cannot be read as TOML"),
        ],
    )
    def test_a_faulty_file_is_named(self, tmp_path: Path, text: str, says: str) -> None:
        path = tmp_path / "faulty.toml"
        path.write_text(text)
        with pytest.raises(DatasetError, match=says):
            evaluate("known:aware", "lama", items=str(path), out=tmp_path)

    def test_options_that_do_not_go_together(self) -> None:
        with pytest.raises(SpecError, match="--corpora is read by lama"):
            evaluate("known:aware", "scnt", corpora="trex")
