from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from naysay.stats.bootstrap import Sample, bootstrap_means, bootstrap_together
from naysay.stats.difference import holm, mcnemar
from naysay.stats.intervals import (
    cell_sums,
    clustered_difference,
    clustered_mean,
    clustered_share,
    newcombe,
    share_interval,
    standard_error,
    wilson,
)
from naysay.suites.scnt.analysis import repetition_shares

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
    assert mcnemar(first, second) == mcnemar(second, first)
    assert mcnemar(first, first) == pytest.approx(1)
    if first + second:
        expected = binomtest(first, first + second).pvalue
        assert mcnemar(first, second) == pytest.approx(expected)


def test_draws_are_what_they_are_by_hand() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(6, size=80), rng.integers(5, size=80)
    codes[0][:6], codes[1][:5] = np.arange(6), np.arange(5)
    values, weights = rng.random((2, 80)), rng.random(80)
    samples = [Sample(values[0], codes), Sample(values[1], codes, weights)]
    drawn = bootstrap_together(samples, (6, 5), seed=3, draws=40)
    for kind, (code, size) in enumerate(zip(codes, (6, 5), strict=True)):
        again = np.random.default_rng([3, kind])
        for b in range(40):
            weight = np.bincount(again.integers(size, size=size), minlength=size)[code].astype(
                float
            )
            expected = [
                (weight * values[0]).sum() / weight.sum(),
                (weight * weights * values[1]).sum() / (weight * weights).sum(),
            ]
            assert drawn[kind][b] == pytest.approx(expected)


@given(st.integers(0, 10_000), st.integers(20, 60))
@settings(max_examples=20, deadline=None)
def test_the_drawn_error_is_the_one_in_closed_form(seed: int, clusters: int) -> None:
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(clusters), rng.integers(3, 9, clusters))
    values = (rng.random(clusters)[code] + rng.random(len(code)) > 1).astype(float)
    drawn = bootstrap_means(values[:, None], code, seed=seed)[:, 0]
    sums = np.bincount(code, weights=(values - values.mean()) / len(code))
    closed = np.sqrt((sums**2).sum() * clusters / (clusters - 1))
    assert standard_error([drawn], [clusters]) == pytest.approx(closed, rel=0.12)


def test_what_both_ways_hold_is_counted_once() -> None:
    rng = np.random.default_rng(4)
    first, second = np.divmod(np.arange(3000), 50)
    values = rng.standard_normal(3000)
    draws = bootstrap_together([Sample(values, (first, second))], (60, 50), seed=0)
    cells = float((cell_sums(values, np.arange(3000), 3000) ** 2).sum())
    assert cells == pytest.approx(values.var() / 3000)
    both = [drawn[:, 0] for drawn in draws]
    independent = values.std() / np.sqrt(3000)
    assert standard_error(both, (60, 50), cells) == pytest.approx(independent, rel=0.3)
    assert standard_error(both, (60, 50)) > 1.2 * independent


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=8))
def test_holm_raises_keeps_the_order_and_none(p_values: list[float | None]) -> None:
    adjusted = holm(p_values)
    known = [(p, a) for p, a in zip(p_values, adjusted, strict=True) if p is not None]
    assert [a is None for a in adjusted] == [p is None for p in p_values]
    assert all(a is not None and p <= a <= 1 for p, a in known)
    ranked = [a for _, a in sorted(known, key=lambda pair: pair[0])]
    assert ranked == sorted(ranked, key=lambda a: a or 0)
    if known:
        least = min(p for p, _ in known)
        assert min(a for _, a in known if a is not None) == min(1.0, least * len(known))


def test_draws_depend_on_the_seed_alone() -> None:
    values, first = np.arange(20.0)[:, None], np.arange(20)
    one = bootstrap_means(values, first, seed=5, draws=250)
    assert np.array_equal(one, bootstrap_means(values, first, seed=5, draws=250))
    assert not np.array_equal(one, bootstrap_means(values, first, seed=6, draws=250))


def test_correlated_rows_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    by_cluster = rng.integers(2, size=30).astype(float)
    clusters = np.repeat(np.arange(30), 40)
    values = by_cluster[clusters]
    error = standard_error([bootstrap_means(values[:, None], clusters, seed=0)[:, 0]], [30])
    interval = clustered_share(float(values.mean()), error, len(values), 30)
    assert interval.low is not None and interval.high is not None
    low, high = wilson(by_cluster.sum(), 30)
    assert interval.high - interval.low == pytest.approx(high - low, rel=0.15)
    assert interval.design_effect == pytest.approx(40, rel=0.15)


@given(st.floats(0.001, 0.999), st.floats(1e-6, 0.5), st.integers(2, 500))
def test_a_share_stays_between_its_bounds(share: float, error: float, clusters: int) -> None:
    interval = clustered_share(share, error, 1000, clusters)
    assert interval.low is not None and interval.high is not None
    assert 0 <= interval.low <= share <= interval.high <= 1
    turned = clustered_share(1 - share, error, 1000, clusters)
    assert turned.low == pytest.approx(1 - interval.high, abs=1e-9)


@pytest.mark.parametrize("mean", [0.0, 1.0, 0.3])
def test_no_variation_is_not_certainty(mean: float) -> None:
    for interval in (
        clustered_share(mean, 0.0, 1000, 50),
        share_interval(mean, np.full(100, mean), 1000, 50),
    ):
        assert interval.method == "Wilson on clusters"
        assert interval.low is not None and interval.high is not None
        assert (interval.low, interval.high) == wilson(mean * 50, 50)
        assert interval.high - interval.low > 0.07
    difference = clustered_difference((1.0, 0.0), 0.0, 50)
    assert difference.method == "Newcombe on clusters"
    assert difference.low == pytest.approx(0.899, abs=1e-3)
    assert clustered_mean(mean, 0.0, 50).low is None


def test_one_cluster_has_no_interval() -> None:
    for interval in (
        clustered_share(0.5, 0.1, 10, 1),
        clustered_mean(0.5, 0.1, 1),
        clustered_difference((0.5, 0.1), 0.1, 1),
        share_interval(0.5, np.array([0.5, 0.5]), 10, 1),
    ):
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
