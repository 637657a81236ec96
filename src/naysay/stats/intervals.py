"""Intervals for shares, for differences of shares, and from the draws of a bootstrap.

Where nothing varies, no draw can differ from another and a bootstrap would claim certainty; there
the clusters themselves are counted as the sample, by Wilson's interval and by Newcombe's for
differences. Each interval says which way it was made. Means over clusters have theirs from
`clustered.py`; the middle of the draws is for what has no such form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
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
