"""Draws of clusters, told again one by one."""

from __future__ import annotations

import numpy as np
import pytest

from naysay.core.keys import draw
from naysay.stats.bootstrap import (
    DRAWS,
    Nested,
    Sample,
    bootstrap_means,
    bootstrap_together,
    cluster_weights,
)
from naysay.stats.intervals import Floats


def drawn_by_hand(rng: np.random.Generator, clusters: int, draws: int) -> Floats:
    """How often each cluster is drawn (draws × clusters)."""
    picks = [rng.integers(clusters, size=clusters) for _ in range(draws)]
    return np.array([np.bincount(pick, minlength=clusters) for pick in picks], dtype=float)


@pytest.mark.parametrize(("clusters", "draws"), [(1, 3), (7, 250), (20_000, 3), (40_000, 2)])
def test_as_many_clusters_are_drawn_as_there_are(clusters: int, draws: int) -> None:
    parts = list(cluster_weights(clusters, draws, seed=3))
    weights = np.concatenate(parts, axis=1)
    assert weights.shape == (clusters, draws)
    assert (weights.sum(axis=0) == clusters).all()
    assert (drawn_by_hand(np.random.default_rng(3), clusters, draws) == weights.T).all()


@pytest.mark.parametrize("draws", [99, 100, 101, 250])
def test_many_draws_are_made_like_few(draws: int) -> None:
    code, values = np.array([0, 0, 1, 2, 3, 3]), np.arange(6.0)
    [means] = bootstrap_together([Sample(values, (code,))], (4,), seed=5, draws=draws)
    weights = drawn_by_hand(np.random.default_rng([5, 0]), 4, draws)[:, code]
    assert means.shape == (draws, 1)
    assert means[:, 0] == pytest.approx((weights * values).sum(axis=1) / weights.sum(axis=1))


def test_kinds_of_clusters_are_drawn_apart() -> None:
    code, values = np.arange(30), np.random.default_rng(0).random(30)
    first, second = bootstrap_together([Sample(values, (code, code))], (30, 30), seed=0)
    assert abs(np.corrcoef(first[:, 0], second[:, 0])[0, 1]) < 0.1


def test_samples_share_their_draws_but_not_their_rows() -> None:
    values = np.random.default_rng(0).random(40)
    code = np.arange(40) // 2
    samples = [
        Sample(values, (code,)),
        Sample(values[:10], (code[:10],)),
        Sample(values + 1, (code,)),
        Sample(values, (code,), np.ones(40)),
        Sample(values, (code,), values),
    ]
    [means] = bootstrap_together(samples, (20,), seed=1, draws=150)
    assert means[:, 2] == pytest.approx(means[:, 0] + 1)
    assert means[:, 3] == pytest.approx(means[:, 0])
    weights = drawn_by_hand(np.random.default_rng([1, 0]), 20, 150)[:, code]
    some = weights[:, :10]
    assert means[:, 1] == pytest.approx((some * values[:10]).sum(axis=1) / some.sum(axis=1))
    weighed = weights * values
    assert means[:, 4] == pytest.approx((weighed * values).sum(axis=1) / weighed.sum(axis=1))


def test_a_draw_that_misses_a_sample_is_not_a_number() -> None:
    rare = Sample(np.ones(1), (np.array([0]),))
    [means] = bootstrap_together([rare], (5,), seed=0, draws=400)
    missed = drawn_by_hand(np.random.default_rng([0, 0]), 5, 400)[:, 0] == 0
    assert (np.isnan(means[:, 0]) == missed).all()
    assert 0.2 < missed.mean() < 0.5
    assert (means[~missed] == 1).all()


def test_nothing_to_draw_is_an_empty_table() -> None:
    [means] = bootstrap_together([], (5,), seed=0, draws=7)
    assert means.shape == (7, 0)


def test_columns_are_samples_of_the_same_rows() -> None:
    values, code = np.random.default_rng(2).random((12, 3)), np.arange(12) // 3
    means = bootstrap_means(values, code, seed=4, draws=30)
    samples = [Sample(values[:, k], (code,)) for k in range(3)]
    assert (means == bootstrap_together(samples, (4,), seed=4, draws=30)[0]).all()
    assert bootstrap_means(values, code, seed=4).shape == (DRAWS, 3)


GROUPS = {
    "a": np.array([[1.0, 5.0], [0.0, 7.0], [1.0, 6.0]]),
    "b": np.array([[3.0, 0.0], [2.0, 1.0]]),
    "c": np.array([[4.0, 4.0]]),
}


def test_observations_of_a_group_are_drawn_by_its_name_alone() -> None:
    nested = Nested(GROUPS, seed=6, draws=50)
    assert nested.means("a") == pytest.approx([2 / 3, 6])
    bank = nested.bank("a")
    rng = np.random.default_rng([6, draw("nested", "a")])
    picks = rng.integers(3, size=(50, 3))
    assert bank == pytest.approx(GROUPS["a"][picks].mean(axis=1))
    assert nested.bank("a") is bank  # drawn once
    assert (Nested({"a": GROUPS["a"]}, seed=6, draws=50).bank("a") == bank).all()
    assert not (Nested(GROUPS, seed=7, draws=50).bank("a") == bank).all()


def test_groups_are_drawn_and_then_one_draw_of_each() -> None:
    nested = Nested(GROUPS, seed=6, draws=50)
    weights = [3.0, 1.0, 2.0]
    rng = np.random.default_rng([6, draw("groups", "a", "b", "c")])
    picked, which = rng.integers(3, size=(50, 3)), rng.integers(50, size=(50, 3))
    expected = []
    for groups, draws in zip(picked, which, strict=True):
        rows = [nested.bank("abc"[g])[d] for g, d in zip(groups, draws, strict=True)]
        expected.append(np.average(rows, axis=0, weights=[weights[g] for g in groups]))
    assert nested.drawn(["a", "b", "c"], weights) == pytest.approx(np.array(expected))


def test_a_single_group_is_not_drawn_itself() -> None:
    nested = Nested(GROUPS, seed=6, draws=50)
    assert nested.drawn(["b"], [2.0]) is nested.bank("b")
    two = nested.drawn(["b", "c"], [1.0, 1.0])
    assert two.shape == (50, 2)
    assert (two.std(axis=0) > nested.bank("b").std(axis=0)).all()


def test_as_many_draws_as_are_told_elsewhere() -> None:
    assert len(Nested(GROUPS, seed=0).bank("a")) == DRAWS == 2000
