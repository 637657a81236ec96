"""How far a figure would move with other clusters: a jackknife over clusters that may cross.

Answers about the same name are alike, and so are those about the same profession or with the same
verb. Each kind of cluster is left out one cluster at a time; the sum of the squared changes is the
variance that this kind makes. Where kinds cross, their variances are added, those of all crossings
of two are taken off, which both hold, and so on by inclusion and exclusion (Cameron, Gelbach and
Miller 2011). By chance that sum can fall below one of its parts, so the largest single kind is its
floor.

A few large clusters count for little more than themselves: degrees of freedom are those of the
effective number of clusters, 1 / Σ(share of the weight)², of the kind that has fewest (Carter,
Schnepel and Steigerwald 2017). Verbs and relations with fewer than five clusters are taken as they
are; with more they count as at least five.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
"""The number of each row's cluster, or of its value in a column."""
FIXED = frozenset({"verbs", "relations"})
"""The kinds of cluster that a larger sample does not add to."""
FEWEST = 5
"""With fewer clusters than this, one of these kinds is taken as it is."""
_ROUNDING = 1e-12
GIVEN = ", for "
"""Before the clusters that were taken as they are, in the name of a method."""


def renumbered(code: Codes) -> Codes:
    """The same clusters numbered without gaps."""
    return np.unique(code, return_inverse=True)[1].astype(np.int64)


def crossed(first: Codes, second: Codes) -> Codes:
    """The cells of two kinds of cluster."""
    return renumbered(first * (int(second.max(initial=0)) + 1) + second)


def too_few(sizes: Mapping[str, int]) -> dict[str, int]:
    """The kinds that are taken as they are, since they have too few clusters to leave one out.

    >>> too_few({"names": 2, "professions": 1, "verbs": 4})
    {'professions': 1, 'verbs': 4}
    """
    return {
        kind: size for kind, size in sizes.items() if size < 2 or (kind in FIXED and size < FEWEST)
    }


@dataclass(frozen=True)
class Spread:
    """The standard error of a figure, and what it rests on."""

    error: float
    """0 where nothing varies; NaN where nothing can be left out."""
    degrees: float
    """Degrees of freedom: effective clusters of the smallest kind, less one."""
    clusters: dict[str, int]
    """How many clusters there are of each kind that was left out."""
    given: dict[str, int]
    """The kinds that were taken as they are, since they have too few clusters."""
    between: float = 0.0
    """The part of the variance that lies between clusters, which more rows of each leave alone."""

    @property
    def fewest(self) -> int:
        """The number of clusters of the smallest kind; below 2 there is no interval."""
        return min(self.clusters.values(), default=0)

    @property
    def method(self) -> str:
        """What was left out, in words."""
        return f"jackknife over {' × '.join(self.clusters)}{self.condition}"

    @property
    def condition(self) -> str:
        """For which clusters alone the interval is, where there are too few of a kind."""
        if not self.given:
            return ""
        fixed = " and ".join(_counted(count, kind) for kind, count in self.given.items())
        return f"{GIVEN}{'this' if set(self.given.values()) == {1} else 'these'} {fixed}"


def _counted(count: int, kind: str) -> str:
    return kind.removesuffix("s") if count == 1 else f"{count} {kind}"


class Clustering:
    """Clusters of all rows by kind, and their crossings."""

    def __init__(self, kinds: Mapping[str, Codes]) -> None:
        """Take the clusters of each row by kind."""
        self.kinds = {kind: renumbered(code) for kind, code in kinds.items()}
        self._crossings: dict[tuple[str, ...], tuple[Codes, int]] = {}

    def __len__(self) -> int:
        return len(next(iter(self.kinds.values())))

    def crossing(self, kinds: tuple[str, ...]) -> tuple[Codes, int]:
        """The cell of each row, where these kinds cross, and how many numbers cells have."""
        if kinds not in self._crossings:
            code = self.kinds[kinds[-1]]
            count = int(code.max(initial=-1)) + 1
            if len(kinds) > 1:
                first, many = self.crossing(kinds[:-1])
                code, count = first * count + code, many * count
            if count > len(code):  # renumbering sorts all rows; a few empty cells cost less
                code = renumbered(code)
                count = int(code.max(initial=-1)) + 1
            self._crossings[kinds] = code, count
        return self._crossings[kinds]


