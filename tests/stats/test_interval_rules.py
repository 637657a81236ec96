"""Each interval against its formula, written a second time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import binomtest, t

from naysay.stats.intervals import (
    Interval,
    clustered_difference,
    clustered_mean,
    clustered_share,
    mean_interval,
    newcombe,
    percentiles,
    quantile,
    share_interval,
    wilson,
)

SINGLE = Interval(None, None, "none: a single cluster")


@given(st.integers(0, 40), st.integers(0, 40))
@settings(deadline=None)
def test_newcombe_adds_the_squares_of_wilsons_halves(first: int, second: int) -> None:
    a, b = (binomtest(k, 40).proportion_ci(method="wilson") for k in (first, second))
    p, q = first / 40, second / 40
    low = p - q - math.sqrt((p - a.low) ** 2 + (b.high - q) ** 2)
    high = p - q + math.sqrt((a.high - p) ** 2 + (q - b.low) ** 2)
    assert newcombe(p, q, 40) == pytest.approx((max(-1, low), min(1, high)), abs=1e-9)


def test_wilson_needs_an_observation() -> None:
    with pytest.raises(ValueError, match="at least one"):
        wilson(0, 0)
    low, high = wilson(1, 1)
    assert 0 < low < high == 1


@pytest.mark.parametrize("n", [16, 40, 89, 1000])
def test_rounding_does_not_lead_beyond_the_ends(n: int) -> None:
    assert wilson(0, n)[0] == 0
    assert wilson(n, n)[1] == 1


@pytest.mark.parametrize(("clusters", "level"), [(2, 0.975), (10, 0.8), (400, 0.975)])
def test_quantiles_have_one_degree_of_freedom_less(clusters: int, level: float) -> None:
    assert quantile(clusters, level) == pytest.approx(t.ppf(level, clusters - 1))
    assert quantile(clusters) == pytest.approx(t.ppf(0.975, clusters - 1))


def test_percentiles_leave_out_what_was_not_drawn() -> None:
    draws = np.concatenate([np.arange(201) / 200, [math.nan]])
    assert percentiles(draws) == pytest.approx((0.025, 0.975))


def test_a_drawn_share_tells_its_design_effect() -> None:
    draws = np.array([0.2, 0.3, math.nan, 0.4])
    found = share_interval(0.3, draws, 50, 4)
    assert (found.low, found.high) == pytest.approx(percentiles(draws))
    assert found.method == "cluster bootstrap"
    assert found.design_effect == pytest.approx(np.nanvar(draws) / (0.3 * 0.7 / 50))


def test_a_drawn_mean_has_percentiles() -> None:
    draws = np.array([2.0, math.nan, 5.0, 3.0])
    assert mean_interval(draws, 2) == Interval(*percentiles(draws), "cluster bootstrap")
    assert mean_interval(draws, 1) == SINGLE
    assert mean_interval(np.full(4, 2.0), 9) == Interval(None, None, "none: nothing varies")


@pytest.mark.parametrize(("step", "varies"), [(1e-14, False), (1e-9, True)])
def test_rounding_of_draws_is_no_variation(step: float, varies: bool) -> None:
    draws = 0.5 + np.array([0.0, step])
    share, mean = share_interval(0.5, draws, 10, 5), mean_interval(draws, 5)
    assert (share.method == "cluster bootstrap") == varies
    assert (mean.low is not None) == varies


@given(st.floats(0.01, 0.99), st.floats(1e-4, 0.2), st.integers(2, 300))
@settings(deadline=None)
def test_a_share_is_treated_as_log_odds(share: float, error: float, clusters: int) -> None:
    found = clustered_share(share, error, 80, clusters, 2)
    half = t.ppf(0.975, clusters - 1) * error / (share * (1 - share))
    wanted = [float(expit(logit(share) + side * half)) for side in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(wanted, abs=1e-9)
    assert found.method == "two-way cluster bootstrap"
    assert found.design_effect == pytest.approx(error**2 / (share * (1 - share) / 80))
    assert clustered_share(share, error, 80, clusters).method == "cluster bootstrap"


def test_a_share_at_an_end_is_counted_by_clusters_though_draws_round() -> None:
    found = clustered_share(0.0, 1e-9, 100, 20)
    assert found == Interval(*wilson(0, 20), "Wilson on clusters")
    assert clustered_share(1.0, 1e-9, 100, 20).method == "Wilson on clusters"


def test_bounds_beyond_what_numbers_hold_are_the_ends() -> None:
    found = clustered_share(0.5, 1e4, 10, 3)
    assert (found.low, found.high) == (0.0, 1.0)


@pytest.mark.parametrize("kinds", [1, 2])
def test_a_mean_lies_in_the_middle(kinds: int) -> None:
    found = clustered_mean(7.0, 0.5, 12, kinds)
    half = 0.5 * t.ppf(0.975, 11)
    assert (found.low, found.high) == pytest.approx((7 - half, 7 + half))
    assert found.method == ("two-way cluster bootstrap" if kinds == 2 else "cluster bootstrap")
    assert clustered_mean(7.0, 0.0, 12, kinds) == Interval(None, None, "none: nothing varies")


@pytest.mark.parametrize("kinds", [1, 2])
def test_a_difference_stays_within_its_range(kinds: int) -> None:
    half = 0.05 * t.ppf(0.975, 11)
    found = clustered_difference((0.7, 0.2), 0.05, 12, kinds)
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half))
    assert found.method == ("two-way cluster bootstrap" if kinds == 2 else "cluster bootstrap")
    assert clustered_difference((1.0, 0.0), 0.05, 12).high == 1
    assert clustered_difference((0.0, 1.0), 0.05, 12).low == -1
    same = clustered_difference((0.7, 0.2), 0.0, 12)
    assert same == Interval(*newcombe(0.7, 0.2, 12), "Newcombe on clusters")


def test_one_kind_of_cluster_goes_without_saying() -> None:
    assert clustered_mean(0.5, 0.1, 12) == clustered_mean(0.5, 0.1, 12, 1)
    means = (0.7, 0.2)
    assert clustered_difference(means, 0.1, 12) == clustered_difference(means, 0.1, 12, 1)


def test_two_clusters_are_enough_and_one_is_not() -> None:
    draws = np.array([0.4, 0.6])
    for clusters, wanted in ((1, False), (2, True)):
        for found in (
            clustered_share(0.5, 0.1, 10, clusters),
            clustered_mean(0.5, 0.1, clusters),
            clustered_difference((0.5, 0.4), 0.1, clusters),
            share_interval(0.5, draws, 10, clusters),
            mean_interval(draws, clusters),
        ):
            assert (found.low is not None) == wanted
            assert (found == SINGLE) != wanted
