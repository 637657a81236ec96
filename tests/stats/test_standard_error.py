"""The two rules of the standard error: few clusters, and two kinds that cross."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naysay.stats.intervals import Floats, cell_sums, standard_error

VARIANCES = st.floats(1e-4, 1.0)


def draws_with(variance: float) -> Floats:
    """Two draws that vary by exactly so much."""
    return math.sqrt(variance) * np.array([-1.0, 1.0])


@pytest.mark.parametrize("clusters", [2, 3, 5, 100])
def test_few_clusters_vary_by_more_than_their_draws(clusters: int) -> None:
    expected = math.sqrt(0.04 * clusters / (clusters - 1))
    assert standard_error([draws_with(0.04)], [clusters]) == pytest.approx(expected)


def test_each_kind_has_its_own_number_of_clusters() -> None:
    both = [draws_with(0.04), draws_with(0.09)]
    assert standard_error(both, [2, 4], 0.01) == pytest.approx(math.sqrt(0.08 + 0.12 - 0.01))
    assert standard_error(both[::-1], [4, 2], 0.01) == standard_error(both, [2, 4], 0.01)


def test_a_single_cluster_is_left_as_it_is() -> None:
    assert standard_error([draws_with(0.04)], [1]) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("first", "second", "cells", "variance"),
    [
        (0.5, 0.3, 0.2, 0.6),  # what both hold is counted once
        (0.5, 0.3, 0.0, 0.8),
        (1.0, 0.2, 0.9, 0.3),  # above the smallest of the three: nothing to mend
        (1.0, 0.2, 1.1, 0.2),  # the difference is 0.1, below each of the three
        (0.2, 1.0, 1.1, 0.2),
        (0.5, 0.4, 1.0, 0.4),  # the difference is negative
    ],
)
def test_two_ways_never_vary_by_less_than_the_smallest_part(
    first: float, second: float, cells: float, variance: float
) -> None:
    many = 10**9  # the other rule hardly shows there
    both = [draws_with(first), draws_with(second)]
    assert standard_error(both, [many, many], cells) == pytest.approx(math.sqrt(variance))


@given(VARIANCES, VARIANCES, st.floats(0, 3))
@settings(deadline=None)
def test_two_ways_vary_by_the_smaller_part_at_least_and_by_the_sum_at_most(
    first: float, second: float, cells: float
) -> None:
    found = standard_error([draws_with(first), draws_with(second)], [50, 50], cells) ** 2
    parts = first * 50 / 49, second * 50 / 49
    assert found <= sum(parts) * (1 + 1e-9)
    assert found >= min(cells, *parts) * (1 - 1e-9)


def test_one_way_takes_nothing_off_for_cells() -> None:
    assert standard_error([draws_with(0.04)], [10**9], 0.03) == pytest.approx(0.2)


def test_rounding_is_no_variation() -> None:
    assert standard_error([np.array([0.1, 0.1 + 1e-15, 0.1])], [5]) == 0.0
    assert standard_error([np.array([0.1, 0.1 + 1e-9, 0.1])], [5]) > 0.0


def test_draws_without_an_observation_are_left_out() -> None:
    drawn = np.array([-0.2, math.nan, 0.2])
    assert standard_error([drawn], [5]) == pytest.approx(math.sqrt(0.04 * 5 / 4))


def test_cells_are_summed_by_hand() -> None:
    values, cells = np.array([1.0, 0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 3, 3])
    assert cell_sums(values, cells, 5) == pytest.approx([-0.04, -0.12, 0.0, 0.16, 0.0])
    weights = np.array([1.0, 1.0, 2.0, 2.0, 2.0])  # the mean is 5 of 8
    found = cell_sums(values, cells, 4, weights)
    assert found == pytest.approx(np.array([3 - 5, -10, 0, 12]) / 64)
    assert found.sum() == pytest.approx(0)
