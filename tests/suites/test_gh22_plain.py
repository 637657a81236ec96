"""Figures of Context Matters are, to the last digit, those of rows that are added one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conftest import rows_of
from naysay.core.records import Estimate
from naysay.run.evaluation import Evaluation, evaluate
from naysay.stats.clusters import Clustering, Codes, Figure, spread
from naysay.stats.intervals import difference_interval, share_interval

Row = dict[str, Any]
Rule = Callable[[Row], bool]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    out = tmp_path_factory.mktemp("plain")
    return evaluate("known:random:0.3", "gh22", limit=60, ranks=(0, 50), shard_size=7, out=out)


@pytest.fixture(scope="module")
def asked(run: Evaluation) -> list[Row]:
    return [row for row in rows_of(run) if row["usable"] and row["polarity"] != "seed"]


def numbered(labels: list[str]) -> Codes:
    order = {label: k for k, label in enumerate(sorted(set(labels)))}
    return np.array([order[label] for label in labels])


def figure(rows: list[Row], clustering: Clustering, rule: Rule) -> Figure:
    """All rows as numbers of their own, each with its weight."""
    places = np.flatnonzero([rule(row) for row in rows])
    repeats = np.array([float(row["answer"] in row["verbs"].split(" ")) for row in rows])
    return Figure(clustering, places, repeats[places], np.ones(len(places)))


def clusters(rows: list[Row]) -> Clustering:
    verbs = list(dict.fromkeys(row["verb"] for row in rows))
    return Clustering(
        {
            "names": numbered([f"{row['gender']}/{row['name']}" for row in rows]),
            "professions": numbered([row["profession"] for row in rows]),
            "verbs": np.array([verbs.index(row["verb"]) for row in rows]),
        }
    )


RULES: dict[tuple[str, str], Rule] = {
    ("polarity", "negated"): lambda r: r["experiment"] == 1 and r["polarity"] == "negated",
    ("polarity", "positive"): lambda r: r["experiment"] == 1 and r["polarity"] == "positive",
    ("marking", "negated contrast"): lambda r: (
        r["experiment"] == 1 and r["polarity"] == "negated" and r["marking"] == "contrast"
    ),
    ("rank", "positive rank 50"): lambda r: (
        r["experiment"] == 1 and r["polarity"] == "positive" and r["rank"] == 50
    ),
    ("misprime", "all"): lambda r: r["experiment"] == 2,
    ("referent", "all"): lambda r: r["experiment"] == 3,
    ("figure4", "male"): lambda r: (
        r["experiment"] in (1, 2) and r["polarity"] == "negated" and r["gender"] == "male"
    ),
}


def found(run: Evaluation, table: str, condition: str) -> Estimate:
    [estimate] = [e for e in run if (e.table, e.condition) == (table, condition)]
    return estimate


@pytest.mark.parametrize("name", RULES)
def test_shares_and_their_intervals(
    run: Evaluation, asked: list[Row], name: tuple[str, str]
) -> None:
    one = figure(asked, clusters(asked), RULES[name])
    interval = share_interval(one.mean, spread(one), len(one))
    shown = found(run, *name)
    assert interval.low is not None and interval.high is not None
    assert (shown.value, shown.n) == (100 * one.mean, len(one))
    assert (shown.low, shown.high) == (100 * interval.low, 100 * interval.high)
    assert shown.error == 100 * spread(one).error
    assert shown.design_effect == interval.design_effect


def test_the_difference_and_its_interval(run: Evaluation, asked: list[Row]) -> None:
    clustering = clusters(asked)
    two = [figure(asked, clustering, RULES["polarity", p]) for p in ("positive", "negated")]
    interval = difference_interval((two[0].mean, two[1].mean), spread(*two))
    shown = found(run, "delta", "positive-negated")
    assert interval.low is not None and interval.high is not None
    assert shown.value == 100 * (two[0].mean - two[1].mean)
    assert (shown.low, shown.high) == (100 * interval.low, 100 * interval.high)
