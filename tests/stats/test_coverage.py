"""Do 95 % intervals hold the truth in 95 % of simulated sets? Within 1.5 points they must.

Every set has real cluster effects: whole clusters lean one way or the other. The truth is known,
because answers come from a normal model whose share can be worked out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import norm

from naysay.stats.bootstrap import Sample, bootstrap_together
from naysay.stats.difference import paired_difference
from naysay.stats.intervals import (
    Codes,
    Floats,
    Interval,
    cell_sums,
    clustered_difference,
    clustered_mean,
    clustered_share,
    standard_error,
    wilson,
)

SETS = 2000
ALLOWED = 1.5
Design = tuple[Codes, ...]


def rng_of(*seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def nested(clusters: int, each: int, rng: np.random.Generator) -> Design:
    """Clusters of unequal sizes."""
    return (np.repeat(np.arange(clusters), np.maximum(1, rng.poisson(each, clusters))),)


def crossed(first: int, each: int, second: int, rng: np.random.Generator) -> Design:
    """Each cluster of the first kind meets some of the second, as pairs meet verbs."""
    others = np.concatenate([rng.permutation(second)[:each] for _ in range(first)])
    return np.repeat(np.arange(first), each), np.unique(others, return_inverse=True)[1]


def sizes_of(design: Design) -> list[int]:
    return [int(code.max()) + 1 for code in design]


def leanings(design: Design, effects: Sequence[float], rng: np.random.Generator) -> Floats:
    """What the clusters add to each answer, in each set (observations × sets)."""
    total = np.zeros((len(design[0]), SETS))
    for code, effect, size in zip(design, effects, sizes_of(design), strict=True):
        total += effect * rng.standard_normal((size, SETS))[code]
    return total


def answers(leaning: Floats, share: float, spread: float, rng: np.random.Generator) -> Floats:
    """Answers of 0 and 1 with that share over all clusters there could be."""
    threshold = norm.ppf(share) * np.sqrt(1 + spread**2)
    drawn: Floats = (leaning + rng.standard_normal(leaning.shape) + threshold > 0).astype(float)
    return drawn


def errors(values: Floats, design: Design) -> list[float]:
    """The standard error of each set's mean, as naysay makes it."""
    sizes = sizes_of(design)
    samples = [Sample(column, design) for column in values.T]
    draws = bootstrap_together(samples, sizes, seed=0)
    shared = np.zeros(SETS)
    if len(design) == 2:
        cells = np.unique(design[0] * sizes[1] + design[1], return_inverse=True)[1]
        shared = np.array(
            [(cell_sums(column, cells, int(cells.max()) + 1) ** 2).sum() for column in values.T]
        )
    return [
        standard_error([drawn[:, k] for drawn in draws], sizes, float(shared[k]))
        for k in range(SETS)
    ]


def coverage(intervals: Sequence[Interval], truth: float) -> float:
    held = [
        i.low is not None and i.high is not None and i.low <= truth <= i.high for i in intervals
    ]
    return 100 * float(np.mean(held))


def share_coverage(design: Design, effects: Sequence[float], share: float, seed: int) -> float:
    rng = rng_of(seed, int(100 * share))
    spread = float(np.sqrt(sum(effect**2 for effect in effects)))
    values = answers(leanings(design, effects, rng), share, spread, rng)
    fewest, n = min(sizes_of(design)), len(design[0])
    means = values.mean(axis=0)
    return coverage(
        [
            clustered_share(float(mean), error, n, fewest, len(design))
            for mean, error in zip(means, errors(values, design), strict=True)
        ],
        share,
    )


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
def test_wilson_where_items_are_independent(share: float) -> None:
    drawn = rng_of(1, int(100 * share)).binomial(300, share, size=20 * SETS)
    counts, often = np.unique(drawn, return_counts=True)
    bounds = [wilson(count, 300) for count in counts.tolist()]
    held = [low <= share <= high for low, high in bounds]
    assert 100 * np.average(held, weights=often) == pytest.approx(95, abs=ALLOWED)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("clusters", [30, 50, 200])
