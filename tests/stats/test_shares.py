"""Shares over choices of rows: their figures, what they rest on, and that clusters pair them."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from naysay.core.records import Estimate
from naysay.stats.clusters import Clustering, Codes, Figure, Floats, Spread, spread
from naysay.stats.intervals import (
    Interval,
    difference_interval,
    mean_interval,
    quantile,
    share_interval,
)
from naysay.stats.shares import Kinds, Mask, Shares, codes, estimated, scaled

NAMES, VERBS = 40, 30


def rows(seed: int) -> tuple[Floats, dict[str, Codes], dict[str, Mask]]:
    """Two choices with a row each of every name and verb, of which most have the same value.

    Names and verbs each have a tendency of their own, so that the choices are far from independent.
    """
    rng = np.random.default_rng(seed)
    name, verb = np.divmod(np.arange(NAMES * VERBS), VERBS)
    tendency = rng.normal(0, 0.6, NAMES)[name] + rng.normal(0, 0.6, VERBS)[verb]
    one = tendency + rng.normal(0, 0.3, len(name)) > 0
    other = np.where(rng.random(len(name)) < 0.1, ~one, one)
    first = np.arange(2 * len(name)) < len(name)
    return (
        np.concatenate([one, other]).astype(float),
        {"names": np.tile(name, 2), "verbs": np.tile(verb, 2)},
        {"one": first, "other": ~first},
    )


def figures(
    values: Floats, clusters: dict[str, Codes], chosen: dict[str, Mask]
) -> tuple[Figure, Figure]:
    clustering = Clustering(clusters)
    places = [np.flatnonzero(mask) for mask in chosen.values()]
    one, other = (Figure(clustering, where, values[where]) for where in places)
    return one, other


def check(found: Estimate, value: float, wanted: Interval, known: Spread, scale: float) -> None:
    assert wanted.low is not None and wanted.high is not None
    assert found.value == pytest.approx(scale * value)
    assert (found.low, found.high) == (scale * wanted.low, scale * wanted.high)
    assert found.design_effect == wanted.design_effect
    assert found.method == wanted.method == "jackknife over names × verbs"
    assert found.error == pytest.approx(scale * known.error)
    assert found.between == pytest.approx(scale * math.sqrt(known.between))
    assert found.degrees == known.degrees


def test_a_share_and_a_mean_and_a_difference() -> None:
    values, clusters, chosen = rows(1)
    shares = Shares("s", values, clusters, chosen)
    one, other = figures(values, clusters, chosen)
    n, known = NAMES * VERBS, spread(one)

    share = shares.share("t", "c", "drop", "one").estimate
    check(share, one.mean, share_interval(one.mean, known, n), known, 100.0)
    assert (share.suite, share.table, share.condition) == ("s", "t", "c")
    assert (share.metric, share.unit) == ("drop", "%")
    assert (share.n, share.clusters, share.clusters_by) == (n, VERBS, {"names": 40, "verbs": 30})

    mean = shares.mean("t", "c", "rho", "one", "score").estimate
    check(mean, one.mean, mean_interval(one.mean, known), known, 1.0)
    assert (mean.metric, mean.unit, mean.n, mean.clusters) == ("rho", "score", n, VERBS)

    found = shares.difference("t", "c", "one", "other").estimate
    both = spread(one, other)
    wanted = difference_interval((one.mean, other.mean), both)
    check(found, one.mean - other.mean, wanted, both, 100.0)
    assert (found.metric, found.unit, found.n) == ("difference", "points", n)
    assert shares.spread("one", "other") == both and shares.spread("one") == known


def test_choices_of_equal_values_differ_by_nothing() -> None:
    values, clusters, chosen = rows(2)
    values[chosen["other"]] = values[chosen["one"]]
    for kinds in (["names"], ["names", "verbs"]):
        shares = Shares("s", values, {kind: clusters[kind] for kind in kinds}, chosen)
        found = shares.difference("t", "c", "one", "other").estimate
        assert (found.value, found.error) == (0, 0)
        # Unpaired, they would vary.
        assert found.method == "Newcombe on clusters"


@pytest.mark.parametrize("kind", ["names", "verbs"])
def test_a_difference_has_the_error_of_its_paired_rows(kind: str) -> None:
    values, clusters, chosen = rows(3)
    shares = Shares("s", values, {kind: clusters[kind]}, chosen)
    found = shares.difference("t", "c", "one", "other").estimate
    code = clusters[kind][chosen["one"]]
    change = values[chosen["one"]] - values[chosen["other"]]
    means = np.bincount(code, weights=change) / np.bincount(code)
    size = len(means)
    error = math.sqrt(((means - means.mean()) ** 2).sum()) / (size - 1)
    apart = math.hypot(shares.spread("one").error, shares.spread("other").error)
    assert apart > 3 * error
    assert found.low is not None and found.high is not None
    half = 100 * quantile(size - 1) * error
    assert (found.high - found.low) / 2 == pytest.approx(half)
    assert (found.n, found.clusters) == (NAMES * VERBS, size)


def test_choices_may_lack_some_clusters() -> None:
    values, clusters, chosen = rows(4)
    chosen = {
        "one": chosen["one"] & (clusters["names"] < 30),
        "other": chosen["other"] & (clusters["verbs"] > 4),
    }
    one, other = figures(values, clusters, chosen)
    found = Shares("s", values, clusters, chosen).difference("t", "c", "one", "other").estimate
    wanted = difference_interval((one.mean, other.mean), spread(one, other))
    assert (found.low, found.high) == (scaled(wanted.low), scaled(wanted.high))
    assert (found.n, found.clusters) == (30 * VERBS, VERBS - 5)
    assert found.clusters_by == {"names": 30, "verbs": 25}


def test_the_clusters_are_those_that_were_left_out() -> None:
    few = {"names": np.arange(60) % 12, "verbs": np.arange(60) % 3}
    values = np.random.default_rng(0).integers(2, size=60).astype(float)
    shares = Shares("s", values, few, {"x": np.ones(60, bool)})
    found = shares.share("t", "c", "m", "x").estimate
    assert (found.clusters, found.clusters_by) == (12, {"names": 12, "verbs": 3})
    assert found.method == "jackknife over names, for these 3 verbs"


def test_a_second_kind_widens_a_share() -> None:
    values, clusters, chosen = rows(5)
    found = [
        Shares("s", values, {kind: clusters[kind] for kind in kinds}, chosen).spread("one").error
        for kinds in (["names"], ["names", "verbs"])
    ]
    assert found[1] > 1.2 * found[0]


def test_a_choice_may_have_values_of_its_own() -> None:
    code = {"a": np.arange(4)}
    every, half = np.ones(4, dtype=bool), np.array([True, True, False, False])
    values = {"x": np.array([1.0, 0.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 1.0, 1.0])}
    shares = Shares("s", values, code, {"x": every, "y": half})
    assert shares.values("x").tolist() == [1, 0, 0, 0]
    assert shares.values("y").tolist() == [0, 1]
    assert shares.share("t", "c", "m", "y").estimate.value == 50
    assert shares.difference("t", "c", "y", "x").estimate.value == 25
    sized = shares.sized("x", "y")
    assert (sized.n, sized.clusters, sized.clusters_by) == (2, 2, {"a": 2})
    assert (sized.suite, sized.table, sized.condition, sized.metric) == ("s", "", "", "")
    assert shares.sized("x").n == 4


def test_a_choice_without_rows_has_no_figure() -> None:
    every = np.ones(4, dtype=bool)
    shares = Shares("s", np.ones(4), {"a": np.arange(4)}, {"x": every, "none": ~every})
    for found in (
        shares.share("t", "c", "m", "none").estimate,
        shares.mean("t", "c", "m", "none", "%").estimate,
        shares.difference("t", "c", "x", "none").estimate,
        shares.difference("t", "c", "unheard of", "x").estimate,
    ):
        assert (found.value, found.low, found.note) == (None, None, "no such row")
        assert (found.table, found.condition) == ("t", "c")


def test_gaps_in_the_numbers_of_clusters_change_nothing() -> None:
    values, clusters, chosen = rows(6)
    wide = {kind: 7 * code + 3 for kind, code in clusters.items()}
    first, second = (
        Shares("s", values, each, chosen).difference("t", "c", "one", "other").estimate
        for each in (clusters, wide)
    )
    assert first == second


def test_figures_are_compared_only_if_asked() -> None:
    values, clusters, chosen = rows(7)
    shares = Shares("s", values, clusters, chosen)
    for measure in (
        shares.share("t", "c", "m", "one"),
        shares.mean("t", "c", "m", "one", "score"),
        shares.difference("t", "c", "one", "other"),
    ):
        assert not measure.comparable


def test_what_nothing_can_be_left_out_of_has_no_error() -> None:
    blank = Estimate("s", "", "", "", None, clusters=1)
    unknown = Spread(math.nan, 1.0, {}, {"names": 1})
    found = estimated(blank, 0.5, Interval(None, None, "none: a single cluster"), unknown)
    assert (found.value, found.low, found.high, found.clusters) == (50, None, None, 1)
    assert (found.error, found.degrees, found.between) == (None, None, None)


def test_words_are_numbered_over_all_chunks() -> None:
    chunks = [pa.array(part).dictionary_encode() for part in (["b", "a"], ["c", "b"])]
    names, numbers = codes(pa.table({"word": pa.chunked_array(chunks)}), "word")
    assert [names[k] for k in numbers] == ["b", "a", "c", "b"]
    assert len(names) == 3 and np.issubdtype(numbers.dtype, np.signedinteger)


def test_what_is_not_known_is_no_percentage() -> None:
    assert scaled(None) is None
    assert scaled(0.25) == 25
    assert scaled(0.25, 1.0) == 0.25


def test_rows_may_be_chosen_by_their_kind() -> None:
    values, clusters, chosen = rows(3)
    kind = np.arange(len(values)) % 4
    masks = {name: mask & (kind != 2) for name, mask in chosen.items()}
    half = kind + 4 * chosen["other"].astype(np.int64)  # so that a choice is a choice of kinds
    kinds = {
        "one": Kinds(half, np.array([True, True, False, True] + [False] * 4)),
        "other": Kinds(half, np.array([False] * 4 + [True, True, False, True])),
        "none": Kinds(half, np.zeros(8, dtype=bool)),
    }
    by_row, by_kind = (Shares("s", values, clusters, given) for given in (masks, kinds))
    for name in ("one", "other"):
        found, wanted = (s.share("t", "c", "m", name).estimate for s in (by_kind, by_row))
        assert found == wanted
        assert np.array_equal(by_kind.values(name), by_row.values(name))
    assert by_kind.share("t", "c", "m", "none").estimate.note == "no such row"
