"""Shares of rows and their differences as estimates, from one bootstrap over clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

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
    """Means over named choices of rows; draws are shared, so differences are paired."""

    def __init__(
        self,
        suite: str,
        values: Floats | Mapping[str, Floats],
        clusters: Mapping[str, Codes],
        chosen: Mapping[str, Mask],
        seed: int,
    ) -> None:
        """Take the rows' values, their clusters of one or two kinds, and the choices by name.

        The values are of 0 and 1, or any where means are wanted; there may be others by choice.
        """
        self._suite, self._kinds = suite, tuple(clusters)
        code = tuple(_renumbered(code) for code in clusters.values())
        self._chosen = {name: mask for name, mask in chosen.items() if mask.any()}
        self._samples = {
            name: Sample(
                (values if isinstance(values, np.ndarray) else values[name])[mask],
                tuple(one[mask] for one in code),
            )
            for name, mask in self._chosen.items()
        }
        sizes = tuple(int(one.max(initial=0)) + 1 for one in code)
        self._cells = _renumbered(code[0] * sizes[-1] + code[-1]) if len(code) == 2 else None
        draws = bootstrap_together(list(self._samples.values()), sizes, seed=seed)
        self._draws = {
            name: tuple(drawn[:, k] for drawn in draws) for k, name in enumerate(self._samples)
        }

    def values(self, choice: str) -> Floats:
        """The rows' values over a choice, in the order of the rows."""
        return self._samples[choice].values

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

    def share(self, table: str, condition: str, metric: str, choice: str) -> Estimate:
        """The share over a choice of rows, in percent."""
        blank = replace(self.sized(choice), table=table, condition=condition, metric=metric)
        if blank.clusters is None:
            return blank
        mean = float(self.values(choice).mean())
        error = self._error(self._draws[choice], blank, self._cell_sums(choice))
        interval = clustered_share(mean, error, blank.n, blank.clusters, len(self._kinds))
        return _with(blank, mean, interval)

    def mean(self, table: str, condition: str, metric: str, choice: str, unit: str) -> Estimate:
        """The mean over a choice of rows, of values that are no shares."""
        blank = replace(self.sized(choice), table=table, condition=condition, metric=metric)
        blank = replace(blank, unit=unit)
        if blank.clusters is None:
            return blank
        mean = float(self.values(choice).mean())
        error = self._error(self._draws[choice], blank, self._cell_sums(choice))
        interval = clustered_mean(mean, error, blank.clusters, len(self._kinds))
        return replace(
            blank,
            value=mean,
            low=interval.low,
            high=interval.high,
            method=interval.method,
        )

    def difference(self, table: str, condition: str, one: str, other: str) -> Estimate:
        """How much higher the share over one choice is than over another, in points."""
        blank = replace(self.sized(one, other), table=table, condition=condition)
        blank = replace(blank, metric="difference", unit="points")
        if blank.clusters is None:
            return blank
        means = float(self.values(one).mean()), float(self.values(other).mean())
        draws = [a - b for a, b in zip(self._draws[one], self._draws[other], strict=True)]
        cells = self._cell_sums(one) - self._cell_sums(other)
        error = self._error(draws, blank, cells)
        interval = clustered_difference(means, error, blank.clusters, len(self._kinds))
        return _with(blank, means[0] - means[1], interval)

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
