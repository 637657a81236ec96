"""Judged items as arrays, with the clusters they come in."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from naysay.protocols import Table
from naysay.stats.bootstrap import Codes
from naysay.stats.intervals import Floats
from naysay.suites._shares import Mask, codes


class Verdicts:
    """A table of judged items."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    def numbers(self, column: str) -> Floats:
        """A column of numbers."""
        return np.asarray(self._table[column].to_numpy(), dtype=float)

    def true(self, column: str) -> Mask:
        """A column of yes and no."""
        return np.asarray(self._table[column].to_numpy(), dtype=bool)

    def words(self, column: str) -> tuple[list[str], Codes]:
        """The distinct values of a column of words, and the number of each row's value."""
        return codes(self._table, column)

    @cached_property
    def everything(self) -> Mask:
        """All rows."""
        return np.ones(len(self), dtype=bool)

    @cached_property
    def linked_words(self) -> Codes:
        """The cluster of each item: the words linked with one another as antonyms.

        Items with "good" and "bad" are alike, and so are those with "good" and "evil"; all of them
        are one cluster.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        pairs, code = self.words("pair")
        words = {word: None for pair in pairs for word in pair.split("/")}
        number = {word: k for k, word in enumerate(words)}
        first, second = ([number[pair.split("/")[k]] for pair in pairs] for k in (0, -1))
        links = coo_array((np.ones(len(pairs)), (first, second)), shape=(len(words), len(words)))
        _, component = connected_components(links, directed=False)
        found: Codes = component[np.array(first)].astype(np.int64)[code]
        return found
