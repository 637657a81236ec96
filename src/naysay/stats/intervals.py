"""Intervals for shares, means and differences from their spread over clusters.

Shares are treated on the scale of log-odds, so that bounds stay between 0 and 1. The quantile is
Student's. Log-odds over few clusters are skewed, which costs shares a third of their degrees of
freedom. Where nothing varies, a jackknife would claim certainty; there the clusters themselves are
counted as the sample, by Wilson's interval and by Newcombe's for differences. Each interval says
which way it was made. `docs/coverage.md` has the coverage that simulations found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from naysay.stats.clusters import Spread

LEVEL = 0.95
SKEWED = 2 / 3
"""What is left of the degrees of freedom for shares."""
NONE = "none: a single cluster"
NOTHING_VARIES = "Wilson on clusters: nothing varies"
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds, None where the sample cannot tell, and how they were made."""

    low: float | None
    high: float | None
    method: str
    design_effect: float | None = None


def wilson(successes: float, n: float, z: float | None = None) -> tuple[float, float]:
    """Wilson's score interval for a share.

    >>> tuple(round(bound, 3) for bound in wilson(0, 50))
    (0.0, 0.071)
    """
    from scipy.special import ndtri

    if n < 1:
        raise ValueError("Wilson's interval needs at least one observation")
    z = float(ndtri(0.5 + LEVEL / 2)) if z is None else z
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


def quantile(degrees: float, level: float = 0.5 + LEVEL / 2) -> float:
    """Student's quantile.

    >>> round(quantile(10_000), 2), round(quantile(9), 2)
    (1.96, 2.26)
    """
    from scipy.special import stdtrit  # scipy.stats takes seconds to import

    return float(stdtrit(degrees, level))


def share_interval(share: float, spread: Spread, n: int) -> Interval:
    """The interval of a share of n rows."""
    if spread.fewest < 2 or math.isnan(spread.error):
        return Interval(None, None, NONE)
    if spread.error == 0 or share * (1 - share) < _ROUNDING:
        low, high = wilson(share * spread.fewest, spread.fewest)
        return Interval(low, high, f"Wilson on clusters{spread.condition}")
    low, high = on_log_odds(share, spread)
    return Interval(low, high, spread.method, spread.error**2 / (share * (1 - share) / n))


def on_log_odds(share: float, spread: Spread) -> tuple[float, float]:
    """Bounds of something between 0 and 1 that varies."""
    half = quantile(max(SKEWED * spread.degrees, 1.0)) * spread.error / (share * (1 - share))
    odds = math.log(share / (1 - share))
    low, high = (_share(odds + side * half) for side in (-1, 1))
    # The way through log-odds and back may end a hair inside of the share itself.
    return min(low, share), max(high, share)


def mean_interval(mean: float, spread: Spread, bound: float | None = None) -> Interval:
    """The interval of a mean of values that are no shares.

    `bound` is how large they can be, either way, where that is known.
    """
    if spread.fewest < 2 or math.isnan(spread.error):
        return Interval(None, None, NONE)
    if spread.error == 0:
        if bound is None:
            return Interval(None, None, "none: nothing varies")
        return Interval(*constant_bounds(mean, spread.fewest, bound), NOTHING_VARIES)
    half = quantile(spread.degrees) * spread.error
    low, high = mean - half, mean + half
    if bound is not None:
        low, high = max(-bound, low), min(bound, high)
    return Interval(low, high, spread.method)


def constant_bounds(mean: float, clusters: int, bound: float) -> tuple[float, float]:
    """Bounds of a mean where all clusters have the same.

    As Wilson's interval has it, up to a share h of all clusters may be unlike the G that were seen,
    h = z² / (G + z²), and these may have anything up to the bound.
    """
    share = wilson(0, clusters)[1]
    return mean - (bound + mean) * share, mean + (bound - mean) * share


def difference_interval(means: tuple[float, float], spread: Spread) -> Interval:
    """The interval of the difference of two shares over the same clusters."""
    if spread.fewest < 2 or math.isnan(spread.error):
        return Interval(None, None, NONE)
    if spread.error == 0:
        return Interval(*newcombe(*means, spread.fewest), f"Newcombe on clusters{spread.condition}")
    half, delta = quantile(spread.degrees) * spread.error, means[0] - means[1]
    return Interval(max(-1.0, delta - half), min(1.0, delta + half), spread.method)


def _share(odds: float) -> float:
    """The share with these log-odds, without overflow."""
    return math.exp(-math.log1p(math.exp(-odds))) if odds > -700 else 0.0
