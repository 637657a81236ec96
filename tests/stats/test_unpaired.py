"""The difference of figures on different items: its interval and its p-values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naysay.stats.intervals import newcombe, quantile, wilson
from naysay.stats.unpaired import (
    BoundedFigure,
    detectable_difference,
    implied_p,
    square_and_add,
    two_sided_p,
)

HALVES = st.floats(0.01, 40)
FIGURES = st.builds(
    lambda value, low, high, degrees: BoundedFigure(value, value - low, value + high, degrees),
    st.floats(-50, 50), HALVES, HALVES, st.floats(1, 200),
)  # fmt: skip


def turned(figure: BoundedFigure) -> BoundedFigure:
    return BoundedFigure(-figure.value, -figure.high, -figure.low, figure.degrees)


@given(FIGURES, FIGURES)
def test_the_interval_holds_the_difference_and_has_a_mirror_image(
    one: BoundedFigure, two: BoundedFigure
) -> None:
    low, high = square_and_add(one, two)
    assert low < two.value - one.value < high
    assert square_and_add(two, one) == (-high, -low)


def test_shares_have_newcombes_interval() -> None:
    """Method 10 of Newcombe (1998): 56 of 70 against 48 of 80 is 0.0524 to 0.3339."""
    one, two = (BoundedFigure(k / n, *wilson(k, n), n) for k, n in ((48, 80), (56, 70)))
    assert square_and_add(one, two) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    same = [BoundedFigure(k / 50, *wilson(k, 50), 50) for k in (10, 25)]
    assert square_and_add(*same) == pytest.approx(newcombe(0.5, 0.2, 50))


@given(FIGURES, st.floats(-100, 100))
def test_p_and_interval_agree(figure: BoundedFigure, bound: float) -> None:
    p = implied_p(figure, bound)
    assert 0 <= p <= 1
    if abs(bound - figure.low) > 1e-6:
        assert (p < 0.025) == (figure.low > bound)
    both = two_sided_p(figure)
    assert 0 <= both <= 1 and both == two_sided_p(turned(figure))
    if min(abs(figure.low), abs(figure.high)) > 1e-6:
        assert (both < 0.05) == (figure.low > 0 or figure.high < 0)
    assert detectable_difference(figure) > max(
        figure.value - figure.low, figure.high - figure.value
    )


def test_without_any_width_a_figure_is_what_it_is() -> None:
    exact = BoundedFigure(3.0, 3.0, 3.0, 9)
    assert [implied_p(exact, bound) for bound in (2.0, 3.0, 4.0)] == [0, 1, 1]


def test_the_interval_covers_the_truth_and_shows_nothing_by_chance() -> None:
    """Two runs on other items whose clusters differ: 95 % cover, 5 % are shown."""
    rng = np.random.default_rng(0)
    covered = shown = 0
    for _ in range(2000):
        figures = []
        for clusters in (30, 45):
            means = 0.5 + 0.2 * rng.standard_normal(clusters)
            half = quantile(clusters - 1) * float(means.std(ddof=1)) / clusters**0.5
            middle = float(means.mean())
            figures.append(BoundedFigure(middle, middle - half, middle + half, clusters - 1))
        low, high = square_and_add(*figures)
        covered += low <= 0 <= high
        shown += (
            two_sided_p(BoundedFigure(figures[1].value - figures[0].value, low, high, 29)) < 0.05
        )
    assert covered / 2000 == pytest.approx(0.95, abs=0.012)
    assert shown == 2000 - covered
