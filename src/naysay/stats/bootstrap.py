"""Cluster bootstraps, seeded and vectorised: one kind of cluster, two that cross, or nested.

Each kind of cluster is drawn by itself, with replacement. Where two kinds cross, their variances
are added and what both of them count is taken off once (see `intervals.py`). Drawing both at once
would count it three times (Owen 2007), and the intervals would be far too wide.

Where observations are nested in few groups, the groups are drawn with replacement, and for each
drawn group its observations are drawn with replacement too (Davison and Hinkley 1997, section 3.8).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from naysay.core.keys import draw
from naysay.stats.intervals import Codes, Floats

DRAWS = 2000
_CHUNK = 100  # draws at a time: bounds memory at clusters × 100 numbers
_NEAR = 32_768  # counts that are made at a time, so that they stay near the processor


@dataclass(frozen=True)
class Sample:
    """Observations whose mean is wanted, each with the numbers of its clusters, from 0."""

    values: Floats
    clusters: tuple[Codes, ...]
    """One kind of cluster, or two that cross."""
    weights: Floats | None = None
    """How much each observation counts; all the same if None."""


def bootstrap_together(
    samples: Sequence[Sample], sizes: Sequence[int], *, seed: int, draws: int = DRAWS
) -> tuple[Floats, ...]:
    """For each kind of cluster, the mean of each sample in each draw (draws × samples).

    `sizes` tells how many clusters there are of each kind in all samples together. A draw takes the
    same clusters for all samples, so differences between samples are paired. A draw that misses a
    sample altogether is NaN.
    """
    return tuple(
        _drawn_means(samples, kind, size, np.random.default_rng([seed, kind]), draws)
        for kind, size in enumerate(sizes)
    )


def bootstrap_means(values: Floats, clusters: Codes, *, seed: int, draws: int = DRAWS) -> Floats:
    """Means of the columns of `values` (n × k) in each draw of one kind of cluster (draws × k)."""
    samples = [Sample(column, (clusters,)) for column in values.T]
    [means] = bootstrap_together(samples, [int(clusters.max()) + 1], seed=seed, draws=draws)
    return means


def cluster_weights(clusters: int, draws: int, *, seed: int) -> Iterator[Floats]:
    """How often each cluster is drawn (clusters × draws), some draws at a time."""
    rng = np.random.default_rng(seed)
    for start in range(0, draws, _CHUNK):
        yield _drawn(rng, clusters, min(_CHUNK, draws - start)).T


def _drawn_means(
    samples: Sequence[Sample], kind: int, size: int, rng: np.random.Generator, draws: int
) -> Floats:
    """The means of all samples in draws of one kind of cluster."""
    if not samples:
        return np.empty((draws, 0))
    sums = np.empty((size, len(samples)))
    counts: dict[tuple[int, int], Floats] = {}
    counted_by = []
    for k, sample in enumerate(samples):
        code, weights = sample.clusters[kind], sample.weights
        weighed = sample.values if weights is None else sample.values * weights
        sums[:, k] = np.bincount(code, weights=weighed, minlength=size)
        counted_by.append((id(code), id(weights)))
        if counted_by[-1] not in counts:  # samples of the same rows are counted once
            counted = np.bincount(code, weights=weights, minlength=size)
            counts[counted_by[-1]] = counted.astype(np.float64)
    totals = np.stack(list(counts.values()), axis=1)
    places = {key: k for k, key in enumerate(counts)}
    which = [places[key] for key in counted_by]
    result = np.empty((draws, len(samples)))
    for start in range(0, draws, _CHUNK):
        weights = _drawn(rng, size, min(_CHUNK, draws - start))
        with np.errstate(invalid="ignore"):  # a draw that misses everything is NaN
            result[start : start + len(weights)] = (weights @ sums) / (weights @ totals)[:, which]
    return result


def _drawn(rng: np.random.Generator, clusters: int, size: int) -> Floats:
    """How often each cluster is drawn when as many as there are are drawn (size × clusters)."""
    counted = np.empty((size, clusters))
    together = max(1, _NEAR // clusters)
    for start in range(0, size, together):
        block = counted[start : start + together]
        picks = rng.integers(clusters, size=block.shape) + clusters * np.arange(len(block))[:, None]
        block[:] = np.bincount(picks.ravel(), minlength=block.size).reshape(block.shape)
    return counted


class Nested:
    """Observations of several kinds in named groups, ready for means over any choice of groups."""

    def __init__(self, groups: Mapping[str, Floats], *, seed: int, draws: int = DRAWS) -> None:
        """Take the observations of each group (observations × kinds)."""
        self._seed, self._draws = seed, draws
        self._groups = dict(groups)
        self._banks: dict[str, Floats] = {}

    def means(self, group: str) -> Floats:
        """The means of one group, by kind."""
        found: Floats = self._groups[group].mean(axis=0)
        return found

    def bank(self, group: str) -> Floats:
        """The group's means in draws of its own observations (draws × kinds)."""
        if group not in self._banks:
            values = self._groups[group]
            # By its own name: another choice of groups leaves its draws as they are.
            rng = np.random.default_rng([self._seed, draw("nested", group)])
            picks = rng.integers(len(values), size=(self._draws, len(values)))
            self._banks[group] = np.stack(
                [column[picks].mean(axis=1) for column in values.T], axis=1
            )
        return self._banks[group]

    def drawn(self, groups: Sequence[str], weights: Sequence[float]) -> Floats:
        """The weighted mean over the groups in each draw (draws × kinds).

        A single group is not drawn itself, since there is no other to draw.
        """
        if len(groups) == 1:
            return self.bank(groups[0])
        rng = np.random.default_rng([self._seed, draw("groups", *groups)])
        count = len(groups)
        picked = rng.integers(count, size=(self._draws, count))
        which = rng.integers(self._draws, size=(self._draws, count))
        banks = np.stack([self.bank(group) for group in groups])
        weight = np.asarray(weights, dtype=float)[picked]
        weight /= weight.sum(axis=1, keepdims=True)
        found: Floats = np.einsum("dg,dgk->dk", weight, banks[picked, which])
        return found