def test_one_way(clusters: int, share: float) -> None:
    design = nested(clusters, 8, rng_of(2, clusters))
    assert share_coverage(design, [0.7], share, clusters) == pytest.approx(95, abs=ALLOWED)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(
    ("first", "each", "second", "effects"),
    [
        (200, 40, 40, (0.7, 0.7)),
        (200, 20, 700, (0.7, 0.7)),
        (50, 12, 40, (0.7, 0.3)),
        (50, 20, 300, (0.3, 0.7)),
        (30, 12, 100, (0.5, 0.5)),
        (50, 12, 40, (0.0, 0.0)),
    ],
    ids=[
        "200×40 full",
        "200×20 of 700",
        "50×12 of 40",
        "50×20 of 300",
        "30×12 of 100",
        "no effect",
    ],
)
def test_two_ways_that_cross(
    first: int, each: int, second: int, effects: tuple[float, float], share: float
) -> None:
    design = crossed(first, each, second, rng_of(3, first, each))
    assert share_coverage(design, effects, share, second) == pytest.approx(95, abs=ALLOWED)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("design", "effects"),
    [
        (nested(50, 8, rng_of(4)), (0.7,)),
        (crossed(200, 20, 700, rng_of(5)), (0.7, 0.7)),
        (crossed(50, 12, 40, rng_of(6)), (0.5, 0.5)),
    ],
    ids=["one way", "200×20 of 700", "50×12 of 40"],
)
@pytest.mark.parametrize(("one", "other"), [(0.5, 0.5), (0.3, 0.45), (0.8, 0.9)])
def test_a_paired_difference(
    design: Design, effects: tuple[float, ...], one: float, other: float
) -> None:
    """Two runs that share half of what their clusters lean to."""
    rng = rng_of(7, int(100 * one), len(design))
    shared, own, others = (leanings(design, effects, rng) / np.sqrt(2) for _ in range(3))
    spread = float(np.sqrt(sum(effect**2 for effect in effects)))
    first = answers(shared + own, one, spread, rng)
    second = answers(shared + others, other, spread, rng)
    change = second - first
    fewest, found = min(sizes_of(design)), errors(change, design)
    intervals = [
        clustered_mean(float(mean), error, fewest, len(design))
        for mean, error in zip(change.mean(axis=0), found, strict=True)
    ]
    assert coverage(intervals, other - one) == pytest.approx(95, abs=ALLOWED)
    # These are the very intervals of a comparison, made together because that is faster.
    whole = paired_difference(change[:, 0], dict(zip("ab", design, strict=False)))
    assert whole.error == pytest.approx(found[0])
    assert (whole.low, whole.high) == pytest.approx((intervals[0].low, intervals[0].high))


def test_a_difference_between_conditions() -> None:
    design = crossed(50, 12, 40, rng_of(8))
    rng = rng_of(9)
    leaning = leanings(design, (0.5, 0.5), rng)
    spread = float(np.sqrt(0.5))
    one, other = (answers(leaning, share, spread, rng) for share in (0.6, 0.4))
    found = errors(one - other, design)
    intervals = [
        clustered_difference((float(a), float(b)), error, 40, 2)
        for a, b, error in zip(one.mean(axis=0), other.mean(axis=0), found, strict=True)
    ]
    assert coverage(intervals, 0.2) == pytest.approx(95, abs=ALLOWED)


def test_relations_that_count_once() -> None:
    """A macro mean of differences, over facts in relations of very unequal sizes."""
    rng = rng_of(10)
    code = np.repeat(np.arange(40), rng.integers(2, 60, size=40))
    held = 0
    for _ in range(SETS // 4):
        by_relation = 0.1 + 0.2 * rng.standard_normal(40)
        values = by_relation[code] + 0.5 * rng.standard_normal(len(code))
        weights = 1 / np.bincount(code)[code]
        found = paired_difference(values, {"relations": code}, weights=weights, draws=400)
        assert found.low is not None and found.high is not None
        held += found.low <= 0.1 <= found.high
    assert 100 * held / (SETS // 4) == pytest.approx(95, abs=2 * ALLOWED)
