"""Examples for display: the conditions of one minimal pair, triplet or fact, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from naysay.core.probes import ChooseWord, FillBlank
from naysay.core.protocols import Table

TOP = 5
"""How many of the model's top words are shown."""
DIGITS = 6
PROBABILITY, LOGPROB = "probability", "logprob"


@dataclass(frozen=True, slots=True)
class ExampleSide:
    """One condition of an item: the text, the recorded answer, and the question for more detail."""

    label: str
    text: str
    answer: str
    """The model's answer; empty if the model was not asked."""
    verdict: str
    right: bool | None = None
    """Whether the answer is correct; None if any answer is acceptable."""
    wanted: str | None = None
    unwanted: str | None = None
    tie: bool = False
    main: bool = True
    """Whether it is one of the few sides that are asked again for their top words."""
    question: FillBlank | ChooseWord | None = None
    """The question that the row answers, asking for several words."""
    also: tuple[str, ...] = ()
    """Further words to score, besides those in the question."""
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
    """The sides of one item, with a key and a readable title."""

    key: str
    unit: str
    title: str
    sides: tuple[ExampleSide, ...]
    facet: str = ""
    """What varies between items besides the conditions; a selection covers each value."""
    spare: bool = False
    """Whether it shows less than other items because it did not reach the test itself."""
    scale: str = PROBABILITY
    """The scale of `top` and `scores`: `probability`, `logprob`, `cosine`, …"""

    @property
    def main(self) -> tuple[ExampleSide, ...]:
        """The sides that are asked again, or already have their scores, or are answers in words."""
        return tuple(
            side for side in self.sides if side.main and (side.question or side.top or side.answer)
        )

    def brief(self) -> Example:
        """The item with its main sides only, if it has any."""
        return replace(self, sides=self.main) if self.main else self

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
    """Yield the rows as dictionaries; decoding dictionary columns first makes this much faster."""
    import pyarrow as pa

    decoded = [
        column.cast("string") if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    for batch in pa.table(decoded, names=table.column_names).to_batches(max_chunksize=1024):
        yield from batch.to_pylist()
