"""From figures to a verdict: claims that hold, do not hold or are open, and the words for it.

A claim holds or fails with its whole interval. A difference is clear if it surely is as large as
the smallest effect of interest, and counts as none if it surely is smaller, however significant it
is. A verdict is an outcome, a sentence that says why, and the figures behind it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from naysay.core.measures import Ruling
from naysay.core.numbers import plain_number
from naysay.core.options import JUDGED, Options, option
from naysay.core.records import Estimate

SMALLEST_EFFECT = 5.0
"""Points; a difference that is surely smaller counts as none."""
_SETTLED = 30
"""With so many clusters of each kind, a larger sample mostly adds to those that are there."""


@dataclass(frozen=True, kw_only=True)
class VerdictOptions(Options):
    """What verdicts read."""

    smallest_effect: float = option(
        SMALLEST_EFFECT, "Points below which an effect is none.",
        least=0, role=JUDGED,
    )  # fmt: skip


@dataclass(frozen=True)
class Claim:
    """Something that should be true of a figure: True, False, or None where it is open."""

    holds: bool | None
    needed: float = 1.0
    """How many times as large a sample would decide it; infinite where none would."""

    def __and__(self, other: Claim) -> Claim:
        """Both: false if one is, open if one is and the other is not false."""
        if self.holds is False or other.holds is False:
            return Claim(False)
        if self.holds and other.holds:
            return Claim(True)
        return Claim(None, max(self.needed, other.needed))


def both(*claims: Claim) -> Claim:
    """All of the claims together."""
    return reduce(Claim.__and__, claims)


def above(estimate: Estimate, bound: float) -> Claim:
    """That a figure is at least so high."""
    low, high = bounds(estimate)
    if low is None or high is None:
        return Claim(None, math.inf)
    if low >= bound:
        return Claim(True)
    return Claim(False) if high < bound else Claim(None, _needed(estimate, bound))


def below(estimate: Estimate, bound: float) -> Claim:
    """That a figure is lower."""
    found = above(estimate, bound)
    return Claim(None if found.holds is None else not found.holds, found.needed)


def clear(difference: Estimate, effect: float) -> Claim:
    """That a difference is as large as the smallest effect, or larger."""
    found = above(difference, effect)
    if found.holds is None and nil(difference, effect):  # up to the very bound
        return Claim(False)
    return found


def nil(difference: Estimate, effect: float) -> bool:
    """Whether a difference surely is smaller than the smallest effect, either way."""
    low, high = bounds(difference)
    return low is not None and high is not None and -effect <= low and high <= effect


def bounds(estimate: Estimate) -> tuple[float | None, float | None]:
    """The interval."""
    return estimate.low, estimate.high


def _needed(estimate: Estimate, bound: float) -> float:
    """How many times as large a sample would bring the bound out of the interval."""
    from naysay.stats.clusters import FIXED
    from naysay.stats.intervals import quantile  # scipy is loaded only where it is needed

    value, error = estimate.value, estimate.error
    if value is None or value == bound or error is None:
        return math.inf
    away = abs(value - bound)
    if error == 0:  # by Wilson's interval, up to z² / (G + z²) of all clusters may be others
        share = min(away / 100 / (math.sqrt(2) if estimate.unit == "points" else 1), 0.999)
        wanted = quantile(math.inf) ** 2 * (1 - share) / share
        return max(1.01, 1.1 * wanted / max(estimate.clusters or 1, 1))
    many = (estimate.clusters or 0) >= _SETTLED or set(estimate.clusters_by) <= FIXED
    stays = (estimate.between or 0.0) ** 2 if many else 0.0
    times = 1.0
    for _ in range(5):  # degrees of freedom grow with the sample
        allowed = (away / quantile(max((estimate.degrees or 1.0) * times, 1.0))) ** 2
        if allowed <= stays:
            return math.inf
        times = max((error**2 - stays) / (allowed - stays), 1.01)
    return times


def ruled(outcome: str, why: str, figures: str = "", open_claims: Iterable[Claim] = ()) -> Ruling:
    """The verdict: its outcome, the reason in a sentence, and the figures after it."""
    needed = max((claim.needed for claim in open_claims if claim.holds is None), default=None)
    return Ruling(outcome, why, figures, needed)


def shown(estimate: Estimate) -> str:
    """A figure with its interval, if it has one.

    >>> shown(Estimate("s", "t", "c", "m", 12.34, 10.0, 15.0))
    '12.3 (10.0 to 15.0)'
    """
    if estimate.value is None:
        return "not measured"
    value = plain_number(estimate.value, estimate.unit)
    if estimate.low is None or estimate.high is None:
        return f"{value} (no interval)"
    if estimate.low == estimate.high == estimate.value:
        return value
    low, high = (plain_number(bound, estimate.unit) for bound in (estimate.low, estimate.high))
    return f"{value} ({low} to {high})"


def listed(estimates: Sequence[Estimate]) -> str:
    """Figures by their conditions, with commas, and “and” before the last."""
    parts = [f"{e.condition} {shown(e)}" for e in estimates]
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last
