"""Shares of judged rows, their means and differences, as measures over the same clusters.

Differences between choices of rows are paired: where a cluster is left out, it is left out of both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from naysay.core.measures import ItemColumns, Items, Measure, Wanted
from naysay.core.protocols import Table
from naysay.core.records import Estimate
from naysay.stats.clusters import Clustering, Codes, Figure, Floats, Spread, spread
from naysay.stats.intervals import Interval, difference_interval, mean_interval, share_interval

Mask = npt.NDArray[np.bool_]
_FIGURES = 8
"""How many figures are kept for further measures: neighbours share them."""


def codes(table: Table, column: str) -> tuple[list[str], Codes]:
    """The distinct values of a column of words, and the number of each row's value.

    The numbers have as few bytes as they are stored in, which products of them may exceed.
    """
    encoded = table[column].unify_dictionaries().combine_chunks()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()


@dataclass(frozen=True, eq=False)
class Kinds:
    """Rows chosen by their kind, of which there are few: a choice takes hardly any memory."""

    kind: Codes
    """The kind of each row."""
    chosen: Mask
    """Which kinds are chosen."""

    def places(self) -> Codes:
        """Return the places of the rows."""
        return np.flatnonzero(self.chosen[self.kind])


Chosen = Mask | Kinds
"""A choice of rows."""


class Shares:
    """Measures over named choices of rows."""

    def __init__(
        self,
        suite: str,
        values: Floats | Mask | Mapping[str, Floats],
        clusters: Mapping[str, Codes],
        chosen: Mapping[str, Mask] | Mapping[str, Kinds],
        items: ItemColumns | None = None,
        places: Codes | None = None,
    ) -> None:
        """Take the rows' values, their clusters by kind, and the choices by name.

        The values are of 0 and 1, or any where means are wanted; there may be others by choice.
        With `items`, measures can be compared between runs; `places` says where the rows given here
        stand in its table, if not in the same order.
        """
        self._suite, self._values = suite, values
        self._items, self._places = items, places
        self._clustering = Clustering(clusters)
        self._chosen: dict[str, Codes | Kinds] = {
            name: one if isinstance(one, Kinds) else np.flatnonzero(one).astype(np.int32)
            for name, one in chosen.items()
            if (one.chosen if isinstance(one, Kinds) else one).any()
        }
        self._figures: dict[str, Figure] = {}

    def _figure(self, choice: str) -> Figure:
        if choice not in self._figures:
            if len(self._figures) >= _FIGURES:
                del self._figures[next(iter(self._figures))]
            rows = self._rows(choice)
            self._figures[choice] = Figure(self._clustering, rows, self._at(choice, rows))
        return self._figures[choice]

    def _rows(self, choice: str) -> Codes:
        """The places of the rows of a choice."""
        chosen = self._chosen[choice]
        return chosen.places() if isinstance(chosen, Kinds) else chosen

    def values(self, choice: str) -> Floats:
        """The rows' values over a choice, in the order of the rows."""
        return self._at(choice, self._rows(choice))

    def _at(self, choice: str, rows: Codes) -> Floats:
        values = self._values
        every = values if isinstance(values, np.ndarray) else values[choice]
        return every[rows].astype(np.float64, copy=False)

    def share(
        self, table: str, condition: str, metric: str, choice: str,
        *, wanted: Wanted | None = None, note: str | None = None, compared: bool = False,
    ) -> Measure:  # fmt: skip
        """The share over a choice of rows, in percent.

        `compared` says that two runs are compared on it, item by item.
        """
        return Measure(
            self._suite, table, condition, metric, partial(self._share, choice),
            wanted=wanted, note=note,
            listed=partial(self._listed, choice) if compared else None,
        )  # fmt: skip

    def mean(
        self, table: str, condition: str, metric: str, choice: str, unit: str,
        *, wanted: Wanted | None = None, note: str | None = None, compared: bool = False,
    ) -> Measure:  # fmt: skip
        """The mean over a choice of rows, of values that are no shares."""
        return Measure(
            self._suite, table, condition, metric, partial(self._mean, choice), unit=unit,
            wanted=wanted, note=note,
            listed=partial(self._listed, choice) if compared else None,
        )  # fmt: skip

    def difference(
        self, table: str, condition: str, one: str, other: str,
        *, wanted: Wanted | None = None, note: str | None = None, compared: bool = False,
    ) -> Measure:  # fmt: skip
        """How much higher the share over one choice is than over another, in points.

        It can be compared only where both choices have the same items in the same order.
        """
        return Measure(
            self._suite, table, condition, "difference", partial(self._difference, one, other),
            unit="points", wanted=wanted, note=note,
            listed=partial(self._listed_difference, one, other) if compared else None,
        )  # fmt: skip

    def spread(self, one: str, other: str | None = None) -> Spread:
        """How far a share, or the difference of two, would move with other clusters."""
        return spread(self._figure(one), None if other is None else self._figure(other))

    def sized(self, *choices: str) -> Estimate:
        """An estimate without a figure that knows how much the choices rest on."""
        blank = Estimate(self._suite, "", "", "", None)
        figures = [self._figure(choice) for choice in choices if choice in self._chosen]
        if len(figures) < len(choices):
            return replace(blank, note="no such row")
        clusters = {
            kind: min(figure.sizes[kind] for figure in figures) for kind in self._clustering.kinds
        }
        return replace(
            blank,
            n=min(map(len, figures)),
            clusters=min(clusters.values()),
            clusters_by=clusters,
        )

    def _share(self, choice: str) -> Estimate:
        blank = self.sized(choice)
        if blank.clusters is None:
            return blank
        mean, found = self._figure(choice).mean, self.spread(choice)
        return estimated(blank, mean, share_interval(mean, found, blank.n), found)

    def _mean(self, choice: str) -> Estimate:
        blank = self.sized(choice)
        if blank.clusters is None:
            return blank
        mean, found = self._figure(choice).mean, self.spread(choice)
        return estimated(blank, mean, mean_interval(mean, found), found, scale=1.0)

    def _difference(self, one: str, other: str) -> Estimate:
        blank = self.sized(one, other)
        if blank.clusters is None:
            return blank
        means = self._figure(one).mean, self._figure(other).mean
        found = self.spread(one, other)
        return estimated(blank, means[0] - means[1], difference_interval(means, found), found)

    def _listed(self, choice: str) -> Items:
        """The items of a choice; none if no row was chosen."""
        assert self._items is not None, "no columns of items were given"
        if choice not in self._chosen:
            return self._items.of(np.zeros(0, dtype=np.int64), np.zeros(0))
        rows = self._rows(choice)
        places = rows if self._places is None else self._places[rows]
        return self._items.of(places, self.values(choice))

    def _listed_difference(self, one: str, other: str) -> Items:
        items = self._listed(one)
        if not len(items):
            return items
        # The difference belongs to two rows, so to no single sentence and answer.
        values = items.values - self.values(other)
        return replace(items, values=values, rows=None, answers=None)


def estimated(
    blank: Estimate, value: float, interval: Interval, found: Spread, scale: float = 100.0
) -> Estimate:
    """The estimate with its value, its interval, and what a decision needs to know beside it."""
    known = not math.isnan(found.error)
    return replace(
        blank,
        value=scale * value,
        low=scaled(interval.low, scale),
        high=scaled(interval.high, scale),
        clusters=found.fewest if found.clusters else blank.clusters,
        design_effect=interval.design_effect,
        error=scale * found.error if known else None,
        degrees=found.degrees if known else None,
        between=scale * math.sqrt(found.between) if known else None,
        method=interval.method,
    )


def scaled(bound: float | None, scale: float = 100.0) -> float | None:
    """A bound as a percentage."""
    return None if bound is None else scale * bound
