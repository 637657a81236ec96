"""Rank correlations are scipy's own, and means are of facts within relations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from naysay.stats.association import centred_ranks, correlations
from naysay.stats.bootstrap import Nested


class TestCorrelation:
    def test_it_is_scipys_on_a_thousand_pairs(self) -> None:
        rng = np.random.default_rng(0)
        for size, count in ((50, 800), (2000, 190), (21_018, 10)):
            first = rng.normal(size=(count, size)).astype(np.float32)
            second = (first + rng.normal(size=first.shape)).astype(np.float32)
            first[::2] = np.round(first[::2], 1)  # half of them with ties
            second[::3] = np.round(second[::3], 1)
            found = correlations(centred_ranks(first), centred_ranks(second))
            plain = [spearmanr(a, b).statistic for a, b in zip(first, second, strict=True)]
            assert found == pytest.approx(plain, abs=1e-6)

    @given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30))
    @settings(deadline=None)
    def test_it_is_scipys_with_many_ties(self, pairs: list[tuple[int, int]]) -> None:
        first, second = (np.array(side, dtype=np.float32) for side in zip(*pairs, strict=True))
        [found] = correlations(centred_ranks(first[None]), centred_ranks(second[None]))
        if len(set(first.tolist())) == 1 or len(set(second.tolist())) == 1:
            assert math.isnan(found)
        else:
            assert found == pytest.approx(spearmanr(first, second).statistic, abs=1e-6)


class TestNested:
    def test_means_are_of_relations_or_of_facts(self) -> None:
        groups = {"a": np.array([[1.0], [0.0]]), "b": np.ones((8, 1))}
        nested = Nested(groups, seed=0, draws=4000)
        macro, micro = nested.drawn(["a", "b"], [1, 1]), nested.drawn(["a", "b"], [2, 8])
        assert macro.mean() == pytest.approx(0.75, abs=0.02)
        assert micro.mean() > macro.mean()
        assert nested.drawn(["b"], [1]).std() == 0
        again = Nested({**groups, "c": np.zeros((3, 1))}, seed=0, draws=4000)
        assert (again.bank("a") == nested.bank("a")).all()  # whatever else is there

    def test_relations_that_differ_widen_the_interval(self) -> None:
        rng = np.random.default_rng(1)
        alike = {str(k): rng.random((400, 1)).round() for k in range(10)}
        apart = {str(k): (rng.random((400, 1)) < k / 9).astype(float) for k in range(10)}
        spread = [
            Nested(groups, seed=0).drawn(list(groups), [1] * 10).std() for groups in (alike, apart)
        ]
        assert spread[1] > 5 * spread[0]
