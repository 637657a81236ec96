"""An item to look at: what is said over all orders of the options, and in each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from naysay.core.examples import LOGPROB, Example, plain_rows
from naysay.core.protocols import Table
from naysay.core.records import Estimate, Finding, Fit
from naysay.core.spec import RunSpec
from naysay.stats.intervals import Floats
from naysay.suites.semantoneg.analysis import (
    CHANCE,
    accuracies,
    by_kind,
    by_pair,
    chosen,
    clustered,
    conclude,
    item_notes,
)
from naysay.suites.semantoneg.examples import item, side
from naysay.suites.semantoneg.rows import OPTIONS, TIE, JudgedItems, choices
from naysay.suites.semantoneg_prompted.suite import ORDERS, SAME

TITLES = {
    "accuracy": "The paraphrase is said, over all orders of the options together",
    "orders": "How far the answer depends on the order",
    "letters": "Which letter is said, whatever stands there",
    "choices": "The sentence that is said, over all orders together",
    "kinds": "Accuracy by the words that are opposite, and by what negates",
    "pairs": "Accuracy by pair of antonyms",
}
_LETTERS = "ABC"


def measure(suite: str, table: Table, spec: RunSpec, fit: Fit) -> Finding:
    """All tables and the verdict."""
    items = JudgedItems(by_item(table))
    right = items.true("right")
    estimates = (
        *accuracies(suite, items, right, spec.seed),
        *_orders(suite, table, items, spec.seed),
        *_letters(suite, JudgedItems(table), spec.seed),
        *chosen(suite, items, spec.seed),
        *by_kind(suite, items, right, spec.seed),
        *by_pair(suite, items, right),
    )
    return conclude(suite, estimates, TITLES, item_notes(items, fit))


def by_item(table: Table) -> Table:
    """One row for each item, chosen by the mean log-probability of each option.

    A unit's rows stand together, one for each order.
    """
    count = len(ORDERS)
    if len(table) % count:
        raise ValueError("an item lacks some of its orders")
    said = np.stack([table[f"said_{option}"].to_numpy() for option in OPTIONS])
    # Of the three letters alone: what else the model could say is not what is asked.
    said = said - np.logaddexp.reduce(said, axis=0)
    means: Floats = said.reshape(len(OPTIONS), -1, count).mean(axis=2)
    first = table.take(pa.array(np.arange(0, len(table), count)))
    return choices(first.drop_columns(["choice", "right"]), means, SAME)


def _orders(suite: str, table: Table, items: JudgedItems, seed: int) -> list[Estimate]:
    """The accuracy of single questions, and the share of items with the same answer in all."""
    count = len(ORDERS)
    choice = np.asarray(table["choice"].to_numpy()).reshape(-1, count)
    paraphrase = OPTIONS.index("paraphrase")
    same = (choice == choice[:, :1]).all(axis=1) & (choice[:, 0] != TIE)
    values = {
        "right in every order": (choice == paraphrase).all(axis=1),
        "right in some order": (choice == paraphrase).any(axis=1),
        "the same sentence in every order": same,
    }
    everything = dict.fromkeys(values, items.everything)
    shares = clustered(suite, items, values, everything, seed)
    found = [shares.share("orders", name, "share of items", name) for name in values]
    questions = JudgedItems(table)
    single = clustered(
        suite, questions, {"one": questions.true("right")}, {"one": questions.everything}, seed
    ).share("orders", "right in a single question", "share of items", "one")
    return [*found, replace(single, note=f"by chance {CHANCE:.1f}")]


def _letters(suite: str, rows: JudgedItems, seed: int) -> list[Estimate]:
    """How often each letter is said; without a habit each would be said equally often."""
    orders, code = rows.words("order")
    choice = rows.numbers("choice").astype(int)
    places = np.array([[order.index(str(k)) for k in range(len(OPTIONS))] for order in orders])
    # The last column is for ties, which have no letter.
    places = np.hstack([places, np.full((len(orders), 1), TIE)])
    letter = places[code, choice]
    values = {name: letter == k for k, name in enumerate(_LETTERS)}
    values["tie"] = letter == TIE
    shares = clustered(suite, rows, values, dict.fromkeys(values, rows.everything), seed)
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
