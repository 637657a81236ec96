"""Paired differences and their tests, computed again by their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, t

from naysay.stats.clusters import Clustering, Codes, Figure, Spread, spread
from naysay.stats.difference import (
    POWER,
    Difference,
    holm,
    mcnemar,
    p_above,
    p_value,
    paired_difference,
)
from naysay.stats.intervals import NOTHING_VARIES


def check_formulas(found: Difference, error: float, degrees: float) -> None:
    """Interval, p-value and what could be detected follow from the error."""
    assert found.error == pytest.approx(error)
    assert found.degrees == pytest.approx(degrees)
    half = t.ppf(0.975, degrees) * error
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))
    assert found.p == pytest.approx(2 * t.sf(abs(found.value) / error, degrees))
    seen = (t.ppf(0.975, degrees) + t.ppf(0.8, degrees)) * error
    assert found.detectable == pytest.approx(seen)


@pytest.mark.parametrize("sign", [1, -1])
def test_one_kind_of_cluster(sign: int) -> None:
    rng = np.random.default_rng(1)
    values, code = sign * (0.3 + rng.normal(0, 0.2, 60)), np.arange(60) // 5
    found = paired_difference(values, {"words": 10 * code}, bound=9.0)
    means = values.reshape(12, 5).mean(axis=1)
    # Of equal clusters the change without one is its residual / 11.
    check_formulas(found, math.sqrt(((means - means.mean()) ** 2).sum()) / 11, 11)
    assert found.value == pytest.approx(values.mean())
    assert (found.n, found.clusters, found.bound) == (60, {"words": 12}, 9.0)
    assert found.method == "paired jackknife over words"


def test_clusters_that_cross_and_weights() -> None:
    rng = np.random.default_rng(2)
    values, weights = rng.normal(0.1, 0.3, 80), rng.random(80) + 0.5
    clusters = {"names": np.arange(80) // 8, "professions": np.arange(80) % 8 // 2}
    found = paired_difference(values, clusters, weights=weights, bound=9.0)
    wanted = spread(Figure(Clustering(clusters), np.arange(80), values, weights))
    check_formulas(found, wanted.error, wanted.degrees)
    assert found.value == pytest.approx(np.average(values, weights=weights))
    assert (found.n, found.clusters) == (80, {"names": 10, "professions": 4})
    assert found.method == "paired jackknife over names × professions"


def test_bounds_stay_where_items_can_be() -> None:
    values = np.array([1.0, 1.0, 1.0, -1.0])
    found = paired_difference(values, {"words": np.arange(4)})
    assert (found.low, found.high) == (-1.0, 1.0)
    wider = paired_difference(values, {"words": np.arange(4)}, bound=2.0)
    assert wider.low is not None and wider.high is not None
    assert wider.low < -0.5 and wider.high > 1


def test_a_single_row_tells_nothing() -> None:
    found = paired_difference(np.array([0.5]), {"words": np.zeros(1, int)}, bound=3.0)
    assert (found.low, found.high, found.p, found.detectable, found.error) == (None,) * 5
    assert (found.value, found.n, found.clusters, found.bound) == (0.5, 1, {"words": 1}, 3.0)
    assert (found.method, found.degrees) == ("none: a single cluster", None)
    assert p_above(found, 0.0) is None


@pytest.mark.parametrize(("constant", "bound"), [(0.25, 1.0), (-0.5, 2.0), (0.0, 1.0)])
def test_where_nothing_varies_a_share_of_clusters_may_be_otherwise(
    constant: float, bound: float
) -> None:
    code = np.arange(30) // 2
    found = paired_difference(np.full(30, constant), {"words": code}, bound=bound)
    z = norm.ppf(0.975)
    share = z**2 / (15 + z**2)
    assert found.low == pytest.approx(constant - (bound + constant) * share)
    assert found.high == pytest.approx(constant + (bound - constant) * share)
    assert found.p == pytest.approx(2 * norm.sf(math.sqrt(15 * abs(constant) / bound)))
    assert found.detectable == pytest.approx(bound * share * (z + norm.ppf(0.8)) / z)
    assert (found.error, found.n, found.clusters) == (0.0, 30, {"words": 15})
    assert found.degrees == pytest.approx(14) and found.bound == bound
    assert found.method == NOTHING_VARIES == "Wilson on clusters: nothing varies"
    assert POWER == 0.8


@st.composite
def differences(draw: st.DrawFn) -> Difference:
    """Some that vary and some that do not, also over few verbs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(10, 80))
    clusters: dict[str, Codes] = {
        "names": np.arange(count) % draw(st.integers(2, 9)),
        "verbs": np.arange(count) % draw(st.integers(1, 9)),
    }
    values = np.full(count, draw(st.floats(-0.9, 0.9)))
    if draw(st.booleans()):
        values = np.clip(values + rng.normal(0, 0.4, count), -1, 1)
    return paired_difference(values, clusters)


