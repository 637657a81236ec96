"""The jackknife over clusters: its laws, and its formulas written a second time."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naysay.stats.clusters import (
    Clustering,
    Codes,
    Figure,
    Floats,
    Spread,
    crossed,
    renumbered,
    spread,
)

Rows = tuple[dict[str, Codes], Floats, Floats]


@st.composite
def rows(draw: st.DrawFn, kinds: int = 2) -> Rows:
    """Rows in some clusters of each kind, with values and weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(8, 60))
    clusters = {
        kind: rng.integers(draw(st.integers(2, 9)), size=count)
        for kind in ("names", "professions", "sentences")[:kinds]
    }
    for code in clusters.values():
        code[:2] = 0, 1  # at least two of each kind
    lean = sum(rng.normal(0, 1, 9)[code] for code in clusters.values())
    return clusters, lean + rng.normal(0, 1, count), rng.random(count) + 0.1


def figure_of(clusters: dict[str, Codes], values: Floats, weights: Floats | None = None) -> Figure:
    return Figure(Clustering(clusters), np.arange(len(values)), values, weights)


def left_out(code: Codes, values: Floats, weights: Floats) -> list[float]:
    """By how much the mean changes without each cluster, computed anew."""
    mean = np.average(values, weights=weights)
    kept = [code != cluster for cluster in np.unique(code)]
    return [mean - np.average(values[k], weights=weights[k]) for k in kept if k.any()]


@given(rows())
def test_changes_are_those_of_means_without_each_cluster(made: Rows) -> None:
    clusters, values, weights = made
    figure = figure_of(clusters, values, weights)
    cells = clusters["names"] * 100 + clusters["professions"]
    for kinds, code in (
        (("names",), clusters["names"]),
        (("professions",), clusters["professions"]),
        (("names", "professions"), cells),
    ):
        found = figure.changes(kinds)
        wanted = np.sort(left_out(code, values, weights))
        # Cells without a row are left out without a change.
        assert np.sort(found[found != 0]) == pytest.approx(wanted[wanted != 0])


@given(rows(kinds=3))
def test_the_variance_is_that_of_inclusion_and_exclusion(made: Rows) -> None:
    clusters, values, weights = made
    found = spread(figure_of(clusters, values, weights))
    total, single = 0.0, []
    for count in (1, 2, 3):
        for chosen in combinations(clusters, count):
            code = np.unique([clusters[kind] for kind in chosen], axis=1, return_inverse=True)[1]
            part = sum(change**2 for change in left_out(code.ravel(), values, weights))
            total += part if count % 2 else -part
            single += [part] if count == 1 else []
    share = weights / weights.sum()
    rows = float(((share * (values - (share * values).sum())) ** 2).sum())
    variance = max(total, *single)
    assert found.error == pytest.approx(math.sqrt(variance))
    assert found.between == pytest.approx(max(variance - rows, 0.0))


@given(rows(), st.integers(0, 99))
def test_other_names_for_clusters_change_nothing(made: Rows, seed: int) -> None:
    clusters, values, weights = made
    rng = np.random.default_rng(seed)
    again = {kind: (7 * rng.permutation(9) + 3)[code] for kind, code in clusters.items()}
    order = rng.permutation(len(values))
    turned = {kind: again[kind][order] for kind in reversed(again)}
    first = spread(figure_of(clusters, values, weights))
    second = spread(figure_of(turned, values[order], weights[order]))
    assert (second.error, second.degrees) == pytest.approx((first.error, first.degrees))
    assert second.between == pytest.approx(first.between)
    assert second.clusters == first.clusters


@given(rows(kinds=1))
def test_a_kind_that_stands_twice_counts_once(made: Rows) -> None:
    """V₁ + V₂ − V₁₂ = V₁."""
    clusters, values, weights = made
    twice = {"names": clusters["names"], "professions": 5 * clusters["names"]}
    once, again = (spread(figure_of(each, values, weights)) for each in (clusters, twice))
    assert (again.error, again.degrees) == pytest.approx((once.error, once.degrees))


