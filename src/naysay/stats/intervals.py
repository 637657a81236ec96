"""Intervals for shares, means and differences, over clusters that are few, unequal, or cross.

Where nothing varies, no draw can differ from another and a bootstrap would claim certainty; there
the clusters themselves are counted as the sample, by Wilson's interval and by Newcombe's for
differences. Each interval says which way it was made.

With two kinds of cluster the variance is V₁ + V₂ − V₁₂: what pairs make vary, what verbs make vary,
less what single cells make vary, which both of them hold (Cameron, Gelbach and Miller 2011). The
quantile is Student's, with as many degrees of freedom as the rarer kind has clusters, less one; and
shares are treated on the scale of log-odds, so that bounds stay between 0 and 1 and few clusters do
not make them too narrow. `docs/statistics.md` has the coverage that simulations found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
"""The number of each row's cluster, or of its value in a column."""
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds, None where the sample cannot tell, and how they were made."""

    low: float | None
    high: float | None
    method: str
    design_effect: float | None = None


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Wilson's score interval for a share.

    >>> tuple(round(bound, 3) for bound in wilson(0, 50))
    (0.0, 0.071)
    """
    from scipy.special import ndtri

    if n < 1:
        raise ValueError("Wilson's interval needs at least one observation")
    z = float(ndtri(0.5 + LEVEL / 2))
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # At the ends rounding would leave a bound a hair inside of the share itself.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def newcombe(first: float, second: float, n: int) -> tuple[float, float]:
    """Newcombe's square-and-add interval for the difference of two shares over n clusters."""
    low_1, high_1 = wilson(first * n, n)
    low_2, high_2 = wilson(second * n, n)
    delta = first - second
    low = delta - math.hypot(first - low_1, high_2 - second)
    high = delta + math.hypot(high_1 - first, second - low_2)
    return max(-1.0, low), min(1.0, high)


def share_interval(mean: float, draws: Floats, n: int, clusters: int) -> Interval:
    """The interval of a share from its cluster-bootstrap draws."""
    if clusters < 2:
        return Interval(None, None, "none: a single cluster")
    if not _varies(draws):
        low, high = wilson(mean * clusters, clusters)
        return Interval(low, high, "Wilson on clusters")
    low, high = percentiles(draws)
    design_effect = float(np.nanvar(draws)) / (mean * (1 - mean) / n)
    return Interval(low, high, "cluster bootstrap", design_effect)


def mean_interval(draws: Floats, clusters: int) -> Interval:
    """The interval of a mean from its cluster-bootstrap draws."""
    if clusters < 2:
        return Interval(None, None, "none: a single cluster")
    if not _varies(draws):
        return Interval(None, None, "none: nothing varies")
    low, high = percentiles(draws)
    return Interval(low, high, "cluster bootstrap")


def _varies(draws: Floats) -> bool:
    """Whether the draws differ by more than rounding."""
    return float(np.nanmax(draws) - np.nanmin(draws)) > 1e-12


def percentiles(draws: Floats) -> tuple[float, float]:
    """The middle 95 % of the draws. A draw without any observation is NaN and left out."""
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.nanpercentile(draws, [tail, 100 - tail])
    return float(low), float(high)


_ROUNDING = 1e-12
METHODS = {1: "cluster bootstrap", 2: "two-way cluster bootstrap"}


def standard_error(draws: Sequence[Floats], clusters: Sequence[int], cells: float = 0.0) -> float:
    """The standard error from the draws of each kind of cluster; 0 where nothing varies.

    `cells` is the variance that both kinds hold, where there are two.
    """
    parts = [
        # A draw of G clusters varies by (G − 1) / G as much as it should.
        float(np.nanvar(drawn)) * count / max(count - 1, 1)
        for drawn, count in zip(draws, clusters, strict=True)
    ]
    # By chance the sum can fall below what it would be if all cells were independent.
    variance = parts[0] if len(parts) == 1 else max(sum(parts) - cells, min(cells, *parts))
    error = math.sqrt(variance)
    return error if error > _ROUNDING else 0.0


def cell_sums(values: Floats, cells: Codes, count: int, weights: Floats | None = None) -> Floats:
    """What each cell adds to the mean's deviation from the truth, to first order."""
    weight = np.ones(len(values)) if weights is None else weights
    weight = weight / weight.sum()
    mean = float((weight * values).sum())
    summed = np.bincount(cells, weights=weight * (values - mean), minlength=count)
    return summed.astype(np.float64)


def quantile(clusters: int, level: float = 0.5 + LEVEL / 2) -> float:
    """Student's quantile for so many clusters.

    >>> round(quantile(10_000), 2), round(quantile(10), 2)
    (1.96, 2.26)
    """
    from scipy.special import stdtrit  # scipy.stats takes seconds to import

    return float(stdtrit(clusters - 1, level))


def clustered_share(share: float, error: float, n: int, clusters: int, kinds: int = 1) -> Interval:
    """The interval of a share by its standard error over so many clusters."""
    if clusters < 2:
        return Interval(None, None, "none: a single cluster")
    if error == 0 or share * (1 - share) < _ROUNDING:
        low, high = wilson(share * clusters, clusters)
        return Interval(low, high, "Wilson on clusters")
    odds, half = math.log(share / (1 - share)), quantile(clusters) * error / (share * (1 - share))
    low, high = (_share(odds + side * half) for side in (-1, 1))
    # The way through log-odds and back may end a hair inside of the share itself.
    low, high = min(low, share), max(high, share)
    return Interval(low, high, METHODS[kinds], error**2 / (share * (1 - share) / n))


def clustered_mean(mean: float, error: float, clusters: int, kinds: int = 1) -> Interval:
    """The interval of a mean by its standard error over so many clusters."""
    if clusters < 2:
        return Interval(None, None, "none: a single cluster")
    if error == 0:
        return Interval(None, None, "none: nothing varies")
    half = quantile(clusters) * error
    return Interval(mean - half, mean + half, METHODS[kinds])


def clustered_difference(
    means: tuple[float, float], error: float, clusters: int, kinds: int = 1
) -> Interval:
    """The interval of a paired difference of shares by its standard error."""
    if clusters < 2:
        return Interval(None, None, "none: a single cluster")
    if error == 0:
        return Interval(*newcombe(*means, clusters), "Newcombe on clusters")
    half, delta = quantile(clusters) * error, means[0] - means[1]
    return Interval(max(-1.0, delta - half), min(1.0, delta + half), METHODS[kinds])


def _share(odds: float) -> float:
    """The share with these log-odds, without overflow."""
    return math.exp(-math.log1p(math.exp(-odds))) if odds > -700 else 0.0
