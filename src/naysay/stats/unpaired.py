"""The difference of two figures that were measured on different items."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from naysay.stats.difference import POWER
from naysay.stats.intervals import quantile


@dataclass(frozen=True, slots=True)
class BoundedFigure:
    """A figure, the bounds of its 95 % interval, and its degrees of freedom."""

    value: float
    low: float
    high: float
    degrees: float


def square_and_add(first: BoundedFigure, second: BoundedFigure) -> tuple[float, float]:
    """The interval of `second` minus `first` from the intervals of the two.

    The distances from each figure to the bound that matters are added as squares (Newcombe 1998;
    MOVER, Zou and Donner 2008), so intervals that are not symmetric stay so.

    >>> ten = BoundedFigure(10.0, 7.0, 14.0, 50)
    >>> forty = BoundedFigure(40.0, 37.0, 44.0, 50)
    >>> square_and_add(ten, forty)
    (25.0, 35.0)
    """
    difference = second.value - first.value
    low = difference - math.hypot(second.value - second.low, first.high - first.value)
    high = difference + math.hypot(second.high - second.value, first.value - first.low)
    return low, high


def implied_p(figure: BoundedFigure, bound: float) -> float:
    """The one-sided p-value that the truth is above a bound, from a figure's 95 % interval.

    The standard error is the one with which Student's interval would reach the figure's bound on
    the side of `bound`, so that p is below 0.025 exactly if the whole interval is above it.
    """
    from scipy.special import stdtr

    far = bound - figure.value
    half = figure.high - figure.value if far > 0 else figure.value - figure.low
    if half == 0:
        return 1.0 if far >= 0 else 0.0
    return float(stdtr(figure.degrees, far / (half / quantile(figure.degrees))))


def two_sided_p(figure: BoundedFigure) -> float:
    """The p-value of no difference; below 0.05 exactly if the interval excludes 0."""
    up = (
        figure
        if figure.value >= 0
        else replace(figure, value=-figure.value, low=-figure.high, high=-figure.low)
    )
    return 2 * implied_p(up, 0.0)


def detectable_difference(figure: BoundedFigure) -> float:
    """The minimum detectable difference at 80 % power, from the wider side of the interval."""
    half = max(figure.value - figure.low, figure.high - figure.value)
    wanted = quantile(figure.degrees)
    return half * (wanted + quantile(figure.degrees, POWER)) / wanted