@given(rows(kinds=3))
def test_it_never_varies_by_less_than_one_kind_alone(made: Rows) -> None:
    clusters, values, weights = made
    both = spread(figure_of(clusters, values, weights))
    for kind, code in clusters.items():
        alone = spread(figure_of({kind: code}, values, weights))
        assert both.error >= alone.error - 1e-9
        assert both.degrees <= alone.degrees + 1e-9


@given(rows(), st.floats(-5, 5), st.floats(0.1, 9))
def test_values_may_be_moved_and_scaled(made: Rows, shift: float, scale: float) -> None:
    clusters, values, weights = made
    first = figure_of(clusters, values, weights)
    second = figure_of(clusters, shift - scale * values, 3 * weights)
    assert second.mean == pytest.approx(shift - scale * first.mean)
    assert spread(second).error == pytest.approx(scale * spread(first).error)
    assert spread(second).degrees == pytest.approx(spread(first).degrees)


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=30))
def test_independent_rows_have_the_error_of_their_mean(values: list[float]) -> None:
    """The change without one of n rows is its residual / (n − 1)."""
    count, array = len(values), np.array(values)
    found = spread(figure_of({"sentences": np.arange(count)}, array))
    plain = array.std(ddof=1) / math.sqrt(count)
    assert found.error == pytest.approx(plain * math.sqrt(count / (count - 1)), abs=1e-11)
    assert found.degrees == pytest.approx(count - 1)
    assert found.clusters == {"sentences": count}


def test_large_clusters_leave_few_degrees() -> None:
    code = np.repeat(np.arange(5), [60, 10, 10, 10, 10])
    values = np.random.default_rng(0).random(100)
    figure = figure_of({"names": code}, values)
    effective = 1 / (0.6**2 + 4 * 0.1**2)
    assert figure.effective("names") == pytest.approx(effective)
    assert spread(figure).degrees == pytest.approx(effective - 1)
    evened = figure_of({"names": code}, values, 1 / np.bincount(code)[code])
    assert spread(evened).degrees == pytest.approx(4)
    # One that has nearly all weight leaves one degree.
    assert spread(figure_of({"names": np.repeat([0, 1], [99, 1])}, values)).degrees == 1


@given(rows())
def test_a_figure_differs_from_itself_by_nothing(made: Rows) -> None:
    clusters, values, weights = made
    clustering, places = Clustering(clusters), np.arange(len(values))
    one, same = (Figure(clustering, places, values, weights) for _ in range(2))
    found = spread(one, same)
    assert found.error == 0
    assert found.degrees == spread(one).degrees


@given(rows(kinds=3))
def test_a_difference_over_the_same_rows_is_that_of_their_differences(made: Rows) -> None:
    clusters, values, _ = made
    other = np.sin(values)
    clustering, places = Clustering(clusters), np.arange(len(values))
    one, two, change = (Figure(clustering, places, v) for v in (values, other, values - other))
    found, wanted = spread(one, two), spread(change)
    assert found.error == pytest.approx(wanted.error)
    assert (found.degrees, found.clusters) == (wanted.degrees, wanted.clusters)
    assert spread(two, one).error == pytest.approx(found.error)


def test_a_difference_over_other_rows_is_paired_by_clusters() -> None:
    code = np.repeat(np.arange(6), 4)
    lean = np.arange(6.0)[code]
    clustering = Clustering({"names": code})
    even, odd = np.arange(0, 24, 2), np.arange(1, 24, 2)
    one, other = Figure(clustering, even, lean[even]), Figure(clustering, odd, lean[odd] + 1)
    assert spread(one).error > 0.5
    assert spread(one, other).error == 0
    # The rarer clusters of the two count.
    few = Figure(clustering, even[:6], lean[even[:6]])
    found = spread(one, few)
    assert found.clusters == {"names": 3}
    assert found.degrees == pytest.approx(2)
    assert spread(few, one).degrees == pytest.approx(2)


def test_choices_of_rows_have_their_own_clusters() -> None:
    """Clusters that a choice has no row of do not matter to it."""
    rng = np.random.default_rng(3)
    names, verbs = rng.integers(12, size=90), rng.integers(30, size=90)
    values, chosen = rng.random(90), np.flatnonzero(names < 7)
    within = Figure(Clustering({"names": names, "verbs": verbs}), chosen, values[chosen])
    alone = figure_of({"names": names[chosen], "verbs": verbs[chosen]}, values[chosen])
    assert within.sizes == alone.sizes == {"names": 7, "verbs": len(set(verbs[chosen]))}
    first, second = spread(within), spread(alone)
    assert (first.error, first.degrees, first.between) == pytest.approx(
        (second.error, second.degrees, second.between)
    )


