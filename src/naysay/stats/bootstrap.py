"""The cluster bootstrap, one-way and two-way, seeded and vectorised.

Two-way draws both kinds of cluster with replacement and weighs an observation by the product of
how often its two clusters were drawn (the pigeonhole bootstrap, Owen 2007). It errs on the safe
side: its variance is never too small for crossed clusters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from naysay.stats.intervals import Floats

Codes = npt.NDArray[np.int64]
DRAWS = 2000
_CHUNK = 100  # draws at a time: bounds memory at clusters × 100 numbers


@dataclass(frozen=True)
class Sample:
    """Observations whose mean is wanted, each with the numbers of its clusters, from 0."""

    values: Floats
    clusters: tuple[Codes] | tuple[Codes, Codes]
    """One kind of cluster, or two that cross."""


def bootstrap_together(
    samples: Sequence[Sample], sizes: tuple[int, ...], *, seed: int, draws: int = DRAWS
) -> Floats:
    """The mean of each sample in each draw (draws × samples); NaN where a draw misses a sample.

    `sizes` tells how many clusters there are of each kind in all samples together. A draw takes the
    same clusters for all samples, so differences between samples are paired.
    """
    from scipy.sparse import csr_array

    rng = np.random.default_rng(seed)
    two_way = len(sizes) == 2
    shape = (sizes[0], sizes[-1] if two_way else 1)
    sums, counts, counted_by = [], {}, []
    for sample in samples:
        first = sample.clusters[0]
        cells = (first, sample.clusters[-1] if two_way else np.zeros_like(first))
        sums.append(csr_array((sample.values, cells), shape=shape))
        counted_by.append(id(first))
        if id(first) not in counts:  # samples of the same rows are counted once
            counts[id(first)] = csr_array((np.ones(len(first)), cells), shape=shape)
    result = np.empty((draws, len(samples)))
    for start in range(0, draws, _CHUNK):
        size = min(_CHUNK, draws - start)
        weights = _drawn(rng, shape[0], size)
        others = _drawn(rng, shape[1], size) if two_way else np.ones((1, size))
        totals = {key: _weighed(count, weights, others) for key, count in counts.items()}
        with np.errstate(invalid="ignore"):  # a draw that misses everything is NaN
            for k, (key, summed) in enumerate(zip(counted_by, sums, strict=True)):
                drawn = _weighed(summed, weights, others)
                result[start : start + size, k] = drawn / totals[key]
    return result


def bootstrap_means(
    values: Floats,
    first: Codes,
    second: Codes | None = None,
    *,
    seed: int,
    draws: int = DRAWS,
) -> Floats:
    """Means of the columns of `values` (n × k) in each draw (draws × k)."""
    clusters = (first,) if second is None else (first, second)
    sizes = tuple(int(code.max()) + 1 for code in clusters)
    samples = [Sample(column, clusters) for column in values.T]
    return bootstrap_together(samples, sizes, seed=seed, draws=draws)


def cluster_weights(clusters: int, draws: int, *, seed: int) -> Iterator[Floats]:
    """How often each cluster is drawn (clusters × draws), some draws at a time."""
    rng = np.random.default_rng(seed)
    for start in range(0, draws, _CHUNK):
        yield _drawn(rng, clusters, min(_CHUNK, draws - start))


def _weighed(cells: Any, weights: Floats, others: Floats) -> Floats:
    """The sum of the cells in each draw, weighed by how often their clusters were drawn."""
    summed: Floats = np.einsum("cb,cb->b", weights, cells @ others)
    return summed


def _drawn(rng: np.random.Generator, clusters: int, size: int) -> Floats:
    """How often each cluster is drawn when as many as there are are drawn (clusters × size)."""
    picks = rng.integers(clusters, size=(size, clusters)) + clusters * np.arange(size)[:, None]
    counted = np.bincount(picks.ravel(), minlength=size * clusters).reshape(size, clusters)
    return np.ascontiguousarray(counted.T, dtype=np.float64)
