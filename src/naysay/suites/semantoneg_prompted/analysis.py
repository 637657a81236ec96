"""What is measured: the answer over all orders of the options, and in each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from naysay.core.examples import LOGPROB, Example, plain_rows
from naysay.core.measures import Analysis, Measure
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.stats.clusters import Floats
from naysay.suites.semantoneg.analysis import (
    CHANCE,
    PART_TITLES,
    ItemFigures,
    conclude,
    item_notes,
)
from naysay.suites.semantoneg.judged import JudgedItems
from naysay.suites.semantoneg.rows import OPTIONS, PARAPHRASE, TIE, choices, item, side
from naysay.suites.semantoneg_prompted.suite import ORDERS, SAME

TITLES = {
    "accuracy": "Accuracy: the model answers with the paraphrase, over all orders together",
    "orders": "How much the answer depends on the order",
    "letters": "Which letter the model answers, whatever the sentence there",
    "choices": "The sentence that the model answers, over all orders together",
    **PART_TITLES,
}
_LETTERS = "ABC"


def analyse(suite: str, table: Table, spec: RunSpec, fit: Fit) -> Analysis:
    """All measures of one run, and its verdict."""
    questions, items = JudgedItems(table), JudgedItems(by_item(table), rows_each=len(ORDERS))
    figures = ItemFigures(suite, items)
    measures = (
        *figures.accuracies(),
        *_orders(suite, questions, items),
        *_letters(suite, questions),
        *figures.choices(),
        *figures.by_kind(),
        *figures.by_pair(),
    )
    effect = float(spec.value("smallest_effect", suite))
    return conclude(measures, TITLES, item_notes(items, fit), effect)


def by_item(table: Table) -> Table:
    """One row for each item, chosen by the mean log-probability of each option.

    The rows of an item follow one another, one for each order.
    """
    count = len(ORDERS)
    if len(table) % count:
        raise ValueError("an item lacks some of its orders")
    said = np.stack([table[f"said_{option}"].to_numpy() for option in OPTIONS])
    # Among the three letters alone, whatever else the model could answer.
    said = said - np.logaddexp.reduce(said, axis=0)
    means: Floats = said.reshape(len(OPTIONS), -1, count).mean(axis=2)
    first = table.take(pa.array(np.arange(0, len(table), count)))
    return choices(first.drop_columns(["choice", "right"]), means, SAME)


def _orders(suite: str, questions: JudgedItems, items: JudgedItems) -> list[Measure]:
    """The accuracy of single questions, and the share of items with the same answer in all."""
    choice = questions.numbers("choice").reshape(-1, len(ORDERS))
    right = choice == PARAPHRASE
    values = {
        "right in every order": right.all(axis=1),
        "right in some order": right.any(axis=1),
        "the same sentence in every order": (
            (choice == choice[:, :1]).all(axis=1) & (choice[:, 0] != TIE)
        ),
    }
    shares = items.shares(suite, values)
    single = questions.shares(suite, {"one": questions.true("right")})
    return [
        *(shares.share("orders", name, "share of items", name) for name in values),
        single.share(
            "orders", "right in a single question", "share of items", "one",
            note=f"by chance {CHANCE:.1f}",
        ),
    ]  # fmt: skip


def _letters(suite: str, rows: JudgedItems) -> list[Measure]:
    """How often each letter is the answer; without a preference, all are equally often."""
    orders, code = rows.words("order")
    choice = rows.numbers("choice").astype(int)
    places = np.array([[order.index(str(k)) for k in range(len(OPTIONS))] for order in orders])
    # The last column is for ties, which have no letter.
    places = np.hstack([places, np.full((len(orders), 1), TIE)])
    letter = places[code, choice]
    values = {name: letter == k for k, name in enumerate(_LETTERS)}
    values["tie"] = letter == TIE
    shares = rows.shares(suite, values)
    return [shares.share("letters", name, "share of questions", name) for name in values]


ALL_ORDERS = "all orders"


def answers(verdicts: Table) -> Iterator[Example]:
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
