"""Each interval against its formula, written a second time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import binomtest, t

from naysay.stats.clusters import Clustering, Figure, Spread, spread
from naysay.stats.intervals import (
    NOTHING_VARIES,
    SKEWED,
    Interval,
    constant_bounds,
    difference_interval,
    mean_interval,
    newcombe,
    quantile,
    share_interval,
    wilson,
)

SINGLE = Interval(None, None, "none: a single cluster")
COUNTS = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def spread_of(error: float, degrees: float = 11.0, clusters: int = 12) -> Spread:
    return Spread(error, degrees, {"names": clusters}, {})


@given(COUNTS)
def test_wilson_is_scipys(counts: tuple[int, int]) -> None:
    successes, n = counts
    expected = binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson(successes, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(st.floats(0, 1), st.integers(1, 10_000))
def test_wilson_stays_between_0_and_1_and_holds_the_share(share: float, n: int) -> None:
    low, high = wilson(share * n, n)
    assert 0 <= low <= (share * n) / n <= high <= 1


def test_wilson_needs_an_observation() -> None:
    with pytest.raises(ValueError, match="at least one"):
        wilson(0, 0)
    low, high = wilson(1, 1)
    assert 0 < low < high == 1


@pytest.mark.parametrize("n", [16, 40, 89, 1000])
def test_rounding_does_not_lead_beyond_the_ends(n: int) -> None:
    assert wilson(0, n)[0] == 0
    assert wilson(n, n)[1] == 1


@given(st.integers(0, 40), st.integers(0, 40))
def test_newcombe_adds_the_squares_of_wilsons_halves(first: int, second: int) -> None:
    a, b = (binomtest(k, 40).proportion_ci(method="wilson") for k in (first, second))
    p, q = first / 40, second / 40
    low = p - q - math.sqrt((p - a.low) ** 2 + (b.high - q) ** 2)
    high = p - q + math.sqrt((a.high - p) ** 2 + (q - b.low) ** 2)
    assert newcombe(p, q, 40) == pytest.approx((max(-1, low), min(1, high)), abs=1e-9)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(2, 200))
def test_newcombe_holds_the_difference_and_mirrors(first: float, second: float, n: int) -> None:
    low, high = newcombe(first, second, n)
    assert -1 <= low <= first - second <= high <= 1
    assert newcombe(second, first, n) == pytest.approx((-high, -low), abs=1e-9)


@pytest.mark.parametrize(("degrees", "level"), [(1, 0.975), (9.4, 0.8), (400, 0.975)])
def test_quantiles_are_students(degrees: float, level: float) -> None:
    assert quantile(degrees, level) == pytest.approx(t.ppf(level, degrees))
    assert quantile(degrees) == pytest.approx(t.ppf(0.975, degrees))


@given(st.floats(0.01, 0.99), st.floats(1e-4, 0.2), st.floats(1.5, 300))
def test_a_share_is_treated_as_log_odds(share: float, error: float, degrees: float) -> None:
    found = share_interval(share, spread_of(error, degrees), 80)
    half = t.ppf(0.975, max(2 / 3 * degrees, 1)) * error / (share * (1 - share))
    wanted = [float(expit(logit(share) + side * half)) for side in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(wanted, abs=1e-9)
    assert found.method == "jackknife over names"
    assert found.design_effect == pytest.approx(error**2 / (share * (1 - share) / 80))


def test_shares_lose_a_third_of_their_degrees_but_not_the_last() -> None:
    assert SKEWED == 2 / 3
    one, fewer = (share_interval(0.5, spread_of(0.01, d), 80) for d in (1.5, 1.0))
    assert (one.low, one.high) == (fewer.low, fewer.high)


@given(st.floats(0.001, 0.999), st.floats(1e-6, 0.5), st.floats(1, 500))
def test_a_share_stays_between_its_bounds(share: float, error: float, degrees: float) -> None:
    interval = share_interval(share, spread_of(error, degrees), 1000)
    assert interval.low is not None and interval.high is not None
    assert 0 <= interval.low <= share <= interval.high <= 1
    turned = share_interval(1 - share, spread_of(error, degrees), 1000)
    assert turned.low == pytest.approx(1 - interval.high, abs=1e-9)


def test_bounds_beyond_what_numbers_hold_are_the_ends() -> None:
    found = share_interval(0.5, spread_of(1e4), 10)
    assert (found.low, found.high) == (0.0, 1.0)


@pytest.mark.parametrize("mean", [0.0, 1.0, 0.3])
def test_no_variation_is_not_certainty(mean: float) -> None:
    found = share_interval(mean, spread_of(0.0, clusters=50), 1000)
    assert found == Interval(*wilson(mean * 50, 50), "Wilson on clusters")
    assert found.low is not None and found.high is not None
    assert found.high - found.low > 0.07
    same = difference_interval((mean, 0.2), spread_of(0.0, clusters=50))
    assert same == Interval(*newcombe(mean, 0.2, 50), "Newcombe on clusters")
    assert mean_interval(mean, spread_of(0.0)) == Interval(None, None, "none: nothing varies")


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_at_an_end_is_counted_by_clusters_though_numbers_round(share: float) -> None:
    found = share_interval(share, spread_of(1e-9, clusters=20), 100)
    assert found == Interval(*wilson(20 * share, 20), "Wilson on clusters")


def test_a_mean_lies_in_the_middle() -> None:
    found = mean_interval(7.0, spread_of(0.5))
    half = 0.5 * t.ppf(0.975, 11)
    assert (found.low, found.high) == pytest.approx((7 - half, 7 + half))
    assert found.method == "jackknife over names" and found.design_effect is None


def test_means_may_have_a_bound() -> None:
    found = mean_interval(0.7, spread_of(0.5), 1.0)
    assert (found.low, found.high) == pytest.approx((0.7 - 0.5 * t.ppf(0.975, 11), 1.0))
    assert mean_interval(-0.7, spread_of(0.5), 1.0).low == -1.0
    share = wilson(0, 12)[1]
    same = mean_interval(0.7, spread_of(0.0), 1.0)
    assert (same.low, same.high) == pytest.approx((0.7 - 1.7 * share, 0.7 + 0.3 * share))
    assert same.method == NOTHING_VARIES == "Wilson on clusters: nothing varies"
    assert (same.low, same.high) == constant_bounds(0.7, 12, 1.0)


def test_a_difference_has_all_its_degrees_and_stays_within_its_range() -> None:
    half = 0.05 * t.ppf(0.975, 11)
    found = difference_interval((0.7, 0.2), spread_of(0.05))
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half))
    assert found.method == "jackknife over names"
    assert difference_interval((1.0, 0.0), spread_of(0.05)).high == 1
    assert difference_interval((0.0, 1.0), spread_of(0.05)).low == -1


@pytest.mark.parametrize("error", [0.1, 0.0, math.nan])
def test_two_clusters_are_enough_and_one_is_not(error: float) -> None:
    for clusters, wanted in ((1, False), (2, not math.isnan(error))):
        known = spread_of(error, 1.0, clusters)
        found = share_interval(0.5, known, 10), difference_interval((0.5, 0.4), known)
        for interval in found:
            assert (interval.low is not None) == wanted
            assert (interval == SINGLE) != wanted
        assert (mean_interval(0.5, known) == SINGLE) != wanted


def test_correlated_rows_widen_the_interval() -> None:
    by_cluster = np.random.default_rng(0).integers(2, size=30).astype(float)
    code = np.repeat(np.arange(30), 40)
    figure = Figure(Clustering({"names": code}), np.arange(1200), by_cluster[code])
    interval = share_interval(figure.mean, spread(figure), len(figure))
    assert interval.low is not None and interval.high is not None
    low, high = wilson(by_cluster.sum(), 30)
    assert interval.high - interval.low == pytest.approx(high - low, rel=0.15)
    assert interval.design_effect == pytest.approx(40, rel=0.1)
