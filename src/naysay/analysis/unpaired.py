"""A figure of two runs on each run's own items, where they share too few to be paired.

Suites that ask the model's own words can leave two runs without a common item. Their figures can
still be compared, if it is said that the difference may come from the items.
"""

from __future__ import annotations

from dataclasses import replace

from naysay.analysis.changes import UNPAIRED, Change
from naysay.core.measures import Measure
from naysay.core.records import Estimate
from naysay.stats.unpaired import (
    BoundedFigure,
    detectable_difference,
    square_and_add,
    two_sided_p,
)


def unpaired_change(blank: Change, first: Measure, second: Measure) -> Change:
    """The change of a figure from each run's own estimate; `blank` without a figure in one run."""
    one, two = first.estimate, second.estimate
    if not (blank.n_first and blank.n_second) or one.value is None or two.value is None:
        return blank
    kinds = {k: min(n, two.clusters_by.get(k, n)) for k, n in one.clusters_by.items()}
    change = replace(
        blank,
        first=one.value,
        second=two.value,
        difference=two.value - one.value,
        n=min(blank.n_first, blank.n_second),
        clusters=min(kinds.values(), default=None),
        clusters_by=kinds,
        method=UNPAIRED,
    )
    figures = figure_of(one), figure_of(two)
    if figures[0] is None or figures[1] is None:
        return change
    low, high = square_and_add(figures[0], figures[1])
    degrees = min(figures[0].degrees, figures[1].degrees)
    found = BoundedFigure(two.value - one.value, low, high, degrees)
    return replace(
        change,
        low=low,
        high=high,
        p=two_sided_p(found),
        detectable=detectable_difference(found),
        degrees=degrees,
    )


def figure_of(estimate: Estimate) -> BoundedFigure | None:
    """An estimate with its interval; None if it has none."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return None
    degrees = estimate.degrees
    return BoundedFigure(
        value, low, high, max((estimate.clusters or 2) - 1.0, 1.0) if degrees is None else degrees
    )
