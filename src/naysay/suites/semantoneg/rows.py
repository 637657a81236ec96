"""Judged items as arrays, with the clusters they come in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from naysay.core.protocols import Table
from naysay.stats.intervals import Codes, Floats
from naysay.stats.shares import Mask, codes
from naysay.suites._protocol import Unit

OPTIONS = ("antonym_only", "polarity_only", "paraphrase")
"""The slots of the options, in the order of `ROLES`."""
ITEM_COLUMNS = ("unit", "pair", "word_class", "negator", "repeated")
"""What judging reads of the item."""


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item: its four sentences and what is known of them."""

    unit: str
    idx: int
    pair: str
    word_class: str
    negator: str
    repeated: bool
    """Whether an earlier item has the same sentences."""
    text: str
    antonym_only: str
    polarity_only: str
    paraphrase: str


def item_fields(unit: Unit) -> dict[str, Any]:
    """The fields of a row that tell its item."""
    slots: dict[str, Any] = dict(unit.slots)
    slots["idx"] = int(slots["idx"])
    slots["repeated"] = bool(slots["repeated"])
    return {"unit": unit.key, **slots}


def options_of(unit: Unit) -> tuple[str, ...]:
    """The three sentences to choose from."""
    return tuple(unit[option] for option in OPTIONS)


TIE = -1


def choices(rows: Table, scores: Floats, same: float | None = None, *, prefix: str = "") -> Table:
    """The rows with the option of the highest score (options × rows); none in a tie.

    A tie is never right. Scores nearer than `same` are equal; if None, the rows themselves tell.
    """
    import numpy as np
    import pyarrow as pa

    ordered = np.sort(scores, axis=0)
    tie = rows["tie"].to_numpy() if same is None else ordered[-1] - ordered[-2] <= same
    choice = np.where(tie, TIE, scores.argmax(axis=0))
    rows = rows.append_column(f"{prefix}choice", pa.array(choice, type=pa.int32()))
    return rows.append_column(f"{prefix}right", pa.array(choice == OPTIONS.index("paraphrase")))


class JudgedItems:
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
