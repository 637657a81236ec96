"""An item to look at: how likely each option is after the text, alone, and what it has gained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from naysay.examples.item import LOGPROB, Item, plain_rows
from naysay.protocols import Table
from naysay.suites.semantoneg.examples import item, side
from naysay.suites.semantoneg.rows import OPTIONS


def gains(verdicts: Table) -> Iterator[Item]:
    """Each judged row with three sides; what was gained decides."""
    for row in plain_rows(verdicts):
        after, alone = ([row[f"{when}_{o}"] for o in OPTIONS] for when in ("after", "alone"))
        gained = [one - other for one, other in zip(after, alone, strict=True)]
        sides = [
            side("gained", row, gained, row["choice"]),
            replace(side("after the text", row, after, row["plain_choice"]), right=None),
            replace(side("alone", row, alone, None), text=""),
        ]
        yield item(row, sides, LOGPROB)
