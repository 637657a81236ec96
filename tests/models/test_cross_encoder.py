"""Cross-encoders: which label means "the same", both orders, and the library's own scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import NLI_LABELS, Outcome, model_request, refused, save_classifier
from naysay import evaluate
from naysay.core.errors import ModelError
from naysay.core.probes import ChooseClosest, Closest
from naysay.core.protocols import ModelRequest
from naysay.models import open_model
from naysay.models.cross_encoder import same_label
from toy_antonyms import CLOSEST


def asked(name: Path, probes: list[ChooseClosest], **options: Any) -> list[Closest]:
    model = open_model(str(name), model_request(**options))
    model.prepare()
    return model.ask(probes)


def library_scores(folder: Path, probe: ChooseClosest) -> Any:
    """The raw scores of the text with each option, there and back, one pair at a time."""
    import torch
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(folder), device="cpu")
    pairs = [[(probe.text, o), (o, probe.text)] for o in probe.options]
    return torch.tensor(
        [
            [
                model.predict([pair], activation_fn=torch.nn.Identity()).reshape(-1).tolist()
                for pair in both
            ]
            for both in pairs
        ]
    )


def test_nearness_is_the_entailment_both_ways(
    tiny_nli: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = asked(tiny_nli, CLOSEST)
    said = capsys.readouterr().err
    assert "0 = contradiction, 1 = entailment, 2 = neutral; 'entailment' is used" in said
    for probe, answer in list(zip(CLOSEST, answers, strict=True))[:4]:
        logprobs = library_scores(tiny_nli, probe).log_softmax(dim=-1)[..., 1].mean(dim=1)
        assert answer.scores == pytest.approx(logprobs.exp().tolist(), abs=2e-6)
        assert answer.scale == "entailment"


def test_a_single_score_is_shown_as_the_model_means_it(tiny_bert: Path, tmp_path: Path) -> None:
    folder = save_classifier(tmp_path / "sts", tiny_bert, {0: "LABEL_0"})
    for probe, answer in list(zip(CLOSEST, asked(folder, CLOSEST), strict=True))[:4]:
        raw = library_scores(folder, probe)[..., 0].mean(dim=1)
        assert answer.scores == pytest.approx(raw.sigmoid().tolist(), abs=2e-6)
        assert answer.scale == "score"


@pytest.mark.parametrize(("budget", "size"), [(1, None), (4096, None), (4096, 2)])
def test_one_equals_many(tiny_nli: Path, budget: int, size: int | None) -> None:
    together = asked(tiny_nli, CLOSEST, token_budget=budget, batch_size=size)
    alone = [asked(tiny_nli, [probe])[0] for probe in CLOSEST[:4]]
    for one, other in zip(together, alone, strict=False):
        assert one.scores == pytest.approx(other.scores, abs=2e-6)


LABELS: dict[str, tuple[dict[int, str], int]] = {
    "nli": (NLI_LABELS, 1),
    "loud": ({0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"}, 0),
    "two": ({0: "not_entailment", 1: "entailment"}, 1),
    "paraphrase": ({0: "not_paraphrase", 1: "paraphrase"}, 1),
    "quora": ({0: "not_duplicate", 1: "is_duplicate"}, 1),
    "one": ({0: "LABEL_0"}, 0),
}


@pytest.mark.parametrize("case", LABELS)
def test_the_label_is_read(case: str) -> None:
    labels, expected = LABELS[case]
    assert same_label("m", labels, None) == expected


@pytest.mark.parametrize(
    "labels",
    [
        {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"},
        {0: "negative", 1: "positive"},
        {0: "entailment", 1: "paraphrase"},
    ],
)
def test_an_unclear_mapping_is_refused_until_it_is_said(
    naysay: Callable[..., Outcome], tiny_bert: Path, tmp_path: Path, labels: dict[int, str]
) -> None:
    folder = save_classifier(tmp_path / "unclear", tiny_bert, labels)
    command = ("run", "-m", folder, "-t", "semantoneg", "--items", "antoneg", "--limit", "4")
    refused(naysay(*command), "cannot determine which label", f"1 = {labels[1]}", "--label")
    refused(naysay(*command, "--label", "nothing"), "has no label 'nothing'")
    assert naysay(*command, "--label", labels[1]).code == 0
    assert naysay(*command, "--label", "1").code == 0


def test_the_label_is_part_of_the_run(tiny_nli: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"limit": 20, "items": "antoneg", "out": tmp_path}
    plain = evaluate(str(tiny_nli), "semantoneg", **options)
    other = evaluate(str(tiny_nli), "semantoneg", label="neutral", **options)
    assert plain.run != other.run
    assert plain.manifest.model["labels"] == {str(k): v for k, v in NLI_LABELS.items()}
    assert (plain.manifest.model["same"], other.manifest.model["same"]) == ("entailment", "neutral")


def test_a_classifier_in_memory_is_the_one_on_disk(tiny_nli: Path, tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder

    options: dict[str, Any] = {"limit": 20, "items": "antoneg", "out": tmp_path}
    model = CrossEncoder(str(tiny_nli), device="cpu")
    loaded, named = (evaluate(m, "semantoneg", **options) for m in (model, str(tiny_nli)))
    assert [e.value for e in loaded] == [e.value for e in named]


def test_a_classifier_without_its_head_is_refused(tiny_bert: Path) -> None:
    with pytest.raises(ModelError, match="lacks 2 of the weights"):
        open_model(f"cross:{tiny_bert}", ModelRequest()).prepare()
