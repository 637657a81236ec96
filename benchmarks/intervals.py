"""Time of the intervals: a million answers about names, professions and verbs that cross.

Answers are distributed over names, professions and verbs as in a full run of scnt. Two runs of a
million items each are also matched by key and compared. One core is used.

    python benchmarks/intervals.py [--rows 1000000]
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported: the benchmark uses one core

import argparse
import math
import time
from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from naysay.analysis.items import match
from naysay.core.measures import Items, Measure
from naysay.core.records import Estimate
from naysay.stats.clusters import Clustering, Codes, Figure, Floats, spread
from naysay.stats.difference import paired_difference

SIZES = {"names": 200, "professions": 91, "verbs": 700}
NAME = ("scnt", "drops", "CpTn", "drop")


def main() -> None:
    """Run the benchmark and print the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    rows = options.parse_args().rows
    rng = np.random.default_rng(0)
    triplets = rng.choice(math.prod(SIZES.values()), size=rows, replace=False)
    code = dict(zip(SIZES, np.unravel_index(triplets, tuple(SIZES.values())), strict=True))
    leaning = sum(rng.normal(0, 0.4, SIZES[kind])[code[kind]] for kind in SIZES)
    values = [(leaning + rng.standard_normal(rows) > 0).astype(float) for _ in range(2)]
    sizes = ", ".join(f"{size} {kind}" for kind, size in SIZES.items())
    print(f"{rows:,} rows, {sizes}, one core")
    every = np.arange(rows)
    crossed = Clustering(code)

    def one_kind() -> float:
        return spread(Figure(Clustering({"names": code["names"]}), every, values[0])).error

    def all_kinds() -> float:
        return spread(Figure(crossed, every, values[0])).error

    def difference() -> float:
        return spread(*(Figure(crossed, every, one) for one in values)).error

    measures = [_measure(code, one, rng.permutation(rows)) for one in values]

    def comparison() -> float:
        found = match(measures)
        change = found.values(1) - found.values(0)
        return paired_difference(change, found.clusters).error or 0.0

    for title, work in (
        ("names alone", one_kind),
        ("all kinds, and their crossings", all_kinds),
        ("the same again", all_kinds),
        ("difference of two conditions", difference),
        ("two runs matched by key and compared", comparison),
    ):
        _timed(title, work)


def _timed(title: str, work: Callable[[], float]) -> None:
    begun = time.perf_counter()
    error = work()
    took = time.perf_counter() - begun
    print(f"{title:38} {took:5.2f} s   standard error {100 * error:.3f} points")


def _measure(code: Mapping[str, Codes], values: Floats, order: Codes) -> Measure:
    clusters = {
        kind: pa.array(
            np.array([f"{kind} {k}" for k in range(size)], dtype=object)[code[kind][order]]
        )
        for kind, size in SIZES.items()
    }
    keys = pc.binary_join_element_wise(*clusters.values(), "/")
    items = Items(keys, values[order], clusters)
    return Measure(*NAME, lambda: Estimate(*NAME, None), listed=lambda: items)


if __name__ == "__main__":
    main()
