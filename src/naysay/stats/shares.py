"""Shares of judged rows, their means and differences, as measures that share their draws.

All figures over the rows of one suite come from one bootstrap over their clusters, so differences
between choices of rows are paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from naysay.core.measures import ItemColumns, Items, Measure, Wanted
from naysay.core.protocols import Table
from naysay.core.records import Estimate
from naysay.stats.bootstrap import Sample, bootstrap_together
from naysay.stats.intervals import (
    Codes,
    Floats,
    Interval,
    cell_sums,
    clustered_difference,
    clustered_mean,
    clustered_share,
    standard_error,
)

Mask = npt.NDArray[np.bool_]


def codes(table: Table, column: str) -> tuple[list[str], Codes]:
    """The distinct values of a column of words, and the number of each row's value."""
    encoded = table[column].unify_dictionaries().combine_chunks()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


class Shares:
    """Measures over named choices of rows."""

    def __init__(
        self,
        suite: str,
        values: Floats | Mapping[str, Floats],
        clusters: Mapping[str, Codes],
        chosen: Mapping[str, Mask],
        seed: int,
        items: ItemColumns | None = None,
        places: Codes | None = None,
    ) -> None:
        """Take the rows' values, their clusters of one or two kinds, and the choices by name.

        The values are of 0 and 1, or any where means are wanted; there may be others by choice.
        With `items`, measures can be compared between runs; `places` says where the rows given here
        stand in its table, if not in the same order.
        """
        self._suite, self._kinds, self._seed = suite, tuple(clusters), seed
        self._items, self._places = items, places
        self._code = tuple(_renumbered(code) for code in clusters.values())
        self._chosen = {name: mask for name, mask in chosen.items() if mask.any()}
        self._samples = {
            name: Sample(
                (values if isinstance(values, np.ndarray) else values[name])[mask],
                tuple(one[mask] for one in self._code),
            )
            for name, mask in self._chosen.items()
        }

    def values(self, choice: str) -> Floats:
        """The rows' values over a choice, in the order of the rows."""
        return self._samples[choice].values

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

    def sized(self, *choices: str) -> Estimate:
        """An estimate without a figure that knows how much the choices rest on."""
        blank = Estimate(self._suite, "", "", "", None)
        samples = [self._samples[choice] for choice in choices if choice in self._samples]
        if len(samples) < len(choices):
            return replace(blank, note="no such row")
        clusters = {
            kind: min(len(np.unique(sample.clusters[k])) for sample in samples)
            for k, kind in enumerate(self._kinds)
        }
        return replace(
            blank,
            n=min(len(sample.values) for sample in samples),
            clusters=min(clusters.values()),
            clusters_by=clusters,
        )

    def _share(self, choice: str) -> Estimate:
        blank = self.sized(choice)
        if blank.clusters is None:
            return blank
        mean = float(self.values(choice).mean())
        error = self._error(self._draws[choice], blank, self._cell_sums(choice))
        interval = clustered_share(mean, error, blank.n, blank.clusters, len(self._kinds))
        return _with(blank, mean, interval)

    def _mean(self, choice: str) -> Estimate:
        blank = self.sized(choice)
        if blank.clusters is None:
            return blank
        mean = float(self.values(choice).mean())
        error = self._error(self._draws[choice], blank, self._cell_sums(choice))
        interval = clustered_mean(mean, error, blank.clusters, len(self._kinds))
        return replace(
            blank, value=mean, low=interval.low, high=interval.high, method=interval.method
        )

    def _difference(self, one: str, other: str) -> Estimate:
        blank = self.sized(one, other)
        if blank.clusters is None:
            return blank
        means = float(self.values(one).mean()), float(self.values(other).mean())
        draws = [a - b for a, b in zip(self._draws[one], self._draws[other], strict=True)]
        cells = self._cell_sums(one) - self._cell_sums(other)
        error = self._error(draws, blank, cells)
        interval = clustered_difference(means, error, blank.clusters, len(self._kinds))
        return _with(blank, means[0] - means[1], interval)

    def _listed(self, choice: str) -> Items:
        """The items of a choice; none if no row was chosen."""
        assert self._items is not None, "no columns of items were given"
        if choice not in self._chosen:
            return self._items.of(np.zeros(0, dtype=np.int64), np.zeros(0))
        rows = np.flatnonzero(self._chosen[choice])
        places = rows if self._places is None else self._places[rows]
        return self._items.of(places, self.values(choice))

    def _listed_difference(self, one: str, other: str) -> Items:
        items = self._listed(one)
        if not len(items):
            return items
        # The difference belongs to two rows, so to no single sentence and answer.
        values = items.values - self.values(other)
        return replace(items, values=values, rows=None, answers=None)

    @cached_property
    def _draws(self) -> dict[str, tuple[Floats, ...]]:
        """The means of each choice in each draw, by kind of cluster."""
        sizes = tuple(int(one.max(initial=0)) + 1 for one in self._code)
        draws = bootstrap_together(list(self._samples.values()), sizes, seed=self._seed)
        return {name: tuple(drawn[:, k] for drawn in draws) for k, name in enumerate(self._samples)}

    @cached_property
    def _cells(self) -> Codes | None:
        """The number of each row's cell, where two kinds of cluster cross."""
        if len(self._code) != 2:
            return None
        first, second = self._code
        return _renumbered(first * (int(second.max(initial=0)) + 1) + second)

    def _cell_sums(self, choice: str) -> Floats:
        """What each cell of a choice adds; nothing where clusters do not cross."""
        if self._cells is None:
            return np.zeros(0)
        count = int(self._cells.max(initial=0)) + 1
        return cell_sums(self.values(choice), self._cells[self._chosen[choice]], count)

    def _error(self, draws: Sequence[Floats], sized: Estimate, cells: Floats) -> float:
        clusters = list(sized.clusters_by.values())
        return standard_error(draws, clusters, float((cells**2).sum()))


def _with(blank: Estimate, share: float, interval: Interval) -> Estimate:
    return replace(
        blank,
        value=100 * share,
        low=percent(interval.low),
        high=percent(interval.high),
        design_effect=interval.design_effect,
        method=interval.method,
    )


def _renumbered(code: Codes) -> Codes:
    """The same clusters numbered without gaps, so that each number has an observation."""
    return np.unique(code, return_inverse=True)[1].astype(np.int64)


def percent(share: float | None) -> float | None:
    """A share as a percentage."""
    return None if share is None else 100 * share
