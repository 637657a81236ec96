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
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from naysay.core.records import GIVEN

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.signedinteger[Any]]
"""The number of each row's cluster, or of its value in a column, in as few bytes as are enough."""
FIXED = frozenset({"verbs", "relations"})
"""The kinds of cluster that a larger sample does not add to."""
FEWEST = 5
"""With fewer clusters than this, one of these kinds is taken as it is."""
_ROUNDING = 1e-12
_ROOM = 4
"""How many numbers a table may have for each row."""


def renumbered(code: Codes) -> Codes:
    """The same clusters numbered without gaps."""
    most = int(code.max(initial=-1)) + 1
    if most > _ROOM * (len(code) + 1000):
        return _ranks(code)
    there = np.zeros(most, dtype=bool)  # a table of all numbers costs less than sorting the rows
    there[code] = True
    number: Codes = np.cumsum(there, dtype=np.int32)
    number -= 1
    return number[code]


def _ranks(code: Codes) -> Codes:
    """The place of each number among all that occur, in less memory than `np.unique` takes."""
    order = np.argsort(code, kind="stable")
    rank = np.zeros(len(code), dtype=np.int32)
    np.cumsum(np.diff(code[order]) != 0, out=rank[1:])
    found = np.empty_like(rank)
    found[order] = rank
    return found


def crossed(first: Codes, second: Codes) -> Codes:
    """The cells of two kinds of cluster."""
    each = int(second.max(initial=0)) + 1
    most = (int(first.max(initial=0)) + 1) * each
    code: Codes = first.astype(np.int32 if most <= np.iinfo(np.int32).max else np.int64)
    np.multiply(code, each, out=code)
    np.add(code, second, out=code)
    return renumbered(code)


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
    """Clusters of all rows by kind, and their crossings.

    Rows that agree in all kinds are a cell. No sum over clusters distinguishes the rows of a cell,
    so figures are summed by cell first: there may be far fewer cells than rows.
    """

    def __init__(self, kinds: Mapping[str, Codes]) -> None:
        """Take the clusters of each row by kind."""
        cell: Codes = np.zeros(len(next(iter(kinds.values()), ())), dtype=np.int32)
        for code in kinds.values():
            cell = crossed(cell, code)
        self.cell = cell
        """The cell of each row."""
        self.cells = int(cell.max(initial=-1)) + 1
        """How many cells there are."""
        first = np.zeros(self.cells, dtype=np.int32)
        first[cell[::-1]] = np.arange(len(cell), dtype=np.int32)[::-1]
        self.kinds = {
            kind: renumbered(code[first]).astype(np.int64) for kind, code in kinds.items()
        }
        """The cluster of each cell, by kind."""
        self._crossings: dict[tuple[str, ...], tuple[Codes, int]] = {}

    def __len__(self) -> int:
        return len(self.cell)

    def crossing(self, kinds: tuple[str, ...]) -> tuple[Codes, int]:
        """The place of each cell where these kinds cross, and how many places there are."""
        if kinds not in self._crossings:
            code = self.kinds[kinds[-1]]
            count = int(code.max(initial=-1)) + 1
            if len(kinds) > 1:
                first, many = self.crossing(kinds[:-1])
                code, count = first * count + code, many * count
            if count > len(code):  # renumbering takes time; a few empty places cost less
                code = renumbered(code).astype(np.int64)
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
        self._clustering, self._length = clustering, len(values)
        total = float(len(values)) if weights is None else float(weights.sum())
        share: Floats | float = 1.0 / total if weights is None else weights / total
        # Divided last, so that the mean of equal shares is that share and not a hair beside it.
        weighted = values if weights is None else weights * values
        self.mean = float(weighted.sum() / total)
        moved = values - self.mean
        moved *= share
        cell = clustering.cell[rows]
        count = np.bincount(cell, minlength=clustering.cells)
        self._cells = np.flatnonzero(count)
        self._moved = np.bincount(cell, weights=moved)[self._cells].astype(np.float64, copy=False)
        if isinstance(share, float):
            held = _sums(share, int(count.max()))[count]
        else:
            held = np.bincount(cell, weights=share).astype(np.float64, copy=False)
        self._weights: Floats = held[self._cells]
        np.multiply(moved, moved, out=moved)
        self.of_rows = float(moved.sum())
        """The variance that rows would make if each were by itself."""
        self.sizes = {
            kind: int(np.count_nonzero(np.bincount(code[self._cells])))
            for kind, code in clustering.kinds.items()
        }
        """How many clusters its rows have of each kind."""
        # Single rows are looked at only where no kind of cluster can be left out.
        self._single: tuple[Codes, Floats, Floats] | None = None
        if too_few(self.sizes).keys() == self.sizes.keys():
            each: Floats = np.full(len(values), share)
            self._single = cell, values, each

    def __len__(self) -> int:
        return self._length

    def changes(self, kinds: tuple[str, ...]) -> Floats:
        """By how much the mean changes where each cell of these kinds is left out."""
        code, count = self._clustering.crossing(kinds)
        here = code[self._cells]
        moved = np.bincount(here, weights=self._moved, minlength=count)
        left = 1.0 - np.bincount(here, weights=self._weights, minlength=count)
        # A cell that holds all rows cannot be left out.
        changes: Floats = np.divide(moved, left, out=np.zeros(count), where=left > _ROUNDING)
        return changes

    def effective(self, kind: str) -> float:
        """The effective number of clusters of a kind."""
        code, count = self._clustering.crossing((kind,))
        held = np.bincount(code[self._cells], weights=self._weights, minlength=count)
        return float(1.0 / (held**2).sum())

    def alone(self, given: Mapping[str, int]) -> Spread:
        """The spread where only single rows vary, within the cells of the kinds that are given."""
        assert self._single is not None, "some kind of cluster can be left out"
        cells, values, weights = self._single
        cell: Codes = np.zeros(len(self), dtype=np.int32)
        for kind in given:
            cell = crossed(cell, self._clustering.kinds[kind][cells])
        counts = np.bincount(cell)
        means = np.bincount(cell, weights=values) / counts
        moved = (weights * (values - means[cell])) ** 2
        more = counts > 1
        # A cell with a single row cannot tell how its rows vary: it is taken to vary as the others.
        scale = np.where(more, counts / np.maximum(counts - 1, 1), 0.0)[cell]
        known = float(weights[more[cell]].sum())
        if known == 0:
            return Spread(math.nan, 1.0, {}, dict(given))
        variance = float((moved * scale).sum()) / known
        degrees = max(len(self) - len(counts), 1)
        return Spread(_root(variance), float(degrees), {"items": len(self)}, dict(given))


def _sums(share: float, most: int) -> Floats:
    """The sums of none, one, two … equal shares, each added to those before.

    The last digits are those of rows that are added one by one.
    """
    sums: Floats = np.cumsum(np.full(most + 1, share))
    return np.concatenate([[0.0], sums])


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
