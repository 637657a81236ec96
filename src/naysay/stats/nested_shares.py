"""Means over groups of rows, as measures: each group counts once, or by its size.

Groups are left out one at a time; with fewer than five of them the groups are taken as they are,
and the interval is about their rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from naysay.core.measures import ItemColumns, Items, Measure, Wanted
from naysay.core.records import Estimate
from naysay.stats.clusters import Clustering, Codes, Figure, Floats, spread
from naysay.stats.intervals import mean_interval, share_interval
from naysay.stats.shares import Mask, estimated


class NestedShares:
    """Measures over the chosen rows, each of which belongs to one group."""

    def __init__(
        self,
        suite: str,
        columns: Mapping[str, Floats],
        groups: tuple[Sequence[str], Codes],
        chosen: Mask,
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
        self._suite, self._columns = suite, dict(columns)
        self._kind, self._sizes, self._items = kind, sizes, items
        self._rows = np.flatnonzero(chosen)
        names, code = groups
        self._number = {name: k for k, name in enumerate(names)}
        self._code = code[self._rows]
        self._counts = np.bincount(self._code, minlength=len(names))
        self._clustering = Clustering({kind: self._code})

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
        figure = self.figure(column, groups, by_size=by_size)
        found = spread(figure)
        if unit == "%":
            interval = share_interval(figure.mean, found, len(figure))
        else:
            interval = mean_interval(figure.mean, found, None if unit == "score" else 1.0)
        blank = Estimate(
            self._suite, "", "", "", None, n=len(figure), clusters=found.fewest,
            clusters_by=figure.sizes,
        )  # fmt: skip
        scale = 1.0 if unit == "score" else 100.0
        return estimated(blank, figure.mean, interval, found, scale)

    def figure(self, column: str, groups: Sequence[str], *, by_size: bool = False) -> Figure:
        """The mean of a column over groups, ready for its spread."""
        numbers = [self._number[name] for name in groups if self._count(name)]
        places = np.flatnonzero(np.isin(self._code, numbers))
        code = self._code[places]
        weights = 1.0 / self._counts[code]
        if by_size:
            sizes = np.array([float(self._sizes.get(name, 0)) for name in self._number])
            weights = weights * sizes[code]
        return Figure(self._clustering, places, self._columns[column][self._rows[places]], weights)

    def _listed(self, column: str, groups: Sequence[str]) -> Items:
        """The items of a macro mean, in the order of the rows."""
        assert self._items is not None, "no columns of items were given"
        numbers = [self._number[name] for name in groups if name in self._number]
        places = self._rows[np.isin(self._code, numbers)]
        return replace(self._items.of(places, self._columns[column][places]), balanced=True)
