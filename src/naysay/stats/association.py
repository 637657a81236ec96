"""Rank correlation of long rows, and how well a score separates two kinds (AUC)."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from naysay.stats.clusters import Clustering, Codes, Figure, Floats, Spread, spread
from naysay.stats.intervals import Interval, share_interval

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
    return float(_wins(high, low).mean())


def auc_interval(high: Floats, low: Floats, clusters: Codes, kind: str) -> Interval:
    """Its interval, where the two scores of a row belong to one cluster."""
    rows = np.arange(len(high))
    sized = spread(Figure(Clustering({kind: clusters}), rows, high))
    # Clusters that are too few are taken as they are, and rows are left out instead.
    won, area = auc_without(high, low, rows if sized.given else clusters)
    error = float(np.sqrt(((won - area) ** 2).sum()))
    found = Spread(error if error > 1e-12 else 0.0, sized.degrees, sized.clusters, sized.given)
    return replace(share_interval(area, found, len(high)), design_effect=None)


def auc_without(high: Floats, low: Floats, clusters: Codes) -> tuple[Floats, float]:
    """The area without each cluster, and with all of them."""
    count = int(clusters.max(initial=-1)) + 1
    rows = np.bincount(clusters, minlength=count)
    won, lost = _wins(high, low), 1.0 - _wins(low, high)
    total, every = float(won.sum()) * len(low), len(high)
    of_high = np.bincount(clusters, weights=won, minlength=count) * every
    of_low = np.bincount(clusters, weights=lost, minlength=count) * every
    inside = np.zeros(count)
    order = np.argsort(clusters, kind="stable")
    for cluster, here in enumerate(np.split(order, np.cumsum(rows)[:-1])):
        inside[cluster] = _wins(high[here], low[here]).sum() * len(here)
    left = (every - rows).astype(float) ** 2
    kept = total - of_high - of_low + inside  # what both sums hold is taken off once
    area = total / every**2
    return np.divide(kept, left, out=np.full(count, area), where=left > 0), area


def _wins(high: Floats, low: Floats) -> Floats:
    """The share of the second scores that each of the first is above; ties count half."""
    ordered = np.sort(low)
    below, up_to = (np.searchsorted(ordered, high, side=side) for side in ("left", "right"))
    share: Floats = (below + up_to) / (2 * max(len(low), 1))
    return share
