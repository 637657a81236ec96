"""Is a model less certain of its answer when the fact is negated, so that a threshold shows it?

The paper says that no threshold does; these tables have the figures.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from naysay.core.measures import Measure
from naysay.core.records import Estimate
from naysay.stats.association import auc, auc_interval
from naysay.stats.clusters import Floats
from naysay.stats.shares import Shares
from naysay.suites.lama.facts import JudgedFacts

TITLES = {
    "certainty": "Probability of the first answer, as it is and negated",
    "threshold": "Whether a threshold on this probability separates the two",
    "sweep": "Share of questions whose first answer is at least this probable",
}
PLAIN, NEGATED, DIFFERENCE = "as it is", "negated", "difference"
_PLACES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def measures(facts: JudgedFacts) -> list[Measure]:
    """The three tables, over the facts that were asked both ways; none without such facts."""
    asked = facts.asked
    if not asked.any():
        return []
    plain, negated = (facts.numbers(c)[asked] for c in ("likely", "likely_negated"))
    relations = np.unique(facts.words("relation")[asked], return_inverse=True)[1]
    clusters = {"relations": relations.astype(np.int64)}
    every = np.ones(len(plain), dtype=bool)

    def shares(values: dict[str, Floats]) -> Shares:
        return Shares(facts.suite, values, clusters, dict.fromkeys(values, every))

    means = shares({PLAIN: plain, NEGATED: negated, DIFFERENCE: plain - negated})
    sweep = shares(
        {
            f"{place:.2f} {kind}": (scores >= place).astype(float)
            for place in _PLACES
            for kind, scores in ((PLAIN, plain), (NEGATED, negated))
        }
    )

    def area() -> Estimate:
        interval = auc_interval(plain, negated, clusters["relations"], "relations")
        return replace(
            means.sized(DIFFERENCE), value=auc(plain, negated), low=interval.low,
            high=interval.high, method=interval.method,
        )  # fmt: skip

    return [
        *(
            means.mean("certainty", name, "mean probability", name, "score")
            for name in (PLAIN, NEGATED, DIFFERENCE)
        ),
        Measure(
            facts.suite, "threshold", "any two questions", "AUC", area, unit="score",
            note="0.5: no threshold separates them",
        ),
        Measure(
            facts.suite, "threshold", "the best threshold", "right",
            lambda: _best(facts.suite, plain, negated),
        ),
        *(
            sweep.share("sweep", f"≥ {place:.2f}", kind, f"{place:.2f} {kind}")
            for place in _PLACES
            for kind in (PLAIN, NEGATED)
        ),
    ]  # fmt: skip


def _best(suite: str, plain: Floats, negated: Floats) -> Estimate:
    """How often the best threshold is right; guessing is right in half of the cases."""
    places = np.unique(np.concatenate([plain, negated]))
    above = 1 - np.searchsorted(np.sort(plain), places) / len(plain)
    below = np.searchsorted(np.sort(negated), places) / len(negated)
    right = (above + below) / 2
    best = int(right.argmax())
    note = f"probability {places[best]:.3f}; chosen on these same facts; guessing gives 50 %"
    return Estimate(suite, "", "", "", 100 * float(right[best]), n=len(plain), note=note)
