"""The released procedure: the four sentences of each item, each padded to the full width."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from naysay.suites.benchmarks import Answers, Released, Timed
from naysay.suites.protocol import Setting, Unit
from naysay.suites.semantoneg.rows import OPTIONS, options_of
from naysay.suites.semantoneg.suite import ClosestRow

WIDTH = 128
"""Tokens to which the released way pads each sentence."""
BATCH = 32
_TIMED = 200

Encode = Callable[[list[str]], Any]


class ItemBenchmark(Timed):
    """SemAntoNeg."""

    kind = "sentence"
    least = 50.0
    units: int | None = None
    few = 8
    passes = "encodings"

    def released(
        self, folder: Path, setting: Setting, rows: Sequence[ClosestRow]
    ) -> Iterable[Released]:
        """Four padded sentences an item; and the same as sentence-transformers encodes them."""
        for name, encoder, timed in (
            ("four padded sentences an item", _padded, _TIMED),
            ("sentence-transformers' encode, four an item", _plain, None),
        ):
            yield Released(
                name=name, steps=setting.units, passes=4, timed=timed,
                open=partial(_choosing, encoder, folder),
            )  # fmt: skip

    def answers(self, rows: Sequence[ClosestRow]) -> Answers:
        """The nearest option of each item."""
        scores = {row.unit: [getattr(row, f"near_{one}") for one in OPTIONS] for row in rows}
        return {unit: (max(range(3), key=near.__getitem__),) for unit, near in scores.items()}

    def computed(self, rows: Sequence[ClosestRow], questions: int) -> int:
        """Each distinct sentence once."""
        return len({getattr(row, part) for row in rows for part in ("text", *OPTIONS)})


def _choosing(
    encoder: Callable[[Path], Encode], folder: Path
) -> Callable[[Sequence[Unit]], Answers]:
    """Load an encoder; the option whose vector is nearest is chosen."""
    encode = encoder(folder)

    def choose(units: Sequence[Unit]) -> Answers:
        import numpy as np

        vectors = encode([text for unit in units for text in (unit["text"], *options_of(unit))])
        vectors = np.asarray(vectors).reshape(len(units), 4, -1)
        vectors = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
        cosines = np.einsum("id,iod->io", vectors[:, 0], vectors[:, 1:])
        best = cosines.argmax(axis=1)
        return {unit.key: (int(one),) for unit, one in zip(units, best, strict=True)}

    return choose


def _padded(folder: Path) -> Encode:
    """Encode every sentence at the full width, as the released code does."""
    import numpy as np
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    padding = {"padding": "max_length", "max_length": WIDTH, "truncation": True}

    def encode(texts: list[str]) -> Any:
        vectors: list[Any] = []
        with torch.inference_mode():
            for start in range(0, len(texts), BATCH):
                part = texts[start : start + BATCH]
                features = dict(model.tokenizer(part, return_tensors="pt", **padding))
                vectors.append(model(features)["sentence_embedding"].numpy())
        return np.concatenate(vectors)

    return encode


def _plain(folder: Path) -> Encode:
    """Encode every sentence as sentence-transformers does."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    return lambda texts: model.encode(texts, batch_size=BATCH, show_progress_bar=False)


BENCHMARK = ItemBenchmark()
