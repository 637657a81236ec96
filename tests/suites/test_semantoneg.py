"""SemAntoNeg: items, figures by hand, and the paper's own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Outcome, rows_of
from naysay import evaluate
from naysay.core.errors import DatasetError, SpecError
from naysay.core.spec import RunSpec
from naysay.data.items import pair_of, read_items
from naysay.models.known import KnownModel
from naysay.run.plan import setting_of
from naysay.stats.association import auc
from naysay.suites import SUITES
from naysay.suites.semantoneg.judged import JudgedItems
from naysay.suites.semantoneg.source import source_of
from toy_antonyms import ITEMS, figure, file

__all__ = ["file"]  # a fixture

Naysay = Callable[..., Outcome]


class Encoder:
    """Gives each sentence the vector that a rule says."""

    def __init__(self, vector: Callable[[str], Sequence[float]]) -> None:
        self.vector = vector

    def encode(self, texts: list[str]) -> Any:
        return np.array([self.vector(text) for text in texts])


class TestItems:
    def test_a_file_is_read_as_it_was_written(self, file: Path) -> None:
        assert read_items(file) == [*ITEMS, *ITEMS[:4]]

    def test_the_paraphrase_has_both_changes(self) -> None:
        for item in ITEMS:
            antonym_only, polarity_only, both = item.options
            negated = ["not" in sentence for sentence in item.sentences]
            assert negated == [negated[0], negated[0], not negated[0], not negated[0]]
            for sentence, same in ((antonym_only, False), (polarity_only, True), (both, False)):
                assert (item.text.split()[-1] == sentence.split()[-1]) == same

    def test_another_label_is_put_in_order(self, tmp_path: Path) -> None:
        path = tmp_path / "first.jsonl"
        line = {"label": 0, "input": "A b.", "sentences": ["Not c.", "A c.", "Not b."]}
        path.write_text(json.dumps(line))
        assert read_items(path)[0].options == ("A c.", "Not b.", "Not c.")

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            ("{", "line 2 is not an item"),
            ('{"label": 3, "input": "a", "sentences": ["b", "c", "d"]}', "label must be"),
            ('{"label": 2, "input": "a", "sentences": ["b", "c"]}', "three sentences"),
            ('{"label": 2, "input": "", "sentences": ["b", "c", "d"]}', "a sentence is empty"),
            ('{"label": 2, "sentences": ["b", "c", "d"]}', "KeyError: 'input'"),
            ("[1, 2]", "line 2 is not an item"),
        ],
    )
    def test_a_line_that_is_no_item_is_named(self, file: Path, line: str, says: str) -> None:
        first = file.read_text(encoding="utf-8").splitlines()[0]
        file.write_text(f"{first}\n{line}\n")
        with pytest.raises(DatasetError, match=says):
            read_items(file)

    def test_an_empty_or_missing_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "empty").write_text("\n")
        with pytest.raises(DatasetError, match="has no items"):
            read_items(tmp_path / "empty")
        with pytest.raises(DatasetError, match="neither one of semantoneg, antoneg nor a file"):
            evaluate("known:aware", "semantoneg", items=str(tmp_path / "nothing"), out=tmp_path)

    @pytest.mark.parametrize(
        ("sentences", "pair"),
        [
            (("It's hot.", "It's cold.", "It's not hot.", "It's not cold."), ("cold", "hot")),
            (("A bad day.", "An evil day.", "Not a bad day.", "Not an evil day."), ("bad", "evil")),
            (("He left.", "He stayed.", "He didn't leave.", "He didn't stay."), ("leave", "stay")),
        ],
    )
    def test_the_pair_is_read_off(self, sentences: Sequence[str], pair: tuple[str, str]) -> None:
        assert pair_of(sentences[0], sentences[1:]) == pair


class TestFigures:
    def test_they_are_counted_by_hand(self, file: Path, tmp_path: Path) -> None:
        def vector(text: str) -> list[float]:
            """Right about hot and cold; else the same words are alike, whatever is negated."""
            if text.split()[-1] in ("hot.", "cold."):
                return [1.0, 0.0] if ("not" in text) == ("cold" in text) else [0.0, 1.0]
            angle = {"good.": 0.0, "bad.": 0.8, "evil.": 1.2}[text.split()[-1]]
            angle += 0.1 * ("not" in text)
            return [float(np.cos(angle)), float(np.sin(angle))]

        run = evaluate(Encoder(vector), "semantoneg", items=str(file), out=tmp_path)
        assert figure(run, "accuracy", "all").value == 50  # 4 of 12, and 4 repeated ones of 16
        assert figure(run, "accuracy", "all").n == 16
        assert figure(run, "accuracy", "distinct").value == pytest.approx(100 / 3)
        assert figure(run, "accuracy", "distinct").n == 12
        assert figure(run, "accuracy", "chance").value == pytest.approx(100 / 3)
        chosen = {e.condition: e.value for e in run if e.table == "choices"}
        assert chosen == {"paraphrase": 50, "antonym only": 0, "polarity only": 50, "tie": 0}
        assert {e.condition: e.value for e in run if e.table == "pairs"} == {
            "bad/good": 0, "cold/hot": 100, "evil/good": 0,
        }  # fmt: skip
        assert figure(run, "accuracy", "all").clusters_by == {"words": 2}  # good links bad and evil
        assert all(e.published is None for e in run)

    def test_the_margins_are_counted_by_hand(self, file: Path, tmp_path: Path) -> None:
        def vector(text: str) -> list[float]:
            negated, hot = "not" in text, "hot" in text or "good" in text
            near = {(False, True): 0.0, (True, True): 60.0, (True, False): 30.0, (False, False): 90}
            angle = np.radians(near[negated, hot])
            return [float(np.cos(angle)), float(np.sin(angle))]

        run = evaluate(Encoder(vector), "semantoneg", items=str(file), out=tmp_path)
        # x to not x is 60° always; x to its paraphrase is 30°.
        assert figure(run, "margins", "x to not x").value == pytest.approx(0.5, abs=1e-5)
        assert figure(run, "margins", "x to its paraphrase").value == pytest.approx(3**0.5 / 2)
        assert figure(run, "separation", "within an item").value == 100
        assert figure(run, "separation", "across all items").value == 1
        assert {e.value for e in run if e.table == "thresholds"} == {0}
        sweep = {(e.condition, e.metric): e.value for e in run if e.table == "sweep"}
        assert sweep["≥ 0.50", "negations"] == 100 and sweep["≥ 0.55", "negations"] == 0
        assert sweep["≥ 0.85", "paraphrases"] == 100 and sweep["≥ 0.90", "paraphrases"] == 0

    def test_a_degenerate_encoder_has_ties_only(self, file: Path, tmp_path: Path) -> None:
        run = evaluate(Encoder(lambda text: [1, 2, 3]), "semantoneg", items=str(file), out=tmp_path)
        assert figure(run, "accuracy", "all").value == 0
        assert figure(run, "choices", "tie").value == 100
        assert figure(run, "choices", "tie").note == "16 items"

    def test_batches_change_scores_by_rounding_only(self, tiny_embedder: Path, file: Path) -> None:
        out = file.parent
        ways = [(1, 1), (4096, 1000), (7, 10)]
        runs = [
            evaluate(
                str(tiny_embedder), "semantoneg", items=str(file), out=out / str(k),
                token_budget=budget, shard_size=size,
            )
            for k, (budget, size) in enumerate(ways)
        ]  # fmt: skip
        first, *others = [rows_of(run) for run in runs]
        for rows, (row, column) in product(others, product(range(len(first)), first[0])):
            one, other = first[row][column], rows[row][column]
            assert one == (pytest.approx(other, abs=2e-6) if isinstance(one, float) else other)


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=9),
    st.lists(st.integers(0, 5), min_size=1, max_size=9),
)
def test_the_area_is_the_share_of_pairs_in_order(high: list[int], low: list[int]) -> None:
    size = min(len(high), len(low))
    one, other = np.array(high[:size], float), np.array(low[:size], float)
    won = sum((a > b) + 0.5 * (a == b) for a, b in product(one, other))
    assert auc(one, other) == pytest.approx(won / size**2)


class TestUpstream:
    def test_its_items_are_as_the_paper_counts_them(self, upstream_data: Path) -> None:
        spec = RunSpec(model="m", suites=("semantoneg",), data_dir=upstream_data)
        source = source_of(setting_of(spec), None)
        assert (source.name, source.is_upstream, len(source.items)) == ("semantoneg", True, 3152)
        units = source.units
        assert len({unit.key for unit in units}) == 3152
        assert sum(not unit["repeated"] for unit in units) == 3080
        assert len({s for item in source.items for s in item.sentences}) == 2435

    def test_known_models_answer_it(self, upstream_data: Path, tmp_path: Path) -> None:
        options: dict[str, Any] = {"data_dir": upstream_data, "out": tmp_path}
        aware = evaluate("known:aware", "semantoneg", **options)
        blind = evaluate("known:blind", "semantoneg", **options)
        assert figure(aware, "accuracy", "all").value == 100
        assert figure(aware, "accuracy", "all").n == 3152
        assert figure(aware, "accuracy", "distinct").n == 3080
        assert figure(blind, "accuracy", "all").value == 0

    def test_a_degenerate_encoder_ties_on_all_items(
        self, upstream_data: Path, tmp_path: Path
    ) -> None:
        encoder = Encoder(lambda text: [0.1] * 7)
        run = evaluate(encoder, "semantoneg", data_dir=upstream_data, out=tmp_path)
        assert figure(run, "accuracy", "all").value == 0
        assert figure(run, "choices", "tie").note == "3,152 items"

    def test_a_changed_file_is_not_compared_with_the_paper(
        self, upstream_data: Path, tmp_path: Path
    ) -> None:
        original = upstream_data / "SemAntoNeg" / "SemAntoNeg_v1.0.json"
        changed = tmp_path / "data" / "SemAntoNeg" / original.name
        changed.parent.mkdir(parents=True)
        changed.write_text("".join(original.read_text(encoding="utf-8").splitlines(True)[1:]))
        model = KnownModel("all-MiniLM-L6-v2", lambda text, words: True, ["x"])
        options: dict[str, Any] = {"limit": 20, "out": tmp_path}
        true = evaluate(model, "semantoneg", data_dir=upstream_data, **options)
        false = evaluate(model, "semantoneg", data_dir=changed.parent.parent, **options)
        assert figure(true, "accuracy", "all").published == 1.9
        assert any("Of the 114 models in the paper" in note for note in true.findings[0].notes)
        assert figure(false, "accuracy", "all").published is None
        assert "not as released" in false.findings[0].notes[0]


class TestOwnItems:
    def test_they_are_asked_where_upstreams_are_not_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = evaluate("known:aware", "semantoneg", limit=20, out=tmp_path)
        assert run.spec.value("items") == "antoneg"
        assert "antoneg, naysay's own" in run.findings[0].notes[0]
        with pytest.raises(DatasetError, match="naysay data get semantoneg"):
            evaluate("known:aware", "semantoneg", items="semantoneg", out=tmp_path)

    def test_they_are_many_distinct_and_of_several_kinds(self) -> None:
        items = source_of(setting_of(RunSpec(model="m", suites=("semantoneg",))), None).items
        assert len(items) > 3000
        assert len({item.sentences for item in items}) == len(items)
        assert {item.word_class for item in items} == {"adjective", "verb", "adverb", "noun"}
        assert {item.negator for item in items} == {
            "not", "never", "no longer", "hardly", "without", "prefix",
        }  # fmt: skip
        for item in items:
            assert len(set(item.sentences)) == 4
            for sentence in item.sentences:
                assert sentence[0].isupper() and sentence.endswith(".")
                assert not any(wrong in sentence for wrong in ("  ", "{", "}", " not not "))
                for article, word in re.findall(r"\b(an?) (\w)", sentence):
                    assert (article == "an") == (word in "aeiou"), sentence

    def test_aware_finds_all_and_blind_none(self, tmp_path: Path) -> None:
        aware, blind = (
            evaluate(f"known:{rule}", "semantoneg", out=tmp_path) for rule in ("aware", "blind")
        )
        assert figure(aware, "accuracy", "all").value == 100
        assert figure(blind, "accuracy", "all").value == 0
        assert {e.condition for e in aware if e.table == "kinds"} >= {"verb", "never", "prefix"}


class TestCommands:
    def test_missed_items_are_shown_and_can_be_asked_again(
        self, naysay: Naysay, file: Path
    ) -> None:
        runs = []
        for model in ("known:blind", "known:random:0.5:3"):
            command = ("run", "-m", model, "-t", "semantoneg", "--items", file, "--json")
            runs.append(json.loads(naysay(*command).out))
        right = {e["condition"]: e for e in runs[1]["estimates"] if e["table"] == "accuracy"}
        missed = 16 - round(right["all"]["value"] * 16 / 100)
        ended = naysay("missed", runs[0]["run"], runs[1]["run"], "-o", "missed.jsonl")
        assert f"missed by all 2: {missed} of 16" in ended.out
        assert "known:blind (semantoneg) misses 16 of 16 items" in ended.out
        again = naysay(
            "run", "-m", "known:blind", "-t", "semantoneg", "--items", "missed.jsonl", "--full"
        )
        assert f"0 of {missed} right" in again.out

    def test_runs_without_items_are_refused(self, naysay: Naysay) -> None:
        run = json.loads(
            naysay("run", "-m", "known:aware", "-t", "scnt", "--limit", 4, "--json").out
        )
        ended = naysay("missed", run["run"])
        assert ended.code == 2 and "none of these runs has items" in ended.err

    def test_the_file_enters_the_key_by_its_content(self, naysay: Naysay, file: Path) -> None:
        def run(path: Path) -> str:
            command = ("run", "-m", "known:aware", "-t", "semantoneg", "--items", path, "--json")
            return str(json.loads(naysay(*command).out)["run"])

        first = run(file)
        assert run(file.rename(file.with_name("moved.jsonl"))) == first
        moved = file.with_name("moved.jsonl")
        moved.write_text("".join(moved.read_text(encoding="utf-8").splitlines(True)[1:]))
        assert run(moved) != first

    def test_items_are_refused_where_nobody_reads_them(self) -> None:
        with pytest.raises(SpecError, match=r"--items is read by .*semantoneg"):
            evaluate("known:aware", "scnt", items="antoneg")


def test_clusters_are_the_words_linked_as_antonyms() -> None:
    import pyarrow as pa

    pairs = ["bad/good", "cold/hot", "evil/good", "evil/saintly", "cold/hot"]
    table = pa.table({"pair": pa.array(pairs).dictionary_encode()})
    code = JudgedItems(table).linked_words
    assert code[0] == code[2] == code[3] != code[1] == code[4]


@pytest.mark.parametrize("name", ["semantoneg", "semantoneg_likelihood", "semantoneg_prompted"])
def test_default_sizes(name: str) -> None:
    suite = SUITES.get(name)
    units = suite.units(setting_of(RunSpec(model="m", suites=(name,))))
    assert len(units) == (suite.default_limit or 3060)
