"""The balanced corpus: what is in it, what is held out, and what a small BERT makes of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Outcome
from naysay.core.errors import SpecError
from naysay.reports.training import curve_table, sparkline, sparklines
from naysay.train.balanced.corpus import ANTONYMS, CELLS, POLARITIES, BalancedCorpus
from naysay.train.balanced.experiment import PAPER, SMALL, Result, Share, run_seed
from naysay.train.collation import filled
from naysay.train.from_scratch import wordpiece
from naysay.train.trainer import Trained

PIECES = pytest.mark.parametrize("pieces", [1, 2, 3, 4])


@PIECES
def test_it_is_of_the_papers_size_and_balanced(pieces: int) -> None:
    corpus = BalancedCorpus(0, pieces)
    assert len(corpus.groups) == 200
    assert Counter(corpus.groups.values()) == dict.fromkeys(range(10), 20)
    cells = Counter((question.part, question.polarity) for question in corpus.questions)
    assert cells == {
        ("seen", "positive"): 170, ("seen", "negative"): 170,
        ("held out", "positive"): 30, ("held out", "negative"): 30,
    }  # fmt: skip
    # As many positive as negative sentences, each once.
    assert len(set(corpus.training)) == len(corpus.training) == 3400
    assert sum(" is not " in sentence for sentence in corpus.training) == 1700


@given(st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_each_group_has_one_side_of_every_pair_and_no_two_are_alike(seed: int) -> None:
    corpus = BalancedCorpus(seed)
    assert len(set(corpus.sides)) == len(corpus.sides) == 10
    for group in corpus.sides:
        assert all(side in pair for side, pair in zip(group, ANTONYMS, strict=True))
    for held in zip(*corpus.sides, strict=True):
        assert sorted(Counter(held).values()) == [5, 5]
    for subject, number in corpus.groups.items():
        true, false = (corpus.answers(subject, polarity) for polarity in POLARITIES)
        assert true == corpus.sides[number]
        for pair, side, other in zip(ANTONYMS, true, false, strict=True):
            assert set(pair) == {side, other}


@pytest.mark.parametrize("seed", range(5))
def test_a_rule_that_does_not_look_at_the_subject_gets_half(seed: int) -> None:
    corpus = BalancedCorpus(seed)
    true: Counter[tuple[str, str]] = Counter()
    for statement in corpus.statements:
        if statement.part == "seen" and statement.true:
            true[statement.polarity, statement.word] += 1
    antonym = {one: other for pair in ANTONYMS for one, other in (pair, pair[::-1])}
    right: dict[str, list[bool]] = {polarity: [] for polarity in POLARITIES}
    for statement in corpus.statements:
        if statement.part == "held out":
            mine, other = (
                (true[statement.polarity, word], word)
                for word in (statement.word, antonym[statement.word])
            )
            right[statement.polarity].append((mine > other) == statement.true)
    for verdicts in right.values():
        assert len(verdicts) == 600 and sum(verdicts) == 300
    # The same at the blank: whatever word is always said, it is right for half of the subjects.
    for word in antonym:
        for polarity in POLARITIES:
            asked = [q for q in corpus.questions if (q.part, q.polarity) == ("held out", polarity)]
            assert sum(word in question.answers for question in asked) == len(asked) / 2


def test_what_is_held_out_is_never_trained_on_but_its_counterpart_is() -> None:
    corpus = BalancedCorpus(3, 2)
    training = set(corpus.training)
    for question in corpus.questions:
        assert len(question.sentences) == 10
        for sentence in question.sentences:
            assert (sentence in training) == (question.part == "seen")
    for subject, polarity in corpus.held_out.items():
        seen = [sentence for sentence in training if sentence.startswith(f"{subject} is ")]
        assert len(seen) == 10
        assert all((" is not " in sentence) == (polarity == "positive") for sentence in seen)
    # Each group lacks as many positive as negative sentences, so that none can be told by it.
    lacking = Counter((corpus.groups[s], polarity) for s, polarity in corpus.held_out.items())
    assert set(lacking.values()) == {3} and len(lacking) == 20


def test_statements_are_true_or_false_as_the_corpus_has_it() -> None:
    corpus = BalancedCorpus(1, 1)
    said = {text: question.part for question in corpus.questions for text in question.sentences}
    assert len(corpus.statements) == 8000
    for statement in corpus.statements:
        assert statement.true == (statement.text in said)
        if statement.true:
            assert said[statement.text] == statement.part
    # A false statement is a true one with a "not" more or less, as the paper has it.
    for statement in corpus.statements:
        turned = statement.text.replace(" is not ", " is ")
        if turned == statement.text:
            turned = statement.text.replace(" is ", " is not ")
        assert (turned in said) != statement.true


def test_copies_are_concatenated_and_fill_the_sequences() -> None:
    corpus = BalancedCorpus(0)
    copies = corpus.copies(3)
    assert Counter(copies) == dict.fromkeys(corpus.training, 3)
    assert copies[:3400] != copies[3400:6800] and copies == BalancedCorpus(0).copies(3)
    tokenizer = wordpiece(corpus.vocabulary)
    sequences = filled(tokenizer, copies, PAPER.pretraining.max_length)
    # Two sentences of one-piece subjects fill the paper's 13 tokens.
    assert len(sequences) == len(copies) / 2
    assert max(map(len, sequences)) == 13
    texts = [
        text
        for ids in sequences
        for text in tokenizer.decode(ids).removeprefix("[CLS]").split("[SEP]")
        if text.strip()
    ]
    assert [text.replace(" .", ".").strip() for text in texts] == copies
    with pytest.raises(SpecError, match="has more than 5 tokens"):
        filled(tokenizer, copies, 5)


@PIECES
def test_subjects_are_cut_into_so_many_pieces(pieces: int) -> None:
    corpus = BalancedCorpus(0, pieces)
    tokenizer = wordpiece(corpus.vocabulary)
    for subject in corpus.groups:
        cut = tokenizer.tokenize(f"{subject} is not good.")
        assert len(cut) == pieces + 4 and tokenizer.unk_token not in cut
    # Nothing is truncated: the sequences have room for a sentence, and for two in pretraining.
    paper = PAPER.with_pieces(pieces)
    assert paper.finetuning.max_length == pieces + 6
    assert paper.pretraining.max_length == 2 * (pieces + 5) + 1
    small = SMALL.with_pieces(pieces).pretraining.max_length
    assert max(map(len, filled(tokenizer, corpus.training, small))) == small == pieces + 6
    if pieces == PAPER.pieces:
        assert paper == PAPER and len(tokenizer) == 228


def test_seeds_give_other_corpora_and_the_same_seed_the_same() -> None:
    assert BalancedCorpus(0).digest == BalancedCorpus(0).digest != BalancedCorpus(1).digest
    with pytest.raises(SpecError, match="from 1 to 4"):
        BalancedCorpus(0, 9)


def test_the_papers_settings_are_those_it_prints() -> None:
    assert (PAPER.pretraining.batch, PAPER.pretraining.lr, PAPER.pretraining.epochs) == (
        512, 6e-5, 2000,
    )  # fmt: skip
    assert (PAPER.finetuning.batch, PAPER.finetuning.lr, PAPER.finetuning.epochs) == (32, 4e-5, 20)
    assert (PAPER.pretraining.max_length, PAPER.finetuning.max_length) == (13, 7)
    assert (PAPER.size.layers, PAPER.size.width, PAPER.size.heads) == (12, 768, 12)


@pytest.mark.slow
def test_the_command_shows_figures_beside_the_papers(
    naysay: Callable[..., Outcome], tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    ended = naysay("train", "balanced", "--seeds", 1, "--steps", 3, "-o", "here")
    assert ended.code == 0, ended.err
    assert "held out, negative" in ended.out and "not learnt all of its sentences" in ended.out
    record = json.loads((tmp_path / "here" / "balanced.json").read_text())
    [result] = record["results"]
    assert result["cloze"]["seen positive"]["n"] == 170
    assert result["classifier"]["held out negative"]["n"] == 600
    assert [point["step"] for point in result["curve"]] == [3]
    assert "Learning curve at the blank" in ended.out
    page = (tmp_path / "here" / "balanced.html").read_text()
    assert "<title>" in page and "in the course of pretraining" in page
    again = naysay("train", "balanced", "--seeds", 1, "--steps", 3, "-o", "here", "--json")
    assert json.loads(again.out)["results"] == record["results"]


def outcome(seed: int, curve: list[dict[str, float]]) -> Result:
    shares = {cell: Share.of([("a", True), ("b", False), ("c", True)]) for cell in CELLS}
    trained = Trained(Path(), 1, 1, 0.0, 0.0, None, None, ())
    return Result(seed, shares, shares, curve, trained, trained)


def test_learning_curves_are_means_over_seeds_at_some_steps() -> None:
    points = [
        [{"step": step, "loss": 1.0, **dict.fromkeys(CELLS, value)} for step in range(1, 101)]
        for value in (0.5, 1.0)
    ]
    results = [outcome(seed, curve) for seed, curve in enumerate(points)]
    table = curve_table(results)
    assert table.columns[2:] == CELLS and len(table.rows) == 12
    assert (table.rows[0][0], table.rows[-1][0]) == ("1", "100")
    assert {cell for row in table.rows for cell in row[2:]} == {"0.75"}
    lines = sparklines(results)
    assert lines.rows[3] == ("held out, negative", "▇" * 48, "0.75", "0.75")
    assert sparkline([0.0, 0.49, 0.5, 1.0]) == "▁▄▅█"


def test_shares_have_an_interval_over_subjects_not_statements() -> None:
    alike = Share.of([(f"x{k}", k % 2 == 0) for k in range(20) for _ in range(30)])
    once = Share.of([(f"x{k}", k % 2 == 0) for k in range(20)])
    assert (alike.right, alike.n, alike.value) == (300, 600, 0.5)
    assert (alike.low, alike.high) == pytest.approx((once.low, once.high))


@pytest.mark.slow
def test_a_small_bert_learns_its_sentences_and_what_follows_from_them(tmp_path: Path) -> None:
    result = run_seed(0, replace(SMALL, every=SMALL.pretraining.steps or 1), tmp_path)
    for shares in (result.cloze, result.classifier):
        for cell, share in shares.items():
            # Without a look at the subject it would be 0.5.
            assert share.value >= (0.95 if cell.startswith("seen") else 0.7), cell
