"""An item to look at: the conditions of one minimal pair, triplet or fact, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from naysay.core.probes import ChooseWord, FillBlank
from naysay.core.protocols import Table

TOP = 5
"""How many of the model's first words are shown."""
DIGITS = 6
PROBABILITY, LOGPROB = "probability", "logprob"


@dataclass(frozen=True, slots=True)
class ExampleSide:
    """One condition of an item: the text, what the row says of it, and what it can be asked."""

    label: str
    text: str
    answer: str
    """What the model said; empty where it was not asked."""
    verdict: str
    right: bool | None = None
    """Whether the answer is as it should be; None where either would do."""
    wanted: str | None = None
    unwanted: str | None = None
    tie: bool = False
    main: bool = True
    """Whether it belongs to the few that are asked once more."""
    question: FillBlank | ChooseWord | None = None
    """The question that the row answers, for more words than one."""
    also: tuple[str, ...] = ()
    """Words that matter beside those that the question looks for."""
    top: tuple[tuple[str, float], ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The side as plain values, ready for JSON."""
        return {
            "label": self.label,
            "text": self.text,
            "answer": self.answer,
            "wanted": self.wanted,
            "unwanted": self.unwanted,
            "verdict": self.verdict,
            "right": self.right,
            "tie": self.tie,
            "top": [list(pair) for pair in self.top],
            "scores": dict(self.scores),
        }


@dataclass(frozen=True, slots=True)
class Example:
    """What belongs together, under a key of its own and a title for readers."""

    key: str
    unit: str
    title: str
    sides: tuple[ExampleSide, ...]
    facet: str = ""
    """What the item varies in beside its conditions; a choice takes of each value."""
    spare: bool = False
    """Whether it shows less than others do, since it did not get as far as the test."""
    scale: str = PROBABILITY
    """What `top` and `scores` are: `probability`, `logprob`, `cosine`, …"""

    @property
    def main(self) -> tuple[ExampleSide, ...]:
        """The sides that are asked once more, or have their scores already."""
        return tuple(side for side in self.sides if side.main and (side.question or side.top))

    @property
    def right(self) -> bool:
        """Whether no main side is wrong."""
        return all(side.right is not False for side in self.main)

    def as_dict(self) -> dict[str, Any]:
        """The item as plain values, ready for JSON."""
        return {
            "item": self.key,
            "unit": self.unit,
            "title": self.title,
            "sides": [side.as_dict() for side in self.sides],
        }


def plain_rows(table: Table) -> Iterator[dict[str, Any]]:
    """The rows one by one; strings come out far faster if they are decoded first."""
    import pyarrow as pa

    decoded = [
        column.cast("string") if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    for batch in pa.table(decoded, names=table.column_names).to_batches(max_chunksize=1024):
        yield from batch.to_pylist()
