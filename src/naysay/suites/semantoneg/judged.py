"""Judged items as arrays, with the clusters they come in."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from naysay.core.measures import ItemColumns, Strings
from naysay.core.protocols import Table
from naysay.data.items import ROLES
from naysay.stats.clusters import Codes, Floats
from naysay.stats.shares import Mask, Shares, codes
from naysay.suites.semantoneg.rows import TIE


class JudgedItems:
    """A table of judged rows, one for each item, or one for each question about it."""

    def __init__(self, table: Table, rows_each: int = 1, rows: Codes | None = None) -> None:
        """Take the table; `rows_each` is how many stored rows each of its rows stands for.

        `rows` are the first of these, where some have none.
        """
        self._table = table
        self._rows = np.arange(len(table), dtype=np.int64) * rows_each if rows is None else rows

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

    def shares(
        self,
        suite: str,
        values: Mapping[str, Floats | Mask],
        chosen: Mapping[str, Mask] | None = None,
    ) -> Shares:
        """Shares and means by name, drawn by linked words; over all items if none are chosen."""
        return Shares(
            suite,
            {name: np.asarray(of, dtype=float) for name, of in values.items()},
            {"words": self.linked_words},
            chosen or dict.fromkeys(values, self.everything),
            self._items,
        )

    @cached_property
    def _items(self) -> ItemColumns:
        """Where two runs find the same item."""
        import pyarrow as pa

        choice = self.numbers("choice").astype(int)
        said = pa.array(np.where(choice == TIE, len(ROLES), choice), pa.int32())
        return ItemColumns(
            self._table,
            keys=("unit",),
            clusters={"words": self._linked_labels()},
            answers=pa.DictionaryArray.from_arrays(said, [*ROLES, "tie"]),
            rows=self._rows,
        )

    def _linked_labels(self) -> Strings:
        """Each item's cluster, called by the first of its linked words."""
        import pyarrow as pa

        pairs, code = self.words("pair")
        cluster_of_pair = np.zeros(len(pairs), dtype=np.int64)
        cluster_of_pair[code] = self.linked_words
        first: dict[int, str] = {}
        for pair, cluster in zip(pairs, cluster_of_pair.tolist(), strict=True):
            first[cluster] = min(*pair.split("/"), first.get(cluster, pair))
        labels = [first[cluster] for cluster in cluster_of_pair.tolist()]
        return pa.array(labels).take(pa.array(code))
