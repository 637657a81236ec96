"""Rank correlations are scipy's own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from naysay.stats.association import centred_ranks, correlations


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
