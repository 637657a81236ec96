"""What a row says of its item, whichever way it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from naysay.protocols import Unit

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
