"""The rows of items, which option wins in one, and items to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from naysay.core.examples import DIGITS, Example, ExampleSide, plain_rows
from naysay.core.protocols import Table
from naysay.data.items import ROLES
from naysay.suites.protocol import Unit

if TYPE_CHECKING:
    from naysay.stats.clusters import Floats


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


NEAREST = "nearest"


def nearest(verdicts: Table) -> Iterator[Example]:
    """Each judged row as an item with one side."""
    for row in plain_rows(verdicts):
        scores = [row[f"near_{option}"] for option in OPTIONS]
        yield item(row, [side(NEAREST, row, scores, row["choice"])], row["scale"])


def item(row: dict[str, Any], sides: Sequence[ExampleSide], scale: str) -> Example:
    """The item of a row with these sides."""
    about = [row["pair"], row["word_class"], row["negator"], f"item {row['idx']}"]
    return Example(
        key=row["unit"],
        unit=row["unit"],
        title=" · ".join(part for part in about if part),
        sides=tuple(sides),
        facet=row["negator"],
        scale=scale,
    )


def side(
    label: str, row: dict[str, Any], scores: Sequence[float], choice: int | None
) -> ExampleSide:
    """The options by their scores; `choice` is None where these scores decide nothing."""
    rounded = [round(float(score), DIGITS) for score in scores]
    options = [row[option] for option in OPTIONS]
    order = sorted(range(len(OPTIONS)), key=lambda k: -scores[k])
    right = None if choice is None else choice == PARAPHRASE
    verdict = "" if choice is None else "tie" if choice == TIE else ROLES[choice]
    return ExampleSide(
        label=label,
        text=row["text"],
        answer=options[order[0]],
        verdict="right" if right else verdict,
        right=right,
        wanted=row["paraphrase"],
        tie=choice == TIE,
        top=tuple((options[k], rounded[k]) for k in order),
        scores=dict(zip(ROLES, rounded, strict=True)),
    )
