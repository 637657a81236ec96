"""Speed-up of encoding each distinct sentence once, over all four per item padded to 128 tokens.

Both methods are timed in one run, in turns, with the same weights, and must choose the same
options.

    python benchmarks/sentences.py [--model minilm] [--items semantoneg] [--rounds 3]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from naysay.core.probes import ChooseClosest
from naysay.core.protocols import ModelRequest
from naysay.core.spec import RunSpec
from naysay.models import open_model
from naysay.models.files import locate
from naysay.run.plan import setting_of
from naysay.suites.semantoneg.source import source_of

PADDED = 128
BATCH = 32


def naive(folder: str, probes: Sequence[ChooseClosest]) -> list[int]:
    """Encode the four sentences of each item every time, padded to the maximum length."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import batch_to_device

    model = SentenceTransformer(folder, device="cpu")
    texts = [text for probe in probes for text in (probe.text, *probe.options)]
    padding = {"padding": "max_length", "max_length": PADDED, "truncation": True}
    vectors: list[Any] = []
    with torch.inference_mode():
        for start in range(0, len(texts), BATCH):
            encoded = model.tokenizer(texts[start : start + BATCH], return_tensors="pt", **padding)
            features = batch_to_device(dict(encoded), model.device)
            vectors.append(model(features)["sentence_embedding"].numpy())
    stacked = np.concatenate(vectors).reshape(len(probes), 4, -1)
    stacked /= np.linalg.norm(stacked, axis=2, keepdims=True)
    cosines = np.einsum("id,iod->io", stacked[:, 0], stacked[:, 1:])
    return [int(k) for k in cosines.argmax(axis=1)]


def once(name: str, probes: Sequence[ChooseClosest]) -> list[int]:
    """Answer as naysay does."""
    model = open_model(name, ModelRequest(device="cpu"))
    return [int(np.argmax(answer.scores)) for answer in model.ask(probes)]


def main() -> None:
    """Run the benchmark, compare the answers, and print the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", default="minilm")
    options.add_argument("--items", default=None)
    options.add_argument("--limit", type=int, default=None, help="fewer items, for a quick look")
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    spec = RunSpec(model=given.model, suites=("semantoneg",))
    source = source_of(setting_of(spec), given.items)
    items = source.items[: given.limit]
    probes = [ChooseClosest(item.text, item.options) for item in items]
    distinct = len({text for item in items for text in item.sentences})
    print(
        f"{source.name}: {len(items):,} items, {4 * len(items):,} sentences, {distinct:,} distinct"
    )
    folder = str(locate(given.model).folder)
    seconds: dict[str, list[float]] = {"padded": [], "once": []}
    ways: dict[str, Callable[[], list[int]]] = {
        "padded": lambda: naive(folder, probes),
        "once": lambda: once(given.model, probes),
    }
    for _ in range(given.rounds):
        chosen = {}
        for way, run in ways.items():
            begun = time.perf_counter()
            chosen[way] = run()
            seconds[way].append(time.perf_counter() - begun)
        same = sum(a == b for a, b in zip(chosen["padded"], chosen["once"], strict=True))
        ratio = seconds["padded"][-1] / seconds["once"][-1]
        print(
            f"padded {seconds['padded'][-1]:.1f} s, once {seconds['once'][-1]:.2f} s: "
            f"{ratio:.0f} × faster; {same:,} of {len(items):,} choices equal"
        )
    ratios = [p / o for p, o in zip(seconds["padded"], seconds["once"], strict=True)]
    print(f"median of {given.rounds} rounds: {statistics.median(ratios):.0f} ×")


if __name__ == "__main__":
    main()
