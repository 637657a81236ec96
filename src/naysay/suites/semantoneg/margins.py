"""How near negations and paraphrases are, for those who choose a model.

Search and deduplication accept all sentences above a threshold as the same. They should accept the
paraphrase of x, and reject "not x".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from naysay.core.measures import Measure
from naysay.core.records import Estimate
from naysay.stats.association import auc, auc_interval
from naysay.stats.clusters import Floats
from naysay.suites.semantoneg.judged import JudgedItems

TITLES = {
    "margins": "How near x is to “not x” and to its paraphrase",
    "separation": "Whether paraphrases are nearer than negations",
    "thresholds": "Negations above the threshold that finds a share of the paraphrases",
    "sweep": "Share of sentence pairs at or above a threshold",
}
_FOUND = (99, 95, 90, 75, 50)
_STEPS = 21


def measures(suite: str, rows: JudgedItems) -> list[Measure]:
    """The four tables."""
    negation, paraphrase = rows.numbers("near_polarity_only"), rows.numbers("near_paraphrase")
    [scale, *_], _ = rows.words("scale")
    return [
        *_margins(suite, rows, negation, paraphrase, scale),
        *_thresholds(suite, rows, negation, paraphrase, scale),
        *_sweep(suite, rows, negation, paraphrase),
    ]


def _margins(
    suite: str, rows: JudgedItems, negation: Floats, paraphrase: Floats, scale: str
) -> list[Measure]:
    values = {"x to not x": negation, "x to its paraphrase": paraphrase}
    values["difference"] = paraphrase - negation
    values["nearer"] = (paraphrase > negation).astype(float)
    shares = rows.shares(suite, values)

    def area() -> Estimate:
        interval = auc_interval(paraphrase, negation, rows.linked_words, "words")
        return replace(
            shares.sized("nearer"), value=auc(paraphrase, negation), low=interval.low,
            high=interval.high, method=interval.method,
        )  # fmt: skip

    return [
        *(
            shares.mean("margins", name, f"mean {scale}", name, "score")
            for name in ("x to not x", "x to its paraphrase", "difference")
        ),
        shares.share("separation", "within an item", "share", "nearer"),
        Measure(
            suite, "separation", "across all items", "AUC", area, unit="score",
            note="0.5: no separation; below 0.5: negations are nearer",
        ),
    ]  # fmt: skip


def _thresholds(
    suite: str, rows: JudgedItems, negation: Floats, paraphrase: Floats, scale: str
) -> list[Measure]:
    """The share of negations above the threshold that finds so many of the paraphrases."""
    places = {f"{share} % found": _threshold(paraphrase, share / 100) for share in _FOUND}
    above = {name: negation >= place for name, place in places.items()}
    shares = rows.shares(suite, above)
    return [
        shares.share(
            "thresholds", name, "negations taken for the same", name,
            note=f"threshold: {scale} {place:.3f}",
        )
        for name, place in places.items()
    ]  # fmt: skip


def _threshold(scores: Floats, share: float) -> float:
    """The highest threshold that at least this share of the scores reaches.

    >>> _threshold(np.array([0.1, 0.2, 0.3, 0.4]), 0.5)
    0.3
    """
    wanted = int(np.ceil(share * len(scores)))
    return float(np.sort(scores)[::-1][wanted - 1])


def _sweep(suite: str, rows: JudgedItems, negation: Floats, paraphrase: Floats) -> list[Measure]:
    low, high = (f(np.concatenate([negation, paraphrase])) for f in (np.min, np.max))
    if low >= -1 and high <= 1 + 1e-6:
        low, high = min(0.0, np.floor(low * 10) / 10), 1.0
    values, labels = {}, {}
    for place in np.linspace(low, high, _STEPS):
        for kind, scores in (("paraphrases", paraphrase), ("negations", negation)):
            name = f"{place:.6f} {kind}"
            values[name] = scores >= place
            labels[name] = f"≥ {place:.2f}", kind
    shares = rows.shares(suite, values)
    return [shares.share("sweep", *labels[name], name) for name in values]