def test_rounding_is_no_variation() -> None:
    values = np.full(30, 0.1) + 1e-17
    assert spread(figure_of({"names": np.arange(30) // 3}, values)).error == 0
    assert spread(figure_of({"names": np.arange(30) // 3}, values + np.arange(30) * 1e-9)).error > 0


@given(st.integers(1, 500), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
def test_the_mean_of_equal_shares_is_that_share(count: int, share: float, weighed: bool) -> None:
    weights = 1 / np.arange(1.0, count + 1) if weighed else None
    figure = figure_of({"names": np.arange(count)}, np.full(count, share), weights)
    assert figure.mean == share


def test_clusters_are_numbered_without_gaps() -> None:
    assert renumbered(np.array([7, 3, 7, 9])).tolist() == [1, 0, 1, 2]
    assert crossed(np.array([0, 0, 1, 1]), np.array([5, 6, 5, 5])).tolist() == [0, 1, 2, 2]
    clustering = Clustering({"names": np.array([4, 4, 8]), "verbs": np.array([1, 2, 2])})
    assert len(clustering) == 3
    assert clustering.kinds["names"].tolist() == [0, 0, 1]


@pytest.mark.parametrize("size", [3, 40])
def test_many_cells_are_crossed_like_few(size: int) -> None:
    """Cells are renumbered only where there are more numbers than rows."""
    rng = np.random.default_rng(size)
    kinds = {name: rng.integers(size, size=200) for name in ("a", "b", "c")}
    clustering = Clustering(kinds)
    places, count = clustering.crossing(("a", "b", "c"))
    cells = places[clustering.cell]
    assert count <= 200 and cells.max() < count
    together = np.unique(list(kinds.values()), axis=1, return_inverse=True)[1].ravel()
    assert len({*zip(cells, together, strict=True)}) == len(set(together)) == len(set(cells))


def test_the_method_says_what_was_left_out() -> None:
    def said(clusters: dict[str, int], given: dict[str, int]) -> str:
        return Spread(0.1, 9.0, clusters, given).method

    left = {"names": 9, "verbs": 30}
    assert said(left, {}) == "jackknife over names × verbs"
    assert said({"names": 9}, {"verbs": 1}) == "jackknife over names, for this verb"
    assert said({"names": 9}, {"verbs": 3}) == "jackknife over names, for these 3 verbs"
    assert (
        said({"verbs": 9}, {"names": 1, "professions": 1})
        == "jackknife over verbs, for this name and profession"
    )
    assert Spread(0.1, 9.0, left, {}).fewest == 9
    assert Spread(math.nan, 1.0, {}, {}).fewest == 0


@given(rows(), st.booleans())
def test_equal_weights_are_those_of_none_to_the_last_digit(made: Rows, shares: bool) -> None:
    """Rows that count alike are counted; with weights they are added one by one."""
    clusters, values, _ = made
    values = (values > 0).astype(float) if shares else values
    one = figure_of(clusters, values)
    other = figure_of(clusters, values, np.ones(len(values)))
    assert (one.mean, one.of_rows, one.sizes) == (other.mean, other.of_rows, other.sizes)
    assert spread(one) == spread(other)
    for kinds in (("names",), ("professions",), ("names", "professions")):
        assert np.array_equal(one.changes(kinds), other.changes(kinds))


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=50), st.sampled_from(["i4", "i8"]))
def test_numbers_far_apart_are_renumbered_in_their_order(numbers: list[int], kind: str) -> None:
    code = np.array(numbers, dtype=kind)
    assert renumbered(code).tolist() == np.unique(code, return_inverse=True)[1].tolist()


def test_crossings_of_many_clusters_do_not_overflow() -> None:
    many = np.array([0, 70_000, 70_000, 0], dtype=np.int32)
    cells = crossed(many, np.array([70_000, 0, 70_000, 70_000], dtype=np.int32))
    assert cells.tolist() == [0, 1, 2, 0]
