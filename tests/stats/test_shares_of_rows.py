"""Shares over choices of rows: their figures, what they rest on, and that draws are shared."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from naysay.core.records import Estimate
from naysay.stats.bootstrap import Sample, bootstrap_together
from naysay.stats.intervals import (
    Codes,
    Floats,
    cell_sums,
    clustered_difference,
    clustered_mean,
    clustered_share,
    quantile,
    standard_error,
)
from naysay.stats.shares import Mask, Shares, codes, percent

PAIRS, VERBS = 40, 30


def rows(seed: int) -> tuple[Floats, dict[str, Codes], dict[str, Mask]]:
    """Two choices with a row each of every pair and verb, of which most have the same value.

    Pairs and verbs each have a tendency of their own, so that the choices are far from independent.
    """
    rng = np.random.default_rng(seed)
    pair, verb = np.divmod(np.arange(PAIRS * VERBS), VERBS)
    tendency = rng.normal(0, 0.6, PAIRS)[pair] + rng.normal(0, 0.6, VERBS)[verb]
    one = tendency + rng.normal(0, 0.3, len(pair)) > 0
    other = np.where(rng.random(len(pair)) < 0.1, ~one, one)
    first = np.arange(2 * len(pair)) < len(pair)
    return (
        np.concatenate([one, other]).astype(float),
        {"pairs": np.tile(pair, 2), "verbs": np.tile(verb, 2)},
        {"one": first, "other": ~first},
    )


def closed_error(values: Floats, code: Codes) -> float:
    """The error of a mean over one kind of cluster, in closed form."""
    sums = np.bincount(code, weights=(values - values.mean()) / len(values))
    return math.sqrt((sums**2).sum() * len(sums) / (len(sums) - 1))


def half_width(estimate: Estimate) -> float:
    assert estimate.low is not None and estimate.high is not None
    return (estimate.high - estimate.low) / 2


def test_choices_of_equal_values_differ_by_nothing_in_every_draw() -> None:
    values, clusters, chosen = rows(1)
    values[chosen["other"]] = values[chosen["one"]]
    for kinds in (["pairs"], ["pairs", "verbs"]):
        shares = Shares("s", values, {kind: clusters[kind] for kind in kinds}, chosen, seed=0)
        found = shares.difference("t", "c", "one", "other").estimate
        assert found.value == 0
        # Unpaired draws would vary, and the interval would be a bootstrap's.
        assert found.method == "Newcombe on clusters"


@pytest.mark.parametrize("kind", ["pairs", "verbs"])
def test_a_difference_has_the_error_of_its_paired_rows(kind: str) -> None:
    values, clusters, chosen = rows(2)
    found = (
        Shares("s", values, {kind: clusters[kind]}, chosen, seed=0)
        .difference("t", "c", "one", "other")
        .estimate
    )
    code = clusters[kind][chosen["one"]]
    sizes = {"pairs": PAIRS, "verbs": VERBS}
    paired = closed_error(values[chosen["one"]] - values[chosen["other"]], code)
    apart = math.hypot(*(closed_error(values[mask], code) for mask in chosen.values()))
    assert apart > 4 * paired
    assert half_width(found) == pytest.approx(100 * quantile(sizes[kind]) * paired, rel=0.1)
    assert (found.n, found.clusters) == (PAIRS * VERBS, sizes[kind])


def test_a_difference_of_two_ways_takes_off_what_cells_hold() -> None:
    values, clusters, chosen = rows(3)
    found = (
        Shares("s", values, clusters, chosen, seed=0).difference("t", "c", "one", "other").estimate
    )
    change = values[chosen["one"]] - values[chosen["other"]]
    by_kind = [closed_error(change, code[chosen["one"]]) for code in clusters.values()]
    cells = ((change - change.mean()) ** 2).sum() / len(change) ** 2
    error = math.sqrt(sum(e**2 for e in by_kind) - cells)
    assert half_width(found) == pytest.approx(100 * quantile(VERBS) * error, rel=0.1)
    assert found.value == pytest.approx(100 * change.mean())
    assert (found.low, found.high) == pytest.approx(
        (100 * change.mean() - half_width(found), 100 * change.mean() + half_width(found))
    )
    assert (found.suite, found.table, found.condition) == ("s", "t", "c")
    assert (found.metric, found.unit) == ("difference", "points")
    assert found.method == "two-way cluster bootstrap"
    assert found.clusters_by == {"pairs": PAIRS, "verbs": VERBS}


def test_a_share_and_a_mean_are_told_by_hand() -> None:
    values, clusters, chosen = rows(4)
    mine, verbs = values[chosen["one"]], clusters["verbs"][chosen["one"]]
    shares = Shares("s", values, {"verbs": clusters["verbs"]}, chosen, seed=0)
    error = closed_error(mine, verbs)
    share = shares.share("t", "c", "drop", "one").estimate
    wanted = clustered_share(mine.mean(), error, len(mine), VERBS)
    assert wanted.low is not None and wanted.high is not None and wanted.design_effect is not None
    assert share.value == pytest.approx(100 * mine.mean())
    assert share.low == pytest.approx(100 * wanted.low, abs=1)
    assert share.high == pytest.approx(100 * wanted.high, abs=1)
    assert share.design_effect == pytest.approx(wanted.design_effect, rel=0.1)
    assert (share.table, share.condition, share.metric) == ("t", "c", "drop")
    assert (share.n, share.clusters, share.method) == (len(mine), VERBS, "cluster bootstrap")
    mean = shares.mean("t", "c", "rho", "one", "points of ρ").estimate
    wanted = clustered_mean(mine.mean(), error, VERBS)
    assert wanted.low is not None and wanted.high is not None
    assert mean.value == pytest.approx(mine.mean())
    assert mean.low == pytest.approx(wanted.low, abs=0.01)
    assert mean.high == pytest.approx(wanted.high, abs=0.01)
    assert (mean.table, mean.condition, mean.metric) == ("t", "c", "rho")
    assert (mean.unit, mean.method, mean.n) == ("points of ρ", "cluster bootstrap", len(mine))
    assert mean.design_effect is None


def test_figures_come_from_the_draws_of_all_clusters() -> None:
    """Choices that lack some clusters are drawn with all of them."""
    values, clusters, chosen = rows(8)
    chosen = {
        "one": chosen["one"] & (clusters["pairs"] < 30),
        "other": chosen["other"] & (clusters["verbs"] > 4),
    }
    code = tuple(clusters.values())
    samples = [Sample(values[mask], tuple(c[mask] for c in code)) for mask in chosen.values()]
    drawn = bootstrap_together(samples, (PAIRS, VERBS), seed=3)
    cells = [
        cell_sums(values[mask], (code[0] * VERBS + code[1])[mask], PAIRS * VERBS)
        for mask in chosen.values()
    ]
    means = [float(values[mask].mean()) for mask in chosen.values()]
    shares = Shares("s", values, clusters, chosen, seed=3)

    share = shares.share("t", "c", "m", "one").estimate
    error = standard_error([d[:, 0] for d in drawn], [30, VERBS], float((cells[0] ** 2).sum()))
    wanted = clustered_share(means[0], error, 30 * VERBS, 30, 2)
    assert (share.low, share.high) == pytest.approx((percent(wanted.low), percent(wanted.high)))

    difference = shares.difference("t", "c", "one", "other").estimate
    both = float(((cells[0] - cells[1]) ** 2).sum())
    error = standard_error([d[:, 0] - d[:, 1] for d in drawn], [30, VERBS - 5], both)
    wanted = clustered_difference((means[0], means[1]), error, VERBS - 5, 2)
    assert (difference.low, difference.high) == pytest.approx(
        (percent(wanted.low), percent(wanted.high))
    )
    assert (difference.n, difference.clusters) == (30 * VERBS, VERBS - 5)


def test_two_ways_widen_a_share() -> None:
    values, clusters, chosen = rows(5)
    one_way, two_way = (
        Shares("s", values, {kind: clusters[kind] for kind in kinds}, chosen, seed=0)
        .share("t", "c", "drop", "one")
        .estimate
        for kinds in (["pairs"], ["pairs", "verbs"])
    )
    assert half_width(two_way) > 1.2 * half_width(one_way)
    assert two_way.clusters == VERBS  # the rarer kind


def test_a_choice_may_have_values_of_its_own() -> None:
    code = {"a": np.arange(4)}
    every, half = np.ones(4, dtype=bool), np.array([True, True, False, False])
    values = {"x": np.array([1.0, 0.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 1.0, 1.0])}
    shares = Shares("s", values, code, {"x": every, "y": half}, seed=0)
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
    shares = Shares("s", np.ones(4), {"a": np.arange(4)}, {"x": every, "none": ~every}, seed=0)
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
    spread = {kind: 7 * code + 3 for kind, code in clusters.items()}
    first, second = (
        Shares("s", values, each, chosen, seed=0).difference("t", "c", "one", "other").estimate
        for each in (clusters, spread)
    )
    assert first == second


def test_the_seed_decides_the_draws() -> None:
    values, clusters, chosen = rows(7)
    found = [
        Shares("s", values, clusters, chosen, seed=seed).share("t", "c", "m", "one").estimate.low
        for seed in (0, 0, 1)
    ]
    assert found[0] == found[1] != found[2]


def test_words_are_numbered_over_all_chunks() -> None:
    chunks = [pa.array(part).dictionary_encode() for part in (["b", "a"], ["c", "b"])]
    names, numbers = codes(pa.table({"word": pa.chunked_array(chunks)}), "word")
    assert [names[k] for k in numbers] == ["b", "a", "c", "b"]
    assert len(names) == 3 and numbers.dtype == np.int64


def test_what_is_not_known_is_no_percentage() -> None:
    assert percent(None) is None
    assert percent(0.25) == 25