@given(differences(), st.floats(-0.99, 0.99))
def test_p_values_agree_with_the_interval(found: Difference, limit: float) -> None:
    """The p-value is below 2.5 % exactly where the interval excludes the limit."""
    assert found.low is not None and found.high is not None and found.p is not None
    above, below = p_above(found, limit), p_above(found, limit, below=True)
    assert above is not None and below is not None
    if min(abs(found.low - limit), abs(found.high - limit)) > 1e-9:
        assert (above < 0.025) == (found.low > limit)
        assert (below < 0.025) == (found.high < limit)
    if found.error:
        assert above + below == pytest.approx(1)
    if min(abs(found.low), abs(found.high)) > 1e-9:
        assert (found.p < 0.05) == (found.low > 0 or found.high < 0)
    nearest = min(p_above(found, 0.0) or 0.0, p_above(found, 0.0, below=True) or 0.0)
    assert found.p == pytest.approx(min(1.0, 2 * nearest), abs=1e-12)


@given(differences(), st.floats(0.001, 0.3))
def test_p_values_fall_with_the_distance_from_the_limit(found: Difference, step: float) -> None:
    one, further = (p_above(found, found.value - k * step) for k in (1, 2))
    assert one is not None and further is not None and further <= one


def test_p_values_follow_from_the_spread() -> None:
    found = p_value(-0.3, Spread(0.1, 11.0, {"names": 12}, {}))
    assert found == pytest.approx(2 * t.sf(3, 11))
    same = p_value(0.25, Spread(0.0, 11.0, {"names": 12, "verbs": 20}, {"professions": 1}))
    assert same == pytest.approx(2 * norm.sf(math.sqrt(12 * 0.25)))
    assert p_value(0.0, Spread(0.0, 11.0, {"names": 12}, {})) == 1
    assert p_value(0.3, Spread(math.nan, 1.0, {}, {"names": 1})) is None
    assert p_value(0.3, Spread(0.1, 1.0, {"names": 1}, {})) is None


def test_p_values_of_what_cannot_be() -> None:
    constant = paired_difference(np.full(20, 0.5), {"words": np.arange(20)})
    assert p_above(constant, 0.51) == p_above(constant, 0.6) == 1
    assert p_above(constant, 0.4, below=True) == 1
    assert p_above(constant, -1.0) == p_above(constant, -2.0) == 0
    whole = paired_difference(np.full(20, -1.0), {"words": np.arange(20)})
    assert p_above(whole, -2.0) == 0  # no room below


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_symmetric_and_a_probability(first: int, second: int) -> None:
    assert 0 < mcnemar(first, second) <= 1
    assert mcnemar(first, second) == mcnemar(second, first)
    assert mcnemar(first, first) == pytest.approx(1)
    if first + second:
        expected = binomtest(first, first + second).pvalue
        assert mcnemar(first, second) == pytest.approx(expected)


def test_mcnemar_by_hand() -> None:
    assert mcnemar(0, 0) == 1
    assert mcnemar(0, 1) == 1
    assert mcnemar(0, 6) == pytest.approx(2 / 2**6)
    assert mcnemar(1, 6) == pytest.approx(2 * (1 + 7) / 2**7)


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


def test_holm_by_hand() -> None:
    assert holm([0.04, None, 0.01, 0.5]) == pytest.approx([0.08, None, 0.03, 0.5])
    assert holm([0.02, 0.02, 0.6, 0.7]) == pytest.approx([0.08, 0.08, 1.0, 1.0])
    assert holm([0.01, 0.011, 0.9]) == pytest.approx([0.03, 0.03, 0.9])
    assert holm([]) == []
