"""AUC and its interval over clusters."""

from __future__ import annotations

import numpy as np
import pytest

from naysay.stats.association import auc, auc_interval
from naysay.stats.intervals import Floats


def scores(seed: int, size: int) -> tuple[Floats, Floats]:
    """Scores of two kinds that overlap, rounded so that some are equal."""
    rng = np.random.default_rng(seed)
    return rng.normal(0.5, 1, size).round(1), rng.normal(0, 1, size).round(1)


def test_rows_of_one_cluster_are_drawn_together() -> None:
    high, low = scores(1, 20)
    once = auc_interval(high, low, np.arange(20), seed=3)
    # Each row thirty times tells nothing new, as long as all thirty belong to one cluster.
    many = auc_interval(np.repeat(high, 30), np.repeat(low, 30), np.arange(600) // 30, seed=3)
    assert once.low is not None and once.high is not None
    assert (many.low, many.high) == pytest.approx((once.low, once.high))
    assert once.high - once.low > 0.2
    apart = auc_interval(np.repeat(high, 30), np.repeat(low, 30), np.arange(600), seed=3)
    assert apart.low is not None and apart.high is not None
    assert apart.high - apart.low < 0.3 * (once.high - once.low)


def test_the_interval_holds_the_figure_and_follows_the_seed() -> None:
    high, low = scores(2, 60)
    found = [auc_interval(high, low, np.arange(60) // 3, seed=seed) for seed in (0, 0, 1)]
    assert found[0] == found[1] != found[2]
    assert found[0].low is not None and found[0].high is not None
    assert found[0].low < auc(high, low) < found[0].high
    assert found[0].method == "cluster bootstrap"


def test_a_draw_is_the_auc_of_the_drawn_rows() -> None:
    high, low = scores(3, 12)
    clusters = np.arange(12) // 2
    rng = np.random.default_rng(5)
    drawn = []
    for _ in range(2000):
        taken = rng.integers(6, size=6)
        picked = np.concatenate([np.flatnonzero(clusters == one) for one in taken])
        drawn.append(auc(high[picked], low[picked]))
    found = auc_interval(high, low, clusters, seed=5)
    assert (found.low, found.high) == pytest.approx(np.percentile(drawn, [2.5, 97.5]))


def test_what_cannot_be_told_has_no_interval() -> None:
    high, low = scores(4, 10)
    assert auc_interval(high, low, np.zeros(10, dtype=np.int64), seed=0).low is None
    apart = auc_interval(low + 100, low, np.arange(10), seed=0)
    assert (apart.low, apart.method) == (None, "none: nothing varies")
