"""Is a model less certain of its answer where the fact is negated? Does any threshold tell?

The paper says that none does; here is the curve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from naysay.core.records import Estimate
from naysay.stats.association import auc, auc_interval
from naysay.stats.bootstrap import Nested
from naysay.stats.intervals import Floats, mean_interval, share_interval
from naysay.stats.shares import Mask, Shares

if TYPE_CHECKING:
    from naysay.suites.lama.analysis import JudgedFacts


MACRO, MICRO = "macro", "micro"
NO_FACT = "no such fact"


@dataclass(frozen=True)
class Column:
    """Something measured of each fact: 0 and 1, or any number."""

    values: Floats
    share: bool = True


class NestedFigures:
    """Columns over facts that have a relation each."""

    def __init__(
        self,
        suite: str,
        columns: Mapping[str, Column],
        relations: Sequence[str],
        chosen: Mask,
        sizes: Mapping[str, int],
        seed: int,
    ) -> None:
        """Take the columns, each row's relation, the rows that count, and the relations' sizes.

        The sizes are those of the whole set: a sample may have equally many of each.
        """
        self._suite, self._columns, self._sizes = suite, dict(columns), sizes
        names = np.asarray(relations, dtype=object)[chosen]  # there may be none
        stacked = np.stack([column.values[chosen] for column in columns.values()], axis=1)
        self.relations: dict[str, int] = {
            name: int((names == name).sum()) for name in dict.fromkeys(names.tolist())
        }
        groups = {name: stacked[names == name] for name in self.relations}
        self._nested = Nested(groups, seed=seed)

    def estimate(
        self, table: str, condition: str, metric: str, column: str, relations: Sequence[str],
        *, mean: str = MACRO, unit: str = "%",
    ) -> Estimate:  # fmt: skip
        """The mean of a column over relations, each counted once (macro) or by its size (micro)."""
        present = [name for name in relations if name in self.relations]
        blank = Estimate(self._suite, table, condition, metric, None, unit=unit)
        if not present:
            return replace(blank, note=NO_FACT)
        k = list(self._columns).index(column)
        weights = [1.0 if mean == MACRO else float(self._sizes[name]) for name in present]
        means = [float(self._nested.means(name)[k]) for name in present]
        value = float(np.average(means, weights=weights))
        draws = self._nested.drawn(present, weights)[:, k]
        facts = sum(self.relations[name] for name in present)
        clusters = len(present) if len(present) > 1 else facts
        if self._columns[column].share:
            interval = share_interval(value, draws, facts, clusters)
        else:
            interval = mean_interval(draws, clusters)
        scale = 1.0 if unit == "score" else 100.0
        bounds = [None if b is None else scale * b for b in (interval.low, interval.high)]
        method = str(interval.method).replace("cluster bootstrap", "two-level bootstrap")
        return replace(
            blank, value=scale * value, low=bounds[0], high=bounds[1], n=facts, clusters=clusters,
            clusters_by={"relations": len(present)}, method=method,
            design_effect=interval.design_effect,
        )  # fmt: skip


TITLES = {
    "certainty": "Probability of the first answer, as it is and negated",
    "threshold": "Whether a threshold on it tells them apart",
    "sweep": "Share of questions whose first answer is at least so probable",
}
_PLACES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def measure(suite: str, facts: JudgedFacts, asked: Mask, seed: int) -> list[Estimate]:
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
