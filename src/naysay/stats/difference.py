"""Tests on pairs of answers to the same items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from naysay.stats.bootstrap import DRAWS, Sample, bootstrap_together
from naysay.stats.intervals import (
    LEVEL,
    METHODS,
    Codes,
    Floats,
    cell_sums,
    quantile,
    standard_error,
    wilson,
)

POWER = 0.8
_SEED = 0  # fixed, so that the order of the runs and their seeds change nothing
NOTHING_VARIES = "Wilson on clusters: nothing varies"
SINGLE = "none: a single cluster"


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
    df: float | None
    """Student's degrees of freedom."""
    n: int
    clusters: dict[str, int]
    method: str


def paired_difference(
    values: Floats,
    clusters: Mapping[str, Codes],
    *,
    weights: Floats | None = None,
    bound: float = 1.0,
    draws: int = DRAWS,
) -> Difference:
    """The mean of per-item differences, over clusters of one kind or of two that cross.

    `bound` is how large the difference of an item can be. It is read only where all items differ
    by the same amount: no draw differs from another there, and only the number of clusters tells
    how rare something else may be.
    """
    code = {kind: np.unique(one, return_inverse=True)[1] for kind, one in clusters.items()}
    sizes = {kind: int(one.max(initial=-1)) + 1 for kind, one in code.items()}
    mean = float(np.average(values, weights=weights))
    fewest = min(sizes.values())
    if fewest < 2:
        return Difference(mean, None, None, None, None, None, None, len(values), sizes, SINGLE)
    error = _error(values, tuple(code.values()), tuple(sizes.values()), weights, draws)
    if error == 0:
        return _constant(mean, bound, len(values), sizes)
    from scipy.special import stdtr

    half = quantile(fewest) * error
    p = 2 * float(stdtr(fewest - 1, -abs(mean) / error))
    seen = (quantile(fewest) + quantile(fewest, POWER)) * error
    low, high = max(-bound, mean - half), min(bound, mean + half)
    method = f"paired {METHODS[len(sizes)]}"
    return Difference(mean, low, high, p, seen, error, fewest - 1.0, len(values), sizes, method)


def _error(
    values: Floats,
    code: tuple[Codes, ...],
    sizes: tuple[int, ...],
    weights: Floats | None,
    draws: int,
) -> float:
    drawn = bootstrap_together([Sample(values, code, weights)], sizes, seed=_SEED, draws=draws)
    shared = 0.0
    if len(code) == 2:
        cells = np.unique(code[0] * sizes[1] + code[1], return_inverse=True)[1]
        held = cell_sums(values, cells, int(cells.max()) + 1, weights)
        shared = float((held**2).sum())
    return standard_error([means[:, 0] for means in drawn], sizes, shared)


def _constant(mean: float, bound: float, n: int, sizes: dict[str, int]) -> Difference:
    """The difference where every draw gives the same.

    As Wilson's interval has it, up to a share h of all clusters may be unlike the G that were seen,
    h = z² / (G + z²), and these may differ by anything up to the bound. The p-value is the level at
    which that interval would just reach 0.
    """
    from scipy.special import ndtr, ndtri

    fewest = min(sizes.values())
    share = wilson(0, fewest)[1]
    low, high = mean - (bound + mean) * share, mean + (bound - mean) * share
    p = 2 * float(ndtr(-math.sqrt(fewest * abs(mean) / bound)))
    z = float(ndtri(0.5 + LEVEL / 2))
    seen = bound * share * (z + float(ndtri(POWER))) / z
    return Difference(mean, low, high, p, seen, 0.0, fewest - 1.0, n, sizes, NOTHING_VARIES)


def p_above(difference: Difference, bound: float) -> float | None:
    """The one-sided p-value that the true difference is above a bound."""
    from scipy.special import stdtr

    if difference.error is None or difference.df is None:
        return None
    if difference.error == 0:
        return 0.0 if difference.value > bound else 1.0
    return float(stdtr(difference.df, (bound - difference.value) / difference.error))


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
