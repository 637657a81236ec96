"""Tests on pairs of answers to the same items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from naysay.stats.clusters import Clustering, Codes, Figure, Floats, Spread, spread, too_few
from naysay.stats.intervals import (
    LEVEL,
    NONE,
    NOTHING_VARIES,
    constant_bounds,
    quantile,
    wilson,
)

POWER = 0.8


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference; None where the sample cannot tell."""

    value: float
    low: float | None
    high: float | None
    p: float | None
    detectable: float | None
    """The smallest true difference that would be shown in 80 % of such samples."""
    error: float | None
    degrees: float | None
    """Degrees of freedom of Student's distribution."""
    n: int
    clusters: dict[str, int]
    method: str
    bound: float = 1.0
    """How large the difference of an item can be."""


def paired_difference(
    values: Floats,
    clusters: Mapping[str, Codes],
    *,
    weights: Floats | None = None,
    bound: float = 1.0,
) -> Difference:
    """The mean of per-item differences, over clusters of one kind or of several that cross.

    `bound` is how large the difference of an item can be. It is read only where all items differ
    by the same amount: no cluster differs from another there, and only their number tells how rare
    something else may be.
    """
    clustering = Clustering(clusters)
    figure = Figure(clustering, np.arange(len(values)), values, weights)
    found = spread(figure)
    if found.fewest < 2 or math.isnan(found.error):
        return Difference(
            figure.mean, None, None, None, None, None, None, len(values), figure.sizes, NONE, bound
        )
    if found.error == 0:
        return _constant(figure, found, bound)
    low, high = (figure.mean + side * quantile(found.degrees) * found.error for side in (-1, 1))
    seen = (quantile(found.degrees) + quantile(found.degrees, POWER)) * found.error
    return Difference(
        figure.mean, max(-bound, low), min(bound, high), p_value(figure.mean, found), seen,
        found.error, found.degrees, len(values), figure.sizes, f"paired {found.method}", bound,
    )  # fmt: skip


def p_value(value: float, found: Spread) -> float | None:
    """The two-sided p-value of a difference of shares by its spread; None where it cannot be told.

    Where nothing varies, up to a share h = z² / (G + z²) of all clusters may be unlike the G that
    were seen, as in Wilson's interval.
    """
    if found.fewest < 2 or math.isnan(found.error):
        return None
    counts = dict(found.clusters)
    difference = Difference(
        value, None, None, None, None, found.error, found.degrees, 0, counts, found.method
    )
    sides = [p_above(difference, 0.0, below=below) for below in (False, True)]
    return min(1.0, 2 * min(side for side in sides if side is not None))


def p_above(difference: Difference, limit: float, *, below: bool = False) -> float | None:
    """The one-sided p-value of the true difference being above a limit, or below it.

    None where the sample cannot tell. Where nothing varies it is the level at which the interval
    would just reach the limit.
    """
    from scipy.special import ndtr, stdtr

    if difference.error is None or difference.degrees is None:
        return None
    beyond = limit - difference.value if below else difference.value - limit
    if difference.error > 0:
        return float(stdtr(difference.degrees, -beyond / difference.error))
    if beyond <= 0:
        return 1.0
    given = too_few(difference.clusters)
    left_out = [count for kind, count in difference.clusters.items() if kind not in given]
    room = difference.bound + (difference.value if not below else -difference.value)
    share = min(beyond / room, 1.0) if room > 0 else 1.0
    # Wilson's upper bound for none of G clusters reaches the share h where z² = G h / (1 − h).
    odds = share / (1 - share) if share < 1 else math.inf
    return float(ndtr(-math.sqrt(min(left_out, default=difference.n) * odds)))


def _constant(figure: Figure, found: Spread, bound: float) -> Difference:
    """The difference where all items differ by the same.

    The p-value is the level at which the interval would just reach 0.
    """
    from scipy.special import ndtr, ndtri

    mean, fewest = figure.mean, found.fewest
    share = wilson(0, fewest)[1]
    low, high = constant_bounds(mean, fewest, bound)
    p = 2 * float(ndtr(-math.sqrt(fewest * abs(mean) / bound)))
    z = float(ndtri(0.5 + LEVEL / 2))
    seen = bound * share * (z + float(ndtri(POWER))) / z
    return Difference(
        mean, low, high, p, seen, 0.0, found.degrees, len(figure), figure.sizes, NOTHING_VARIES,
        bound,
    )  # fmt: skip


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value of McNemar's test, from the two discordant counts.

    >>> mcnemar(0, 0)
    1.0
    >>> round(mcnemar(1, 9), 4)
    0.0215
    """
    from scipy.special import bdtr

    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    # The smaller count, so that the two in the other order give the very same figure.
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), discordant, 0.5)))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values, for several tests that are told together; None stays None.

    >>> holm([0.01, 0.04, 0.03, None])
    [0.03, 0.06, 0.06, None]
    """
    known = sorted((p, k) for k, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for passed, (p, k) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - passed)))
        adjusted[k] = highest
    return adjusted
