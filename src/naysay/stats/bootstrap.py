"""The cluster bootstrap, one-way and two-way, seeded and vectorised.

Two-way draws both kinds of cluster with replacement and weighs an observation by the product of
how often its two clusters were drawn (the pigeonhole bootstrap, Owen 2007). It errs on the safe
side: its variance is never too small for crossed clusters.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from naysay.stats.intervals import Floats

Codes = npt.NDArray[np.int64]
DRAWS = 2000
_CHUNK = 100  # draws at a time: bounds memory at clusters × 100 numbers


def bootstrap_means(
    values: Floats,
    first: Codes,
    second: Codes | None = None,
    *,
    seed: int,
    draws: int = DRAWS,
) -> Floats:
    """Means of the columns of `values` (n × k) in each draw (draws × k).

    `first` and `second` number the cluster of each observation from 0. The columns of one draw
    belong together, so their differences are paired.
    """
    from scipy.sparse import csr_array

    rng = np.random.default_rng(seed)
    n = len(values)
    other = np.zeros(n, dtype=np.int64) if second is None else second
    shape = (int(first.max()) + 1, int(other.max()) + 1)
    columns = [csr_array((column, (first, other)), shape=shape) for column in values.T]
    counts = csr_array((np.ones(n), (first, other)), shape=shape)
    result = np.empty((draws, values.shape[1]))
    for start in range(0, draws, _CHUNK):
        size = min(_CHUNK, draws - start)
        weights = _drawn(rng, shape[0], size)
        other_weights = np.ones((1, size)) if second is None else _drawn(rng, shape[1], size)
        total = np.einsum("cb,cb->b", weights, counts @ other_weights)
        with np.errstate(invalid="ignore"):  # a draw that misses everything is NaN
            for k, column in enumerate(columns):
                sums = np.einsum("cb,cb->b", weights, column @ other_weights)
                result[start : start + size, k] = sums / total
    return result


def _drawn(rng: np.random.Generator, clusters: int, size: int) -> Floats:
    """How often each cluster is drawn when as many as there are are drawn (clusters × size)."""
    picks = rng.integers(clusters, size=(size, clusters)) + clusters * np.arange(size)[:, None]
    counted = np.bincount(picks.ravel(), minlength=size * clusters).reshape(size, clusters)
    return np.ascontiguousarray(counted.T, dtype=np.float64)