class Figure:
    """A weighted mean over some rows, ready to be left parts of."""

    def __init__(
        self,
        clustering: Clustering,
        rows: Codes,
        values: Floats,
        weights: Floats | None = None,
    ) -> None:
        """Take the places of the rows, their values, and how much each counts (all the same)."""
        self._clustering, self._rows = clustering, rows
        self.values = values
        weight = np.ones(len(values)) if weights is None else weights
        self._weights: Floats = weight / weight.sum()
        # Divided last, so that the mean of equal shares is that share and not a hair beside it.
        self.mean = float((weight * values).sum() / weight.sum())
        self._moved: Floats = self._weights * (values - self.mean)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many clusters its rows have of each kind."""
        kinds = self._clustering.kinds
        return {
            kind: int(np.count_nonzero(np.bincount(code[self._rows])))
            for kind, code in kinds.items()
        }

    def changes(self, kinds: tuple[str, ...]) -> Floats:
        """By how much the mean changes where each cell of these kinds is left out."""
        code, count = self._clustering.crossing(kinds)
        cells = code[self._rows]
        moved = np.bincount(cells, weights=self._moved, minlength=count)
        left = 1.0 - np.bincount(cells, weights=self._weights, minlength=count)
        # A cell that holds all rows cannot be left out.
        changes: Floats = np.divide(moved, left, out=np.zeros(count), where=left > _ROUNDING)
        return changes

    @property
    def of_rows(self) -> float:
        """The variance that rows would make if each were by itself."""
        return float((self._moved**2).sum())

    def effective(self, kind: str) -> float:
        """The effective number of clusters of a kind."""
        code, count = self._clustering.crossing((kind,))
        held = np.bincount(code[self._rows], weights=self._weights, minlength=count)
        return float(1.0 / (held**2).sum())

    def alone(self, given: Mapping[str, int]) -> Spread:
        """The spread where only single rows vary, within the cells of the kinds that are given."""
        kinds = self._clustering.kinds
        cell = np.zeros(len(self), dtype=np.int64)
        for kind in given:
            cell = crossed(cell, kinds[kind][self._rows])
        counts = np.bincount(cell)
        means = np.bincount(cell, weights=self.values) / counts
        moved = (self._weights * (self.values - means[cell])) ** 2
        more = counts > 1
        # A cell with a single row cannot tell how its rows vary: it is taken to vary as the others.
        scale = np.where(more, counts / np.maximum(counts - 1, 1), 0.0)[cell]
        known = float(self._weights[more[cell]].sum())
        if known == 0:
            return Spread(math.nan, 1.0, {}, dict(given))
        variance = float((moved * scale).sum()) / known
        degrees = max(len(self) - len(counts), 1)
        return Spread(_root(variance), float(degrees), {"items": len(self)}, dict(given))


def spread(one: Figure, other: Figure | None = None) -> Spread:
    """The spread of a figure, or of the difference of two over the same rows' clusters."""
    figures = [one] if other is None else [one, other]
    clustering = one._clustering
    sizes = {kind: min(figure.sizes[kind] for figure in figures) for kind in clustering.kinds}
    given = too_few(sizes)
    kinds = [kind for kind in sizes if kind not in given]
    if not kinds:
        return one.alone(given) if other is None else Spread(math.nan, 1.0, {}, given)
    variances = {
        chosen: _squares(figures, chosen)
        for count in range(1, len(kinds) + 1)
        for chosen in combinations(kinds, count)
    }
    single = [variances[kind,] for kind in kinds]
    total = sum(v if len(chosen) % 2 else -v for chosen, v in variances.items())
    variance = max(total, *single)
    effective = min(
        # A kind that counts at all counts as the fewest that do, however unequal its clusters.
        max(figure.effective(kind), FEWEST if kind in FIXED else 0)
        for figure in figures
        for kind in kinds
    )
    return Spread(
        _root(variance),
        max(effective - 1.0, 1.0),
        {kind: sizes[kind] for kind in kinds},
        given,
        between=max(variance - sum(figure.of_rows for figure in figures), 0.0),
    )


def _squares(figures: list[Figure], kinds: tuple[str, ...]) -> float:
    changes = figures[0].changes(kinds)
    if len(figures) == 2:
        changes = changes - figures[1].changes(kinds)
    return float((changes**2).sum())


def _root(variance: float) -> float:
    error = math.sqrt(max(variance, 0.0))
    return error if error > _ROUNDING else 0.0
