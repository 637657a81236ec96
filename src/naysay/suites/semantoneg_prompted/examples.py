"""An item to look at: what is said over all orders of the options, and in each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from naysay.examples.item import LOGPROB, Item, plain_rows
from naysay.protocols import Table
from naysay.suites.semantoneg.examples import item, side
from naysay.suites.semantoneg.rows import OPTIONS
from naysay.suites.semantoneg_prompted.figures import by_item

ALL_ORDERS = "all orders"


def answers(verdicts: Table) -> Iterator[Item]:
    """The judged rows by item; scores are log-probabilities among the three letters alone."""
    together = by_item(verdicts)
    choice = dict(zip(together["unit"].to_pylist(), together["choice"].to_pylist(), strict=True))
    found: dict[str, list[dict[str, Any]]] = {}
    for row in plain_rows(verdicts):
        found.setdefault(row["unit"], []).append(row)
    for unit, rows in found.items():
        said = np.array([[row[f"said_{option}"] for option in OPTIONS] for row in rows])
        said = said - np.logaddexp.reduce(said, axis=1, keepdims=True)
        sides = [
            side(f"order {row['order']}", row, scores.tolist(), row["choice"])
            for row, scores in zip(rows, said, strict=True)
        ]
        whole = side(ALL_ORDERS, rows[0], said.mean(axis=0).tolist(), choice[unit])
        yield item(rows[0], [whole, *sides], LOGPROB)
