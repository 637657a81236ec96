"""The rows of items, and which option wins in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from naysay.core.protocols import Table
from naysay.suites.protocol import Unit

if TYPE_CHECKING:
    from naysay.stats.intervals import Floats

OPTIONS = ("antonym_only", "polarity_only", "paraphrase")
"""The slots of the options, in the order of `ROLES`."""
PARAPHRASE = OPTIONS.index("paraphrase")
"""The right option."""
TIE = -1
"""What is chosen where two options have the same score; it is never right."""
ITEM_COLUMNS = ("unit", "pair", "word_class", "negator", "repeated")
"""The item's columns that judging reads."""


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
    """The fields of a row that describe its item."""
    slots: dict[str, Any] = dict(unit.slots)
    slots["idx"] = int(slots["idx"])
    slots["repeated"] = bool(slots["repeated"])
    return {"unit": unit.key, **slots}


def options_of(unit: Unit) -> tuple[str, ...]:
    """The three sentences to choose from."""
    return tuple(unit[option] for option in OPTIONS)


def choices(rows: Table, scores: Floats, same: float | None = None, *, prefix: str = "") -> Table:
    """The rows with the option that has the highest score (options × rows).

    Scores that differ by `same` or less are a tie; if it is None, the rows say which are.
    """
    import numpy as np
    import pyarrow as pa

    ordered = np.sort(scores, axis=0)
    tie = rows["tie"].to_numpy() if same is None else ordered[-1] - ordered[-2] <= same
    choice = np.where(tie, TIE, scores.argmax(axis=0))
    rows = rows.append_column(f"{prefix}choice", pa.array(choice, type=pa.int32()))
    return rows.append_column(f"{prefix}right", pa.array(choice == PARAPHRASE))
