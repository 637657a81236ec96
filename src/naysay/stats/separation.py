"""How well a score tells two kinds apart."""

from __future__ import annotations

import numpy as np

from naysay.stats.bootstrap import DRAWS, Codes, cluster_weights
from naysay.stats.intervals import Floats, Interval, mean_interval


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
