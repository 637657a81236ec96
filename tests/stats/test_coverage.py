"""Do 95 % intervals contain the truth in 95 % of simulated sets?

The simulations are those of scripts/coverage.py, with fewer sets; docs/coverage.md has all of them.
They are seeded, so what is allowed has no need of room for chance.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from naysay.stats.intervals import wilson

SCRIPT = Path(__file__).parents[2] / "scripts" / "coverage.py"


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("coverage_script", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for their module
    spec.loader.exec_module(module)
    return module


SCENARIOS: dict[str, Any] = {one.name: one for one in _loaded().scenarios()}
ALLOWED = 2.0
"""Points from 95: 1.5 that are wanted, and half a point since there are fewer sets."""


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
def test_wilson_where_items_are_independent(share: float) -> None:
    drawn = np.random.default_rng([1, int(100 * share)]).binomial(300, share, size=40_000)
    counts, often = np.unique(drawn, return_counts=True)
    held = [low <= share <= high for low, high in (wilson(count, 300) for count in counts.tolist())]
    assert 100 * np.average(held, weights=often) == pytest.approx(95, abs=1.5)


@pytest.mark.parametrize("rate", [0.05, 0.5])
@pytest.mark.parametrize(
    "scenario",
    ["50 pairs", "200 pairs", "41 relations, effect 1.0", "87 clusters of adjectives, effect 0.8"],
)
def test_shares(scenario: str, rate: float) -> None:
    assert SCENARIOS[scenario].shares(600, rate) == pytest.approx(95, abs=ALLOWED)


@pytest.mark.parametrize("change", [(0.5, 0.5), (0.5, 0.6)])
@pytest.mark.parametrize("scenario", ["50 pairs", "41 relations, effect 1.0"])
def test_paired_differences(scenario: str, change: tuple[float, float]) -> None:
    assert SCENARIOS[scenario].differences(600, change) == pytest.approx(95, abs=ALLOWED)


@pytest.mark.parametrize("relations", [5, 12])
def test_few_relations_are_rather_too_wide_than_too_narrow(relations: int) -> None:
    found = SCENARIOS[f"{relations} relations, effect 1.0"].shares(600, 0.2)
    assert 94 <= found <= 99


def test_areas() -> None:
    assert SCENARIOS["12 relations, effect 1.0"].area(300, 0.8) == pytest.approx(96, abs=3)


def test_the_old_ways_are_too_narrow() -> None:
    """What the simulation is able to notice."""
    independent = SCENARIOS["old: 200 pairs taken as independent"].shares(300, 0.5)
    assert independent < 92
    assert SCENARIOS["old: 5 relations drawn with replacement"].shares(300, 0.5) < 90


@pytest.mark.slow
def test_the_page_has_what_the_script_finds() -> None:
    page = (SCRIPT.parents[1] / "docs" / "coverage.md").read_text(encoding="utf-8")
    scenario = SCENARIOS["12 relations, effect 1.0"]
    [shares, differences, _] = [
        [cell.strip() for cell in line.split("|")][3:-1]
        for line in page.splitlines()
        if line.startswith(f"| {scenario.name} |")
    ]
    assert shares[2] == f"{scenario.shares(2000, 0.2):.1f}"
    assert differences[1] == f"{scenario.differences(2000, (0.5, 0.5)):.1f}"


@pytest.mark.slow
def test_many_pairs() -> None:
    scenario = SCENARIOS["3,000 pairs"]
    assert scenario.shares(1000, 0.2) == pytest.approx(95, abs=ALLOWED)
    assert scenario.differences(600, (0.5, 0.6)) == pytest.approx(95, abs=ALLOWED)
    assert SCENARIOS["old: 3,000 pairs taken as independent"].shares(300, 0.2) < 80


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.005, 0.2, 0.95])
@pytest.mark.parametrize("scenario", ["200 pairs", "41 relations, effect 0.8"])
def test_shares_at_more_rates(scenario: str, rate: float) -> None:
    found = SCENARIOS[scenario].shares(1500, rate)
    assert 95 - ALLOWED <= found <= (99 if rate == 0.005 else 95 + ALLOWED)
