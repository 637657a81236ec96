"""AUC and its interval over clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naysay.stats.association import auc, auc_interval, auc_without
from naysay.stats.clusters import Floats, Spread
from naysay.stats.intervals import share_interval, wilson


def scores(seed: int, size: int) -> tuple[Floats, Floats]:
    """Scores of two kinds that overlap, rounded so that some are equal."""
    rng = np.random.default_rng(seed)
    return rng.normal(0.5, 1, size).round(1), rng.normal(0, 1, size).round(1)


@given(st.integers(0, 2**32), st.integers(2, 40), st.integers(2, 9))
def test_the_area_without_a_cluster_is_that_of_the_other_rows(
    seed: int, size: int, clusters: int
) -> None:
    high, low = scores(seed, size)
    code = np.arange(size) % clusters
    without, whole = auc_without(high, low, code)
    assert whole == pytest.approx(auc(high, low))
    plain = np.mean([(a > b) + (a == b) / 2 for a in high for b in low])
    assert whole == pytest.approx(plain)
    for cluster in np.unique(code):
        kept = code != cluster
        assert without[cluster] == pytest.approx(auc(high[kept], low[kept]))


def test_a_single_cluster_cannot_be_left_out() -> None:
    high, low = scores(1, 8)
    without, whole = auc_without(high, low, np.zeros(8, dtype=np.int64))
    assert without.tolist() == [whole]


def test_the_interval_is_a_jackknife_of_areas() -> None:
    high, low = scores(2, 60)
    code = np.arange(60) // 3
    without, whole = auc_without(high, low, code)
    error = math.sqrt(((without - whole) ** 2).sum())
    wanted = share_interval(whole, Spread(error, 19.0, {"words": 20}, {}), 60)
    found = auc_interval(high, low, code, "words")
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
    assert found.method == "jackknife over words"
    assert found.design_effect is None


def test_rows_of_one_cluster_are_left_out_together() -> None:
    high, low = scores(3, 20)
    once = auc_interval(high, low, np.arange(20), "words")
    # Each row thirty times tells nothing new, as long as all thirty belong to one cluster.
    thirty = np.repeat(high, 30), np.repeat(low, 30)
    many = auc_interval(*thirty, np.arange(600) // 30, "words")
    assert once.low is not None and once.high is not None
    assert (many.low, many.high) == pytest.approx((once.low, once.high))
    apart = auc_interval(*thirty, np.arange(600), "words")
    assert apart.low is not None and apart.high is not None
    assert apart.high - apart.low < 0.3 * (once.high - once.low)


def test_scores_that_never_overlap_are_counted_by_clusters() -> None:
    _, low = scores(4, 10)
    found = auc_interval(low + 100, low, np.arange(10), "words")
    assert (found.low, found.high) == wilson(10, 10)
    assert found.method == "Wilson on clusters"


@pytest.mark.parametrize("relations", [1, 4])
def test_few_relations_are_taken_as_they_are(relations: int) -> None:
    high, low = scores(5, 40)
    code = np.arange(40) % relations
    without, whole = auc_without(high, low, np.arange(40))
    error = math.sqrt(((without - whole) ** 2).sum())
    known = Spread(error, 40.0 - relations, {"items": 40}, {})
    wanted = share_interval(whole, known, 40)
    found = auc_interval(high, low, code, "relations")
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
    named = "this relation" if relations == 1 else "these 4 relations"
    assert found.method == f"jackknife over items, for {named}"


def test_one_row_has_no_interval() -> None:
    found = auc_interval(np.ones(1), np.zeros(1), np.zeros(1, dtype=np.int64), "words")
    assert (found.low, found.high) == (None, None)
