"""Ranks and their correlations against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from naysay.stats.association import centred_ranks, correlations


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 20])
@pytest.mark.parametrize("digits", [1, 9])
def test_ranks_are_scipys(rows: int, digits: int) -> None:
    values = np.random.default_rng(rows).random((rows, 25)).round(digits)
    expected = rankdata(values, axis=1) - 13
    assert centred_ranks(values) == pytest.approx(expected)


def test_tied_rows_and_others_stand_side_by_side() -> None:
    values = np.array([[3.0, 1.0, 2.0], [2.0, 2.0, 2.0], [1.0, 1.0, 0.0], [0.0, 5.0, 5.0]])
    assert centred_ranks(values).tolist() == [
        [1.0, -1.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.5, 0.5, -1.0],
        [-1.0, 0.5, 0.5],
    ]


def test_no_row_has_no_ranks() -> None:
    assert centred_ranks(np.empty((0, 4))).shape == (0, 4)


def test_correlations_are_spearmans() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.random((12, 30)).round(1), rng.random((12, 30)).round(1)
    found = correlations(centred_ranks(one), centred_ranks(other))
    expected = [spearmanr(a, b).statistic for a, b in zip(one, other, strict=True)]
    assert found == pytest.approx(expected)


def test_a_constant_row_has_no_correlation() -> None:
    ranks = centred_ranks(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]))
    assert np.isnan(correlations(ranks, ranks)).tolist() == [False, True]


def test_rounding_does_not_lead_beyond_one() -> None:
    ranks = centred_ranks(np.random.default_rng(1).random((40, 17)))
    for sign in (1, -1):
        found = correlations(ranks, (sign * ranks).astype(np.float32))
        assert found == pytest.approx(np.full(40, float(sign)))
        assert (np.abs(found) <= 1).all()
