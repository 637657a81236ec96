"""Means over facts within relations as estimates, one and the same draws for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from naysay.records import Estimate
from naysay.stats.intervals import Floats, mean_interval, share_interval
from naysay.stats.nested import Nested
from naysay.suites._shares import Mask

MACRO, MICRO = "macro", "micro"
NO_FACT = "no such fact"


@dataclass(frozen=True)
class Column:
    """Something measured of each fact: 0 and 1, or any number."""

    values: Floats
    share: bool = True


class Figures:
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
