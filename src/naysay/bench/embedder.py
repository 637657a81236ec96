"""Sentence embedders: four padded sentences an item, plain encoding, and each sentence once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from naysay.bench.questions import suite_setting
from naysay.bench.random_models import save_embedder, word_tokenizer
from naysay.bench.results import Comparison, Result, Target
from naysay.bench.selection import timed_note
from naysay.bench.sizes import Sizes
from naysay.bench.turns import Round, Way, attempt, spread_out, take_turns
from naysay.bench.ways import opened
from naysay.core.probes import ChooseClosest
from naysay.models.files.wheels import folder_of
from naysay.suites.semantoneg.source import source_of

TITLE = "Sentence embedders"
PADDED = "four padded sentences an item"
PLAIN = "sentence-transformers' encode, four an item"
NAYSAY = "naysay, each distinct sentence once"
WIDTH = 128
"""Tokens to which the released way pads each sentence."""
BATCH = 32

Items = Sequence[ChooseClosest]


def measure(sizes: Sizes, folder: Path, rounds: int) -> list[Result]:
    """Time all ways on MiniLM, or on a random model of its size if it is not on this machine."""
    setting = suite_setting("semantoneg")
    source = source_of(setting, None)
    items = [ChooseClosest(one.text, one.options) for one in source.items[: sizes.items]]
    weights, named = _model(folder)
    distinct = len({text for item in items for text in (item.text, *item.options)})
    model = _Naysay(weights, distinct)
    padded = min(sizes.padded_items, len(items))
    ways = [
        attempt(PADDED, lambda: _way(PADDED, _padded(weights), items, padded)),
        attempt(PLAIN, lambda: _way(PLAIN, _plain(weights), items, None)),
        Way(NAYSAY, lambda number: model.run(items), prepare=model.open),
    ]
    timings = take_turns(ways, rounds, "embedder")
    return [
        Comparison(
            name="semantoneg",
            title=f"{source.name}, {len(items):,} items, {named}",
            passes="encodings",
            timings=timings,
            targets=(Target(NAYSAY, PADDED, 50.0),),
            notes=(
                f"Padded to {WIDTH} tokens in batches of {BATCH}. Loading is not included.",
                *timed_note(timings),
            ),
        )
    ]


def _model(folder: Path) -> tuple[Path, str]:
    """The folder of the model, and what it is."""
    found = folder_of("minilm")
    if found is not None:
        return found, "all-MiniLM-L6-v2"
    words = word_tokenizer(suite_setting("scnt"))
    return save_embedder(folder, words), "a model of MiniLM's size with random weights"


def _way(name: str, encode: Callable[[list[str]], Any], items: Items, timed: int | None) -> Way:
    def run(number: int) -> Round:
        import numpy as np

        part = items if timed is None else spread_out(items, timed, number)
        vectors = encode([text for item in part for text in (item.text, *item.options)])
        vectors = np.asarray(vectors).reshape(len(part), 4, -1)
        vectors = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
        cosines = np.einsum("id,iod->io", vectors[:, 0], vectors[:, 1:])
        return Round(
            4 * len(part), {i: (int(c),) for i, c in zip(part, cosines.argmax(axis=1), strict=True)}
        )

    return Way(name, run, whole=4 * len(items))


def _padded(folder: Path) -> Callable[[list[str]], Any]:
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


def _plain(folder: Path) -> Callable[[list[str]], Any]:
    """Encode every sentence as sentence-transformers does."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    return lambda texts: model.encode(texts, batch_size=BATCH, show_progress_bar=False)


class _Naysay:
    """naysay's way; the model is opened anew for each round, since it remembers sentences."""

    def __init__(self, folder: Path, distinct: int) -> None:
        self._folder, self._distinct = folder, distinct
        self._model: Any = None

    def open(self) -> None:
        self._model = opened(self._folder)

    def run(self, items: Items) -> Round:
        answers = {}
        for item, answer in zip(items, self._model.ask(items), strict=True):
            answers[item] = (max(range(3), key=answer.scores.__getitem__),)
        return Round(self._distinct, answers)
