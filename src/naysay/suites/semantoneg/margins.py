"""How near negations and paraphrases are: what somebody who chooses a model has to know.

A search or a deduplication takes whatever is above a threshold for the same. It should take the
paraphrase of x, and not "not x".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from naysay.core.records import Estimate
from naysay.stats.association import auc, auc_interval
from naysay.stats.intervals import Floats
from naysay.stats.shares import Shares
from naysay.suites.semantoneg.rows import JudgedItems

TITLES = {
    "margins": "How near x is to “not x” and to its paraphrase",
    "separation": "Whether paraphrases are nearer than negations",
    "thresholds": "Negations taken for the same, if so many paraphrases are to be found",
    "sweep": "Share of sentence pairs at or above a threshold",
}
_FOUND = (99, 95, 90, 75, 50)
_STEPS = 21


def measure(suite: str, rows: JudgedItems, seed: int) -> list[Estimate]:
    """The three tables."""
    negation, paraphrase = rows.numbers("near_polarity_only"), rows.numbers("near_paraphrase")
    [scale, *_], _ = rows.words("scale")
    return [
        *_margins(suite, rows, negation, paraphrase, scale, seed),
        *_thresholds(suite, rows, negation, paraphrase, scale, seed),
        *_sweep(suite, rows, negation, paraphrase, seed),
    ]


def _shares(suite: str, rows: JudgedItems, values: dict[str, Floats], seed: int) -> Shares:
    chosen = dict.fromkeys(values, rows.everything)
    return Shares(suite, values, {"words": rows.linked_words}, chosen, seed)


def _margins(
    suite: str, rows: JudgedItems, negation: Floats, paraphrase: Floats, scale: str, seed: int
) -> list[Estimate]:
    values = {"x to not x": negation, "x to its paraphrase": paraphrase}
    values["difference"] = paraphrase - negation
    values["nearer"] = (paraphrase > negation).astype(float)
    shares = _shares(suite, rows, values, seed)
    means = [
        shares.mean("margins", name, f"mean {scale}", name, "score") for name in list(values)[:3]
    ]
    nearer = shares.share("separation", "within an item", "share", "nearer")
    interval = auc_interval(paraphrase, negation, rows.linked_words, seed=seed)
    area = replace(
        shares.sized("nearer"), table="separation", condition="across all items", metric="AUC",
        unit="score", value=auc(paraphrase, negation), low=interval.low, high=interval.high,
        method=interval.method, note="0.5 tells nothing apart, less is the wrong way round",
    )  # fmt: skip
    return [*means, nearer, area]


def _thresholds(
    suite: str, rows: JudgedItems, negation: Floats, paraphrase: Floats, scale: str, seed: int
) -> list[Estimate]:
    """The share of negations above the threshold that finds so many of the paraphrases."""
    places = {f"{share} % found": _threshold(paraphrase, share / 100) for share in _FOUND}
    above = {name: (negation >= place).astype(float) for name, place in places.items()}
    shares = _shares(suite, rows, above, seed)
    return [
        replace(
            shares.share("thresholds", name, "negations taken for the same", name),
            note=f"threshold: {scale} {place:.3f}",
        )
        for name, place in places.items()
    ]


def _threshold(scores: Floats, share: float) -> float:
    """The highest threshold that at least this share of the scores reaches.

    >>> _threshold(np.array([0.1, 0.2, 0.3, 0.4]), 0.5)
    0.3
    """
    wanted = int(np.ceil(share * len(scores)))
    return float(np.sort(scores)[::-1][wanted - 1])


def _sweep(
    suite: str, rows: JudgedItems, negation: Floats, paraphrase: Floats, seed: int
) -> list[Estimate]:
    low, high = (f(np.concatenate([negation, paraphrase])) for f in (np.min, np.max))
    if low >= -1 and high <= 1 + 1e-6:
        low, high = min(0.0, np.floor(low * 10) / 10), 1.0
    values, labels = {}, {}
    for place in np.linspace(low, high, _STEPS):
        for kind, scores in (("paraphrases", paraphrase), ("negations", negation)):
            name = f"{place:.6f} {kind}"
            values[name] = (scores >= place).astype(float)
            labels[name] = f"≥ {place:.2f}", kind
    shares = _shares(suite, rows, values, seed)
    return [shares.share("sweep", *labels[name], name) for name in values]
