from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from naysay.stats.bootstrap import bootstrap_means
from naysay.stats.intervals import difference_interval, newcombe, share_interval, wilson
from naysay.stats.paired import mcnemar
from naysay.suites.scnt.figures import repetition_shares

COUNTS = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS)
def test_wilson_is_scipys(counts: tuple[int, int]) -> None:
    successes, n = counts
    expected = binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson(successes, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(2, 200))
def test_newcombe_holds_the_difference_and_mirrors(first: float, second: float, n: int) -> None:
    low, high = newcombe(first, second, n)
    assert -1 <= low <= first - second <= high <= 1
    assert newcombe(second, first, n) == pytest.approx((-high, -low), abs=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_symmetric_and_a_probability(first: int, second: int) -> None:
    assert 0 < mcnemar(first, second) <= 1
    assert mcnemar(first, second) == pytest.approx(mcnemar(second, first))
    assert mcnemar(first, first) == pytest.approx(1)


def test_the_two_way_bootstrap_is_the_pigeonhole_by_hand() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.integers(6, size=80), rng.integers(5, size=80)
    first[:6], second[:5] = np.arange(6), np.arange(5)
    values = rng.random((80, 2))
    means = bootstrap_means(values, first, second, seed=3, draws=40)
    again = np.random.default_rng(3)
    weights = np.stack(
        [np.bincount(row, minlength=6) for row in again.integers(6, size=(40, 6))], axis=1
    )
    others = np.stack(
        [np.bincount(row, minlength=5) for row in again.integers(5, size=(40, 5))], axis=1
    )
    for b in range(40):
        weight = weights[first, b] * others[second, b]
        assert means[b] == pytest.approx((weight[:, None] * values).sum(0) / weight.sum())


def test_draws_depend_on_the_seed_alone() -> None:
    values, first = np.arange(20.0)[:, None], np.arange(20)
    one = bootstrap_means(values, first, seed=5, draws=250)
    assert np.array_equal(one, bootstrap_means(values, first, seed=5, draws=250))
    assert not np.array_equal(one, bootstrap_means(values, first, seed=6, draws=250))


def test_correlated_rows_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    by_cluster = rng.integers(2, size=30).astype(float)
    clusters = np.repeat(np.arange(30), 40)
    values = by_cluster[clusters][:, None]
    draws = bootstrap_means(values, clusters, seed=0)
    interval = share_interval(float(values.mean()), draws[:, 0], len(values), 30)
    assert interval.low is not None and interval.high is not None
    low, high = wilson(by_cluster.sum(), 30)
    assert interval.high - interval.low == pytest.approx(high - low, rel=0.15)
    assert interval.design_effect == pytest.approx(40, rel=0.15)


def test_the_one_way_interval_covers_what_it_should() -> None:
    covered = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        shares = rng.beta(3, 5, size=60)
        clusters = np.repeat(np.arange(60), 8)
        values = (rng.random(480) < shares[clusters]).astype(float)[:, None]
        draws = bootstrap_means(values, clusters, seed=seed, draws=400)
        interval = share_interval(float(values.mean()), draws[:, 0], 480, 60)
        assert interval.low is not None and interval.high is not None
        covered += interval.low <= 3 / 8 <= interval.high
    assert 0.91 <= covered / 300 <= 0.98


def test_the_two_way_interval_errs_on_the_safe_side() -> None:
    covered, truth = 0, 0.5
    for seed in range(200):
        rng = np.random.default_rng(seed)
        first = np.repeat(np.arange(50), 12)
        second = np.concatenate([rng.permutation(40)[:12] for _ in range(50)])
        lean = rng.normal(0, 0.7, 50)[first] + rng.normal(0, 0.7, 40)[second]
        values = (lean + rng.logistic(size=len(first)) > 0).astype(float)[:, None]
        draws = bootstrap_means(values, first, second, seed=seed, draws=400)
        interval = share_interval(float(values.mean()), draws[:, 0], len(values), 40)
        assert interval.low is not None and interval.high is not None
        covered += interval.low <= truth <= interval.high
    assert covered / 200 >= 0.93


@pytest.mark.parametrize("mean", [0.0, 1.0, 0.3])
def test_no_variation_is_not_certainty(mean: float) -> None:
    same = np.full(100, mean)
    interval = share_interval(mean, same, 1000, 50)
    assert interval.method == "Wilson on clusters"
    assert interval.low is not None and interval.high is not None
    assert (interval.low, interval.high) == wilson(mean * 50, 50)
    assert interval.high - interval.low > 0.07
    difference = difference_interval((1.0, 0.0), (np.ones(100), np.zeros(100)), 50)
    assert difference.method == "Newcombe on clusters"
    assert difference.low == pytest.approx(0.899, abs=1e-3)


def test_one_cluster_has_no_interval() -> None:
    interval = share_interval(0.5, np.array([0.5, 0.5]), 10, 1)
    assert (interval.low, interval.high) == (None, None)


@pytest.mark.parametrize("cap", [1, 2, 20])
@pytest.mark.parametrize("repeating", [3, 30, 60])
def test_the_repetition_share_is_right_on_average_though_the_walk_stops(
    cap: int, repeating: int
) -> None:
    rng = np.random.default_rng(cap * 100 + repeating)
    verbs, walks = 60, 20_000
    order = np.argsort(rng.random((walks, verbs)), axis=1) < repeating
    found = np.cumsum(order, axis=1)
    stops = np.where(found[:, -1] >= cap, (found >= cap).argmax(axis=1) + 1, verbs)
    repeated = np.minimum(found[:, -1], cap).astype(float)
    shares = repetition_shares(stops.astype(float), repeated, cap, exhaustive=False)
    error = shares.std() / np.sqrt(walks)
    assert abs(shares.mean() - repeating / verbs) <= 4 * error + 1e-12
