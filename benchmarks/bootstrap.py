"""Time of the intervals: a million answers, 2,000 draws, with one-way and two-way clusters.

Answers are distributed over pairs and verbs as in a full run of scnt (18,200 pairs). Two runs of a
million items each are also matched by key and compared. One core is used.

    python benchmarks/bootstrap.py [--rows 1000000]
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported: the benchmark uses one core

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from naysay.analysis.items import match
from naysay.core.measures import Items, Measure
from naysay.core.records import Estimate
from naysay.stats.bootstrap import DRAWS, Sample, bootstrap_together
from naysay.stats.difference import paired_difference
from naysay.stats.intervals import cell_sums, standard_error

PAIRS, VERBS = 18_200, 700
NAME = ("scnt", "drops", "CpTn", "drop")


def main() -> None:
    """Run the benchmark and print the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    rows = options.parse_args().rows
    rng = np.random.default_rng(0)
    triplets = rng.choice(PAIRS * VERBS, size=rows, replace=False)
    pair, verb = np.divmod(triplets, VERBS)
    leaning = rng.normal(0, 0.5, PAIRS)[pair] + rng.normal(0, 0.5, VERBS)[verb]
    values = [(leaning + rng.standard_normal(rows) > 0).astype(float) for _ in range(2)]
    print(f"{rows:,} rows, {DRAWS:,} draws, {PAIRS:,} pairs, {VERBS} verbs, one core")

    def one_way() -> float:
        [draws] = bootstrap_together([Sample(values[0], (pair,))], [PAIRS], seed=0)
        return standard_error([draws[:, 0]], [PAIRS])

    def two_way() -> float:
        sizes = [PAIRS, VERBS]
        drawn = bootstrap_together([Sample(values[0], (pair, verb))], sizes, seed=0)
        cells = np.unique(triplets, return_inverse=True)[1]
        held = float((cell_sums(values[0], cells, int(cells.max()) + 1) ** 2).sum())
        return standard_error([means[:, 0] for means in drawn], sizes, held)

    def difference() -> float:
        found = paired_difference(values[1] - values[0], {"pairs": pair, "verbs": verb})
        return found.error or 0.0

    measures = [_measure(pair, verb, one, rng.permutation(rows)) for one in values]

    def comparison() -> float:
        found = match(measures)
        change = found.values(1) - found.values(0)
        return paired_difference(change, found.clusters).error or 0.0

    for title, work in (
        ("one-way interval", one_way),
        ("two-way interval", two_way),
        ("paired difference, two-way", difference),
        ("two runs matched by key and compared", comparison),
    ):
        _timed(title, work)


def _timed(title: str, work: Callable[[], float]) -> None:
    begun = time.perf_counter()
    error = work()
    took = time.perf_counter() - begun
    print(f"{title:38} {took:5.2f} s   standard error {100 * error:.3f} points")


def _measure(pair: Any, verb: Any, values: Any, order: Any) -> Measure:
    pairs, verbs = (np.array([f"{kind} {k}" for k in range(n)], dtype=object) for kind, n in (
        ("pair", PAIRS), ("verb", VERBS)
    ))  # fmt: skip
    clusters = {"pairs": pa.array(pairs[pair[order]]), "verbs": pa.array(verbs[verb[order]])}
    keys = pc.binary_join_element_wise(*clusters.values(), "/")
    items = Items(keys, values[order], clusters)
    return Measure(*NAME, lambda: Estimate(*NAME, None), listed=lambda: items)


if __name__ == "__main__":
    main()
