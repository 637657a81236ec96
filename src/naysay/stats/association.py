"""Rank correlation of long rows, and how well a score separates two kinds (AUC)."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from naysay.stats.bootstrap import DRAWS, cluster_weights
from naysay.stats.intervals import Codes, Floats, Interval, mean_interval

_PART = 8  # rows


def centred_ranks(rows: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """The ranks of each row's values, less their mean; equal values share the mean of their ranks.

    >>> centred_ranks(np.array([[0.3, 0.1, 0.3]])).tolist()
    [[0.5, -1.0, 0.5]]
    """
    ranks = np.empty(rows.shape, dtype=np.float32)
    parts = [slice(start, start + _PART) for start in range(0, len(rows), _PART)]
    # Sorting lets other threads run; a few rows at a time stay near the processor.
    with ThreadPoolExecutor(max(1, min(os.cpu_count() or 1, len(parts)))) as threads:
        list(threads.map(lambda part: _rank(rows[part], ranks[part]), parts))
    return ranks


def _rank(rows: npt.NDArray[Any], ranks: npt.NDArray[np.float32]) -> None:
    """Write the centred ranks of some rows."""
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    count = rows.shape[1]
    places = np.arange(count, dtype=np.float32) - np.float32((count - 1) / 2)
    np.put_along_axis(ranks, order, np.broadcast_to(places, rows.shape), axis=1)
    tied = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    for row in np.flatnonzero(tied):  # few rows of real scores have any
        ranks[row, order[row]] = _shared(ordered[row], places)


def _shared(ordered: npt.NDArray[Any], places: npt.NDArray[np.float32]) -> Floats:
    """The places of sorted values, those of equal ones averaged."""
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sizes = np.diff(np.append(starts, len(ordered)))
    means = np.add.reduceat(places.astype(np.float64), starts) / sizes
    shared: Floats = np.repeat(means, sizes)
    return shared


def correlations(
    first: npt.NDArray[np.float32], second: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """The correlation of each row's ranks with those of the same row; NaN where a row is constant.

    >>> ranks = centred_ranks(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]))
    >>> correlations(ranks[:1], -ranks[:1]).tolist()
    [-1.0]
    """
    together, one, other = (
        np.einsum("ij,ij->i", a, b, dtype=np.float64)
        for a, b in ((first, second), (first, first), (second, second))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        rho: npt.NDArray[np.float64] = together / np.sqrt(one * other)
    return np.clip(rho, -1, 1)


def auc(high: Floats, low: Floats) -> float:
    """The chance that a score of the first kind is above one of the second; ties count half.

    >>> auc(np.array([3.0, 2.0]), np.array([1.0, 2.0]))
    0.875
    """
    return float(_auc(high, low, np.ones((len(high), 1)))[0])


def auc_interval(high: Floats, low: Floats, clusters: Codes, *, seed: int) -> Interval:
    """Its interval, where the two scores of a row belong to one cluster."""
    sizes = int(clusters.max(initial=0)) + 1
    draws = [
        _auc(high, low, weights[clusters]) for weights in cluster_weights(sizes, DRAWS, seed=seed)
    ]
    return mean_interval(np.concatenate(draws), len(np.unique(clusters)))


def _auc(high: Floats, low: Floats, weights: Floats) -> Floats:
    """The same with a weight for each row, in several draws (rows × draws)."""
    below, up_to = (np.searchsorted(np.sort(low), high, side=side) for side in ("left", "right"))
    order = np.argsort(low, kind="stable")
    summed = np.vstack([np.zeros(weights.shape[1]), np.cumsum(weights[order], axis=0)])
    won = (weights * (summed[below] + summed[up_to]) / 2).sum(axis=0)
    total: Floats = weights.sum(axis=0)
    share: Floats = won / total**2
    return share
