"""The exponent of a power law."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naysay.bench.scale import exponent


@given(st.floats(-2, 3), st.floats(1e-6, 1e3))
def test_the_exponent_of_an_exact_power_law_is_found(power: float, factor: float) -> None:
    points = [(size, factor * size**power) for size in (1e3, 1e4, 1e5, 1e6)]
    assert exponent(points) == pytest.approx(power, abs=1e-3)


def test_a_fixed_cost_lowers_the_exponent() -> None:
    found = exponent([(size, 1 + size / 1000) for size in (1e3, 1e4, 1e5)])
    assert found is not None and 0 < found < 1


@pytest.mark.parametrize("points", [[], [(10, 1.0)], [(10, 1.0), (10, 2.0)], [(10, -1.0), (9, 1)]])
def test_too_few_points_have_no_exponent(points: list[tuple[float, float]]) -> None:
    assert exponent(points) is None or not math.isnan(exponent(points) or 0)
    assert exponent(points) is None
