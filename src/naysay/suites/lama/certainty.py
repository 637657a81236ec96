"""Is a model less certain of its answer where the fact is negated? Does any threshold tell?

The paper says that none does; here is the curve.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from naysay.records import Estimate
from naysay.stats.intervals import Floats
from naysay.stats.separation import auc, auc_interval
from naysay.suites._shares import Mask, Shares

if TYPE_CHECKING:
    from naysay.suites.lama.figures import Facts

TITLES = {
    "certainty": "Probability of the first answer, as it is and negated",
    "threshold": "Whether a threshold on it tells them apart",
    "sweep": "Share of questions whose first answer is at least so probable",
}
_PLACES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def measure(suite: str, facts: Facts, asked: Mask, seed: int) -> list[Estimate]:
    """The three tables, over the facts that were compared."""
    if not asked.any():
        return []
    plain, negated = (facts.column(c).values[asked] for c in ("likely", "likely_negated"))
    _, code = np.unique(np.array(facts.relations, dtype=object)[asked], return_inverse=True)
    clusters = {"relations": code.astype(np.int64)}
    every = np.ones(len(plain), dtype=bool)
    means = Shares(
        suite, {"as it is": plain, "negated": negated, "difference": plain - negated}, clusters,
        dict.fromkeys(("as it is", "negated", "difference"), every), seed,
    )  # fmt: skip
    values = {
        f"{place:.2f} {kind}": (scores >= place).astype(float)
        for place in _PLACES
        for kind, scores in (("as it is", plain), ("negated", negated))
    }
    shares = Shares(suite, values, clusters, dict.fromkeys(values, every), seed)
    interval = auc_interval(plain, negated, clusters["relations"], seed=seed)
    area = replace(
        means.sized("difference"), table="threshold", condition="any two questions", metric="AUC",
        unit="score", value=auc(plain, negated), low=interval.low, high=interval.high,
        method=interval.method, note="0.5: no threshold tells anything",
    )  # fmt: skip
    return [
        *(
            means.mean("certainty", name, "mean probability", name, "score")
            for name in ("as it is", "negated", "difference")
        ),
        area,
        _best(suite, plain, negated),
        *(
            shares.share("sweep", f"≥ {place:.2f}", kind, f"{place:.2f} {kind}")
            for place in _PLACES
            for kind in ("as it is", "negated")
        ),
    ]


def _best(suite: str, plain: Floats, negated: Floats) -> Estimate:
    """How often the best threshold is right; guessing is right in half of the cases."""
    places = np.unique(np.concatenate([plain, negated]))
    above = 1 - np.searchsorted(np.sort(plain), places) / len(plain)
    below = np.searchsorted(np.sort(negated), places) / len(negated)
    right = (above + below) / 2
    best = int(right.argmax())
    return Estimate(
        suite, "threshold", "the best threshold", "right", 100 * float(right[best]), n=len(plain),
        note=f"probability {places[best]:.3f}; chosen on these very facts, and 50 % is guessing",
    )  # fmt: skip
