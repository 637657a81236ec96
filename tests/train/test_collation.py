"""The plan of a training, the order of its data, its masks and batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import sentences
from naysay.core.errors import SpecError
from naysay.train.collation import IGNORED, CausalCollator, MaskedCollator, packed
from naysay.train.plan import Schedule, TrainingItem
from naysay.train.trainer import TrainingPlan
from toy_training import load


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"batch": 0}, "--batch must be a whole number from 1 on, not 0"),
        ({"steps": True}, "--steps"),
        ({"lr": float("nan")}, "--lr must be a number above 0"),
        ({"epochs": 0}, "--epochs"),
        ({"warmup": -1}, "--warmup"),
        ({"scheduler": "square"}, "--scheduler must be linear or cosine"),
    ],
)
def test_a_plan_that_cannot_be_followed_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        TrainingPlan(**options)


def test_every_epoch_has_all_examples_once_in_an_order_of_its_own() -> None:
    examples = [f"text {k}" for k in range(50)]
    drawn = [Schedule(examples, 120, seed)[place] for seed in (0, 0, 1) for place in range(120)]
    first, again, other = drawn[:120], drawn[120:240], drawn[240:]
    assert first == again != other
    for epoch in (0, 1):
        assert sorted(item.index for item in first if item.epoch == epoch) == list(range(50))
    assert [item.index for item in first[:50]] != [item.index for item in first[50:100]]
    assert all(item.value == examples[item.index] for item in first)


def test_masks_depend_on_the_example_and_the_epoch_alone(tiny_bert: Path) -> None:
    _, tokenizer = load(tiny_bert)
    collate = MaskedCollator(tokenizer, max_length=32)
    items = [TrainingItem(text, k, 0) for k, text in enumerate(sentences()[:40])]
    together = collate(items)
    for k, item in enumerate(items):
        alone = collate([item])
        length = alone["input_ids"].shape[1]
        for name in ("input_ids", "labels"):
            assert together[name][k, :length].tolist() == alone[name][0].tolist()
        assert (together["labels"][k, length:] == IGNORED).all()
    later = collate([TrainingItem(item.value, item.index, 1) for item in items])
    assert (later["labels"] != together["labels"]).any()
    other = MaskedCollator(tokenizer, max_length=32, seed=1)
    assert (other(items)["labels"] != together["labels"]).any()
    assert other.digest != collate.digest


def test_masks_have_the_shares_of_bert(tiny_bert: Path) -> None:
    _, tokenizer = load(tiny_bert)
    text = " ".join(sentences()[:400])
    plain = np.array(tokenizer(text, verbose=False)["input_ids"])
    collate = MaskedCollator(tokenizer, max_length=len(plain))
    batches = [collate([TrainingItem(plain.tolist(), k, 0)]) for k in range(20)]
    ids = np.concatenate([batch["input_ids"].numpy() for batch in batches])
    labels = np.concatenate([batch["labels"].numpy() for batch in batches])
    chosen = labels != IGNORED
    assert not chosen[:, [0, -1]].any()  # [CLS] and [SEP]
    assert (labels[chosen] == np.broadcast_to(plain, ids.shape)[chosen]).all()
    assert chosen[:, 1:-1].mean() == pytest.approx(0.15, abs=0.005)
    masked = (ids == tokenizer.mask_token_id)[chosen].mean()
    kept = (ids == plain)[chosen].mean()
    assert masked == pytest.approx(0.8, abs=0.02) and kept == pytest.approx(0.1, abs=0.02)
    assert (ids == plain)[~chosen].all()


def test_each_text_has_a_token_to_predict(tiny_bert: Path) -> None:
    _, tokenizer = load(tiny_bert)
    batch = MaskedCollator(tokenizer, max_length=32)([TrainingItem("run", k, 0) for k in range(50)])
    assert ((batch["labels"] != IGNORED).sum(dim=1) >= 1).all()


def test_causal_batches_are_compared_with_the_next_token_by_the_model(tiny_gpt: Path) -> None:
    import torch

    model, tokenizer = load(tiny_gpt)
    texts = sentences()[:5]
    batch = CausalCollator(tokenizer, max_length=32)(
        [TrainingItem(t, k, 0) for k, t in enumerate(texts)]
    )
    with torch.inference_mode():
        loss = float(model(**batch).loss)
        told = []
        for text in texts:
            ids = torch.tensor([tokenizer(text)["input_ids"]])
            scores = model(input_ids=ids).logits.log_softmax(-1)[0]
            told += [-float(scores[k, ids[0, k + 1]]) for k in range(ids.shape[1] - 1)]
    assert loss == pytest.approx(sum(told) / len(told), abs=1e-4)


@pytest.mark.parametrize("tiny", ["tiny_bert", "tiny_roberta", "tiny_gpt"])
def test_packed_texts_lose_nothing(tiny: str, request: pytest.FixtureRequest) -> None:
    _, tokenizer = load(request.getfixturevalue(tiny))
    texts = sentences()[:30]
    pieces = packed(tokenizer, texts, 16)
    assert {len(piece) for piece in pieces[:-1]} == {16}
    special = set(tokenizer.all_special_ids)
    flat = [number for piece in pieces for number in piece if number not in special]
    plain = tokenizer(texts, add_special_tokens=False)["input_ids"]
    assert flat == [number for text in plain for number in text if number not in special]
