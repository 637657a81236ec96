"""Means over groups of rows, as measures: each group counts once, or by its size.

Intervals are from a two-level bootstrap: of the groups, and of the rows in each. What is drawn for
one measure serves the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from naysay.core.measures import ItemColumns, Items, Measure, Wanted
from naysay.core.records import Estimate
from naysay.stats.bootstrap import Nested
from naysay.stats.intervals import Codes, Floats, mean_interval, share_interval
from naysay.stats.shares import Mask


class NestedShares:
    """Measures over the chosen rows, each of which belongs to one group."""

    def __init__(
        self,
        suite: str,
        columns: Mapping[str, Floats],
        groups: tuple[Sequence[str], Codes],
        chosen: Mask,
        seed: int,
        *,
        kind: str,
        sizes: Mapping[str, int],
        items: ItemColumns | None = None,
    ) -> None:
        """Take the rows' values by column, their groups, and which rows count.

        The groups are given as their names and the number of each row's name; `kind` is what they
        are called. The sizes are those of the whole set: a sample may have equally many rows of
        each group. With `items`, macro means can be compared between runs; the groups must be the
        items' clusters.
        """
        self._suite, self._columns, self._seed = suite, dict(columns), seed
        self._kind, self._sizes, self._items = kind, sizes, items
        self._rows = np.flatnonzero(chosen)
        names, code = groups
        self._number = {name: k for k, name in enumerate(names)}
        self._code = code[self._rows]
        self._counts = np.bincount(self._code, minlength=len(names))

    def has(self, groups: Sequence[str]) -> bool:
        """Whether any chosen row is in one of these groups; without one there is no mean."""
        return any(self._count(name) for name in groups)

    def mean(
        self, table: str, condition: str, metric: str, column: str, groups: Sequence[str],
        *, unit: str = "%", by_size: bool = False, wanted: Wanted | None = None,
        compared: bool = False,
    ) -> Measure:  # fmt: skip
        """The mean of a column over groups, each counted once (macro) or by its size (micro).

        With the unit % it is a share. `compared` says that two runs are compared on it, item by
        item.
        """
        assert self.has(groups), "a mean needs at least one row"
        assert not (by_size and compared), "items are compared by their macro mean"
        return Measure(
            self._suite, table, condition, metric,
            partial(self._mean, column, groups, unit, by_size=by_size), unit=unit, wanted=wanted,
            listed=partial(self._listed, column, groups) if compared else None,
        )  # fmt: skip

    def _count(self, name: str) -> int:
        """How many chosen rows a group has."""
        return int(self._counts[self._number[name]]) if name in self._number else 0

    def _mean(self, column: str, groups: Sequence[str], unit: str, *, by_size: bool) -> Estimate:
        present = [name for name in groups if self._count(name)]
        k = list(self._columns).index(column)
        weights = [float(self._sizes[name]) if by_size else 1.0 for name in present]
        means = [float(self._nested.means(name)[k]) for name in present]
        value = float(np.average(means, weights=weights))
        draws = self._nested.drawn(present, weights)[:, k]
        rows = sum(map(self._count, present))
        # A single group is not drawn, so its interval rests on its rows.
        clusters = len(present) if len(present) > 1 else rows
        if unit == "%":
            interval = share_interval(value, draws, rows, clusters)
        else:
            interval = mean_interval(draws, clusters)
        scale = 1.0 if unit == "score" else 100.0
        low, high = (None if b is None else scale * b for b in (interval.low, interval.high))
        method = str(interval.method).replace("cluster bootstrap", "two-level bootstrap")
        return Estimate(
            self._suite, "", "", "", scale * value, low, high, n=rows, clusters=clusters,
            clusters_by={self._kind: len(present)}, method=method,
            design_effect=interval.design_effect,
        )  # fmt: skip

    def _listed(self, column: str, groups: Sequence[str]) -> Items:
        """The items of a macro mean, in the order of the rows."""
        assert self._items is not None, "no columns of items were given"
        numbers = [self._number[name] for name in groups if name in self._number]
        places = self._rows[np.isin(self._code, numbers)]
        return replace(self._items.of(places, self._columns[column][places]), balanced=True)

    @cached_property
    def _nested(self) -> Nested:
        """The columns by group; each group is drawn once, when it is first asked for."""
        stacked = np.stack([values[self._rows] for values in self._columns.values()], axis=1)
        groups = {name: stacked[self._code == k] for name, k in self._number.items()}
        return Nested(groups, seed=self._seed)
