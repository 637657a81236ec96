"""What is done where there are too few clusters of a kind to leave one out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from naysay.stats.clusters import FEWEST, Clustering, Codes, Figure, Floats, spread, too_few
from naysay.stats.difference import p_above, paired_difference
from naysay.stats.intervals import difference_interval, mean_interval, share_interval


def figure_of(clusters: dict[str, Codes], values: Floats, weights: Floats | None = None) -> Figure:
    return Figure(Clustering(clusters), np.arange(len(values)), values, weights)


def answers(count: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).integers(2, size=count).astype(float)


def test_which_kinds_are_taken_as_they_are() -> None:
    assert FEWEST == 5
    assert too_few({"verbs": 4, "relations": 4, "names": 2}) == {"verbs": 4, "relations": 4}
    assert too_few({"verbs": 5, "relations": 5, "names": 1}) == {"names": 1}


@pytest.mark.parametrize("verbs", [1, 2, 4])
def test_few_verbs_are_taken_as_they_are(verbs: int) -> None:
    names, verb = np.arange(60) // 5, np.arange(60) % verbs
    values = answers(60)
    found = spread(figure_of({"names": names, "verbs": verb}, values))
    alone = spread(figure_of({"names": names}, values))
    assert found.error == pytest.approx(alone.error, rel=1e-12)
    assert found.degrees == pytest.approx(alone.degrees, rel=1e-12)
    assert (found.clusters, found.given) == ({"names": 12}, {"verbs": verbs})
    named = "this verb" if verbs == 1 else f"these {verbs} verbs"
    assert found.method == f"jackknife over names, for {named}"


def test_five_verbs_are_left_out() -> None:
    found = spread(
        figure_of({"names": np.arange(60) // 5, "verbs": np.arange(60) % 5}, answers(60))
    )
    assert (found.clusters, found.given) == ({"names": 12, "verbs": 5}, {})


def test_one_pair_rests_on_its_verbs() -> None:
    one = np.zeros(20, dtype=np.int64)
    figure = figure_of({"names": one, "professions": one, "verbs": np.arange(20)}, answers(20))
    found = spread(figure)
    assert found.method == "jackknife over verbs, for this name and profession"
    assert found.fewest == 20
    assert share_interval(figure.mean, found, 20).low is not None


def test_one_relation_rests_on_its_facts() -> None:
    values = answers(30)
    found = spread(figure_of({"relations": np.zeros(30, dtype=np.int64)}, values))
    assert found.error == pytest.approx(values.std(ddof=1) / math.sqrt(30))
    assert (found.degrees, found.clusters) == (29, {"items": 30})
    assert found.method == "jackknife over items, for this relation"


def test_few_relations_rest_on_the_facts_within_each() -> None:
    code, values = np.repeat([0, 1, 2], [5, 10, 25]), answers(40, seed=1)
    parts = [values[code == k] for k in range(3)]
    variances = [part.var(ddof=1) / len(part) for part in parts]
    micro = spread(figure_of({"relations": code}, values))
    shares = np.array([5, 10, 25]) / 40
    assert micro.error == pytest.approx(math.sqrt((shares**2 * variances).sum()))
    macro = spread(figure_of({"relations": code}, values, 1 / np.bincount(code)[code]))
    assert macro.error == pytest.approx(math.sqrt(sum(variances)) / 3)
    assert (macro.degrees, macro.clusters, macro.given) == (37, {"items": 40}, {"relations": 3})
    assert macro.method == "jackknife over items, for these 3 relations"


def test_a_relation_with_one_fact_is_taken_to_vary_like_the_others() -> None:
    code, values = np.array([0, 0, 0, 0, 1]), np.array([1.0, 0, 0, 1, 1])
    found = spread(figure_of({"relations": code}, values))
    known = 0.8**2 * values[:4].var(ddof=1) / 4
    assert found.error == pytest.approx(math.sqrt(known / 0.8))
    assert found.degrees == 3


def test_single_facts_of_few_relations_tell_nothing() -> None:
    figure = figure_of({"relations": np.arange(3)}, np.array([1.0, 0, 1]))
    found = spread(figure)
    assert math.isnan(found.error) and found.clusters == {}
    assert share_interval(figure.mean, found, 3).low is None


def test_one_row_has_no_interval() -> None:
    one = np.zeros(1, dtype=np.int64)
    figure = figure_of({"names": one, "professions": one, "verbs": one}, np.ones(1))
    found = spread(figure)
    for interval in (
        share_interval(1.0, found, 1),
        mean_interval(1.0, found),
        difference_interval((1.0, 1.0), found),
    ):
        assert (interval.low, interval.high) == (None, None)
        assert interval.method == "none: a single cluster"


def test_a_difference_of_choices_needs_clusters() -> None:
    clustering = Clustering({"relations": np.arange(30) % 3})
    one, other = (Figure(clustering, np.arange(30), answers(30, seed)) for seed in (1, 2))
    found = spread(one, other)
    assert math.isnan(found.error)
    assert difference_interval((one.mean, other.mean), found).low is None


@pytest.mark.parametrize("relations", [1, 3])
def test_paired_differences_of_few_relations_rest_on_their_facts(relations: int) -> None:
    code, values = np.arange(40) % relations, answers(40, 3) - answers(40, 4)
    found = paired_difference(values, {"relations": code})
    wanted = spread(figure_of({"relations": code}, values))
    assert found.error == wanted.error and found.degrees == 40 - relations
    assert found.clusters == {"relations": relations}
    assert found.method.startswith("paired jackknife over items, for th")
    # Where nothing varies, the p-value is of as many clusters as the interval.
    constant = paired_difference(np.full(40, 0.25), {"relations": code})
    assert constant.low is not None and constant.low > 0
    p = p_above(constant, 0.0)
    assert p is not None and 2 * p == pytest.approx(constant.p)
    assert constant.p == paired_difference(np.full(40, 0.25), {"names": np.arange(40)}).p


def test_no_row_is_a_cell_of_its_own_for_few_verbs_and_names() -> None:
    """Of two kinds that are both given, only rows of the same cell are compared."""
    names, verbs = np.zeros(12, dtype=np.int64), np.arange(12) % 2
    values = np.where(verbs == 0, 0.25, 0.75)
    assert spread(figure_of({"names": names, "verbs": verbs}, values)).error == 0
