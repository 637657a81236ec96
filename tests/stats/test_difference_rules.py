"""Paired differences and their tests, told again by their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from naysay.stats.bootstrap import Sample, bootstrap_together
from naysay.stats.difference import (
    NOTHING_VARIES,
    POWER,
    SINGLE,
    Difference,
    holm,
    mcnemar,
    paired_difference,
)
from naysay.stats.intervals import cell_sums, standard_error


def check_formulas(found: Difference, error: float, fewest: int) -> None:
    """Interval, p-value and what could be detected follow from the error."""
    assert found.error == pytest.approx(error)
    half = t.ppf(0.975, fewest - 1) * error
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))
    assert found.p == pytest.approx(2 * t.sf(abs(found.value) / error, fewest - 1))
    seen = (t.ppf(0.975, fewest - 1) + t.ppf(0.8, fewest - 1)) * error
    assert found.detectable == pytest.approx(seen)


@pytest.mark.parametrize("sign", [1, -1])
def test_one_way(sign: int) -> None:
    rng = np.random.default_rng(1)
    values, code = sign * (0.3 + rng.normal(0, 0.2, 60)), np.arange(60) // 5
    found = paired_difference(values, {"pairs": 10 * code}, bound=9.0, draws=300)
    [drawn] = bootstrap_together([Sample(values, (code,))], (12,), seed=0, draws=300)
    check_formulas(found, standard_error([drawn[:, 0]], [12]), 12)
    assert found.value == pytest.approx(values.mean())
    assert (found.n, found.clusters) == (60, {"pairs": 12})
    assert found.method == "paired cluster bootstrap"


def test_two_ways_and_weights() -> None:
    rng = np.random.default_rng(2)
    values, weights = rng.normal(0.1, 0.3, 80), rng.random(80) + 0.5
    first, second = np.arange(80) // 8, np.arange(80) % 8 // 2  # ten by four, twice each
    found = paired_difference(
        values, {"a": first, "b": second}, weights=weights, bound=9.0, draws=300
    )
    sample = Sample(values, (first, second), weights)
    drawn = bootstrap_together([sample], (10, 4), seed=0, draws=300)
    cells = cell_sums(values, first * 4 + second, 40, weights)
    error = standard_error([d[:, 0] for d in drawn], [10, 4], float((cells**2).sum()))
    check_formulas(found, error, 4)
    assert found.value == pytest.approx(np.average(values, weights=weights))
    assert (found.n, found.clusters) == (80, {"a": 10, "b": 4})
    assert found.method == "paired two-way cluster bootstrap"


def test_cells_are_told_apart_however_many_clusters_there_are() -> None:
    rng = np.random.default_rng(3)
    values, code = rng.normal(0, 1, 12), np.arange(12)
    # Each row is a cell of its own, and both ways hold the same clusters.
    found = paired_difference(values, {"a": code, "b": code}, bound=9.0)
    drawn = bootstrap_together([Sample(values, (code, code))], (12, 12), seed=0)
    cells = float((((values - values.mean()) / 12) ** 2).sum())
    assert found.error == pytest.approx(standard_error([d[:, 0] for d in drawn], [12, 12], cells))


def test_bounds_stay_where_items_can_be() -> None:
    values = np.array([1.0, 1.0, 1.0, -1.0])
    found = paired_difference(values, {"a": np.arange(4)})
    assert (found.low, found.high) == (-1.0, 1.0)
    wider = paired_difference(values, {"a": np.arange(4)}, bound=2.0)
    assert wider.low is not None and wider.high is not None
    assert wider.low < -0.5 and wider.high > 1


def test_a_single_cluster_of_a_kind_tells_nothing() -> None:
    values = np.array([1.0, 0.0, 0.5])
    for clusters in ({"a": np.zeros(3, int)}, {"a": np.arange(3), "b": np.ones(3, int)}):
        found = paired_difference(values, clusters)
        assert (found.low, found.high, found.p, found.detectable, found.error) == (None,) * 5
        assert (found.value, found.n, found.method) == (0.5, 3, SINGLE)
        assert found.clusters == {kind: len(np.unique(one)) for kind, one in clusters.items()}
    assert paired_difference(values, {"a": np.array([0, 0, 1])}).low is not None


@pytest.mark.parametrize(("constant", "bound"), [(0.25, 1.0), (-0.5, 2.0), (0.0, 1.0)])
def test_where_nothing_varies_a_share_of_clusters_may_be_otherwise(
    constant: float, bound: float
) -> None:
    values, code = np.full(30, constant), np.arange(30) // 2
    found = paired_difference(values, {"a": code}, bound=bound, draws=20)
    z = norm.ppf(0.975)
    share = z**2 / (15 + z**2)
    assert found.low == pytest.approx(constant - (bound + constant) * share)
    assert found.high == pytest.approx(constant + (bound - constant) * share)
    assert found.p == pytest.approx(2 * norm.sf(math.sqrt(15 * abs(constant) / bound)))
    assert found.detectable == pytest.approx(bound * share * (z + norm.ppf(0.8)) / z)
    assert (found.error, found.n, found.clusters) == (0.0, 30, {"a": 15})
    assert found.method == NOTHING_VARIES


def test_names_say_how_it_was_made() -> None:
    assert NOTHING_VARIES == "Wilson on clusters: nothing varies"
    assert SINGLE == "none: a single cluster"
    assert POWER == 0.8


def test_mcnemar_by_hand() -> None:
    assert mcnemar(0, 0) == 1
    assert mcnemar(0, 1) == 1
    assert mcnemar(0, 6) == pytest.approx(2 / 2**6)
    assert mcnemar(1, 6) == pytest.approx(2 * (1 + 7) / 2**7)


def test_holm_by_hand() -> None:
    assert holm([0.04, None, 0.01, 0.5]) == pytest.approx([0.08, None, 0.03, 0.5])
    assert holm([0.02, 0.02, 0.6, 0.7]) == pytest.approx([0.08, 0.08, 1.0, 1.0])
    assert holm([0.01, 0.011, 0.9]) == pytest.approx([0.03, 0.03, 0.9])
    assert holm([]) == []
