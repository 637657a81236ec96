"""Judged rows of templates as arrays, and choices among them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from naysay.protocols import Table
from naysay.stats.bootstrap import Codes
from naysay.stats.intervals import Floats
from naysay.suites._shares import Mask, Shares, codes
from naysay.suites._templates.suite import SEED

_NUMBERS = ("experiment", "acts", "rank")
Facet = str | int | tuple[str | int, ...]


class Rows:
    """Rows that can be chosen by what was varied in them."""

    def __init__(self, verdicts: Table) -> None:
        self._table = verdicts
        self._known: dict[str, tuple[list[str], Codes]] = {}
        self._distinct: dict[str, tuple[list[int], Codes]] = {}

    def __len__(self) -> int:
        return len(self._table)

    def words(self, column: str) -> tuple[list[str], Codes]:
        """A column's distinct values, and the number of each row's value."""
        if column not in self._known:
            self._known[column] = codes(self._table, column)
        return self._known[column]

    @cached_property
    def usable(self) -> Mask:
        """Where all verbs are words."""
        return np.asarray(self._table["usable"].to_numpy(), dtype=bool)

    @cached_property
    def seeds(self) -> Mask:
        """The rows of the seed sentence."""
        return self.where(polarity=SEED)

    @cached_property
    def asked(self) -> Mask:
        """The rows of questions that were asked."""
        return self.usable & ~self.seeds

    @property
    def lowest_rank(self) -> int:
        """The first rank that was asked for."""
        return int(self._table["rank"].to_numpy().min())

    @property
    def ties(self) -> int:
        """How many answers are ties within rounding."""
        return int(np.count_nonzero(self._table["tie"].to_numpy()))

    def where(self, **facets: Facet) -> Mask:
        """The rows that have these values; a tuple allows any of its values."""
        chosen = np.ones(len(self), dtype=bool)
        for column, wanted in facets.items():
            values = wanted if isinstance(wanted, tuple) else (wanted,)
            labels, code = self._numbers(column) if column in _NUMBERS else self.words(column)
            # A look at each distinct value, not at each row: there are few of these.
            chosen &= np.array([label in values for label in labels], dtype=bool)[code]
        return chosen

    def _numbers(self, column: str) -> tuple[list[int], Codes]:
        if column not in self._distinct:
            found, code = np.unique(self._table[column].to_numpy(), return_inverse=True)
            self._distinct[column] = found.tolist(), code
        return self._distinct[column]

    def shares(self, suite: str, rule: str, chosen: Mapping[str, Mask], seed: int) -> Shares:
        """The shares of repetition by that rule over choices of asked rows."""
        asked = self.asked
        repeats: Floats = np.asarray(self._table[rule].to_numpy(), dtype=float)[asked]
        clusters = {"pairs": self.words("unit")[1][asked], "verbs": self.words("verb")[1][asked]}
        return Shares(
            suite, repeats, clusters, {name: mask[asked] for name, mask in chosen.items()}, seed
        )
