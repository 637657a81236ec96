"""Means over relations: each counts once, or by its size in the whole set."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from naysay.core.measures import ItemColumns, balanced_weights
from naysay.stats.clusters import Clustering, Figure, Floats, spread
from naysay.stats.intervals import constant_bounds, mean_interval, share_interval
from naysay.stats.nested_shares import NestedShares
from naysay.stats.shares import Mask

NAMES = ["a", "b", "c", "d", "e", "f"]
CODE = np.repeat(np.arange(6), [4, 9, 2, 12, 6, 7])
VALUES = np.random.default_rng(2).integers(2, size=40).astype(float)
SIZES = {"a": 40, "b": 9, "c": 100, "d": 12, "e": 6}
EVERY = np.ones(40, dtype=bool)


def nested(chosen: Mask = EVERY, **more: ItemColumns) -> NestedShares:
    columns = {"known": VALUES, "score": 3 * VALUES - 1}
    return NestedShares("s", columns, (NAMES, CODE), chosen, kind="relations", sizes=SIZES, **more)


def test_a_macro_mean_counts_each_relation_once() -> None:
    found = nested().mean("t", "c", "P@1", "known", NAMES).estimate
    by_relation = [VALUES[k == CODE].mean() for k in range(6)]
    assert found.value == pytest.approx(100 * np.mean(by_relation))
    figure = Figure(Clustering({"relations": CODE}), np.arange(40), VALUES, balanced_weights(CODE))
    known = spread(figure)
    wanted = share_interval(figure.mean, known, 40)
    assert wanted.low is not None and wanted.high is not None
    assert (found.low, found.high) == pytest.approx((100 * wanted.low, 100 * wanted.high))
    assert (found.error, found.degrees) == pytest.approx((100 * known.error, 5))
    assert (found.n, found.clusters, found.clusters_by) == (40, 6, {"relations": 6})
    assert (found.method, found.unit) == ("jackknife over relations", "%")


def test_a_micro_mean_weighs_relations_by_the_whole_set() -> None:
    found = nested().mean("t", "c", "P@1", "known", NAMES, by_size=True).estimate
    by_relation = [VALUES[k == CODE].mean() for k in range(6)]
    sizes = [40, 9, 100, 12, 6, 0]  # the last is not known
    assert found.value == pytest.approx(100 * np.average(by_relation, weights=sizes))
    weights = np.array(sizes) / np.bincount(CODE)
    figure = Figure(Clustering({"relations": CODE}), np.arange(40), VALUES, weights[CODE])
    assert found.degrees == pytest.approx(spread(figure).degrees)
    assert 167**2 / sum(s**2 for s in sizes) < 5  # but no fewer than five relations count
    assert found.degrees == 4


def test_scores_are_no_shares() -> None:
    found = nested().mean("t", "c", "ρ", "score", NAMES, unit="score").estimate
    figure = nested().figure("score", NAMES)
    wanted = mean_interval(figure.mean, spread(figure))
    assert (found.value, found.low, found.high) == (figure.mean, wanted.low, wanted.high)
    points = nested().mean("t", "c", "ρ", "known", NAMES, unit="ρ").estimate
    figure = nested().figure("known", NAMES)
    wanted = mean_interval(figure.mean, spread(figure), 1.0)
    assert wanted.low is not None and points.low == pytest.approx(100 * wanted.low)
    assert points.value == pytest.approx(100 * figure.mean)


def test_correlations_that_are_all_the_same_are_no_certainty() -> None:
    shares = NestedShares(
        "s", {"rho": np.full(40, 0.5)}, (NAMES, CODE), EVERY, kind="relations", sizes={}
    )
    found = shares.mean("t", "c", "ρ", "rho", NAMES, unit="ρ").estimate
    low, high = constant_bounds(0.5, 6, 1.0)
    assert (found.low, found.high) == pytest.approx((100 * low, 100 * high))
    assert shares.mean("t", "c", "m", "rho", NAMES, unit="score").estimate.low is None


def test_only_chosen_rows_and_groups_count() -> None:
    shares = nested(np.isin(CODE, [0, 1, 3]))
    assert shares.has(["a", "c"]) and not shares.has(["c", "e"]) and not shares.has(["unheard"])
    found = shares.mean("t", "c", "P@1", "known", ["a", "b", "c", "unheard"]).estimate
    assert found.value == pytest.approx(50 * (VALUES[:4].mean() + VALUES[4:13].mean()))
    assert (found.n, found.clusters, found.clusters_by) == (13, 13, {"relations": 2})
    assert found.method == "jackknife over items, for these 2 relations"
    with pytest.raises(AssertionError, match="at least one row"):
        shares.mean("t", "c", "P@1", "known", ["c"])


def test_one_relation_is_a_mean_of_its_facts() -> None:
    found = nested().mean("t", "c", "P@1", "known", ["d"]).estimate
    mine = VALUES[CODE == 3]
    assert found.value == pytest.approx(100 * mine.mean())
    assert found.error == pytest.approx(100 * mine.std(ddof=1) / np.sqrt(12))
    assert found.method == "jackknife over items, for this relation"


def test_relations_that_differ_widen_the_interval() -> None:
    rng = np.random.default_rng(1)
    code, names = np.repeat(np.arange(10), 400), [str(k) for k in range(10)]
    apart: Floats = (rng.random(4000) < code / 9).astype(float)
    columns = {"alike": rng.random(4000).round(), "apart": apart}
    shares = NestedShares(
        "s", columns, (names, code), np.ones(4000, bool), kind="relations", sizes={}
    )
    one, other = (shares.mean("t", "c", "m", c, names).estimate.error for c in columns)
    assert one is not None and other is not None and other > 5 * one


def test_macro_means_can_be_compared_item_by_item() -> None:
    table = pa.table({"unit": [str(k) for k in range(40)], "relation": [NAMES[k] for k in CODE]})
    items = ItemColumns(table, keys=["unit"], clusters={"relations": "relation"}, answers=["unit"])
    shares = nested(CODE != 2, items=items)
    found = shares.mean("t", "c", "P@1", "known", ["b", "c", "f", "unheard"], compared=True)
    assert found.comparable and found.items.balanced
    rows = np.flatnonzero(np.isin(CODE, [1, 5]))
    assert found.items.values.tolist() == VALUES[rows].tolist()
    assert not shares.mean("t", "c", "P@1", "known", NAMES).comparable
    with pytest.raises(AssertionError, match="macro"):
        shares.mean("t", "c", "P@1", "known", NAMES, by_size=True, compared=True)
