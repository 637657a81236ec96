"""Examples: an item with its sentence, and its three options with their scores.

The rows have the scores, so no model has to be asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from naysay.core.examples import DIGITS, Example, ExampleSide, plain_rows
from naysay.core.protocols import Table
from naysay.data.items import ROLES
from naysay.suites.semantoneg.rows import OPTIONS, PARAPHRASE, TIE

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
