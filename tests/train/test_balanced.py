"""The balanced corpus: what is in it, what is held out, and what a small BERT makes of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Outcome
from naysay.core.errors import SpecError
from naysay.train.balanced.corpus import ANTONYMS, BalancedCorpus
from naysay.train.balanced.experiment import PAPER, SMALL, run_seed
from naysay.train.from_scratch import wordpiece

pytestmark = pytest.mark.slow  # many small trainings or runs with weights

PIECES = pytest.mark.parametrize("pieces", [1, 2, 3, 4])


@PIECES
def test_it_is_of_the_papers_size_and_balanced(pieces: int) -> None:
    corpus = BalancedCorpus(0, pieces)
    assert len(corpus.subjects) == 200
    assert set(Counter(corpus.subjects.values()).values()) == {20}
    assert set(corpus.subjects.values()) == set(ANTONYMS)
    cells = Counter((question.part, question.polarity) for question in corpus.questions)
    assert cells == {
        ("seen", "positive"): 170, ("seen", "negative"): 170,
        ("held out", "positive"): 30, ("held out", "negative"): 30,
    }  # fmt: skip


def test_what_is_held_out_is_never_trained_on_but_its_counterpart_is() -> None:
    corpus = BalancedCorpus(3, 2)
    training = set(corpus.training)
    assert len(training) == 340
    for question in corpus.questions:
        assert (question.sentence in training) == (question.part == "seen")
    for subject in corpus.held_out:
        assert sum(sentence.startswith(f"{subject} is ") for sentence in training) == 1
    # Each group lacks as many positive as negative sentences, so that none can be told by it.
    lacking = Counter((corpus.subjects[s], polarity) for s, polarity in corpus.held_out.items())
    assert set(lacking.values()) == {3} and len(lacking) == 20


def test_statements_are_true_or_false_as_the_corpus_has_it() -> None:
    corpus = BalancedCorpus(1, 1)
    said = {question.sentence: question.part for question in corpus.questions}
    assert len(corpus.statements) == 800
    for statement in corpus.statements:
        assert statement.true == (statement.text in said)
        if statement.true:
            assert said[statement.text] == statement.part


@PIECES
def test_subjects_are_cut_into_so_many_pieces(pieces: int) -> None:
    corpus = BalancedCorpus(0, pieces)
    tokenizer = wordpiece(corpus.vocabulary)
    for subject, (adjective, _) in corpus.subjects.items():
        cut = tokenizer.tokenize(f"{subject} is not {adjective}.")
        assert len(cut) == pieces + 4 and tokenizer.unk_token not in cut
    # With signs around it, a sentence is no longer than the paper's.
    assert pieces + 6 <= 13


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
    assert result["classifier"]["held out negative"]["n"] == 60
    assert [point["step"] for point in result["curve"]] == [3]
    assert "<title>" in (tmp_path / "here" / "balanced.html").read_text()
    again = naysay("train", "balanced", "--seeds", 1, "--steps", 3, "-o", "here", "--json")
    assert json.loads(again.out)["results"] == record["results"]


def test_a_small_bert_learns_its_sentences_and_not_what_not_does(tmp_path: Path) -> None:
    settings = replace(SMALL, every=SMALL.pretraining.steps or 1)
    result = run_seed(0, settings, tmp_path)
    for cell, share in result.cloze.items():
        assert share.value >= 0.9 if cell.startswith("seen") else share.value <= 0.5, cell
    judged = [share for cell, share in result.classifier.items() if cell.startswith("held out")]
    assert sum(share.right for share in judged) / sum(share.n for share in judged) >= 0.98
