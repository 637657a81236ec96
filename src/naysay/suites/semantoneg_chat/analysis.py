"""What is measured: the sentence that is said most often over all orders, and in each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from naysay.core.examples import PROBABILITY, Example, ExampleSide, plain_rows
from naysay.core.measures import Analysis, Measure
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.items import ROLES
from naysay.stats.clusters import Codes
from naysay.stats.shares import Mask
from naysay.suites._questions.analysis import ALL, Answers, if_answered
from naysay.suites._questions.analysis import TITLES as ANSWER_TITLES
from naysay.suites.semantoneg.analysis import (
    CHANCE,
    PART_TITLES,
    ItemFigures,
    conclude,
    item_notes,
)
from naysay.suites.semantoneg.judged import JudgedItems
from naysay.suites.semantoneg.rows import OPTIONS, PARAPHRASE, TIE, item
from naysay.suites.semantoneg_chat.suite import LETTERS, NONE
from naysay.suites.semantoneg_prompted.suite import ORDERS

TITLES = {
    "accuracy": "Accuracy: the model answers with the paraphrase, most often over all orders",
    "orders": "How much the answer depends on the order",
    "letters": "Which letter the model answers, whatever the sentence there",
    "choices": "The sentence that the model answers most often over all orders",
    **ANSWER_TITLES,
    **PART_TITLES,
}


def analyse(suite: str, table: Table, spec: RunSpec, fit: Fit) -> Analysis:
    """All measures of one run, and its verdict."""
    questions = JudgedItems(table)
    answers = Answers(suite, table, {"words": questions.linked_words}, fit)
    together, rows = by_item(table)
    effect = float(spec.value("smallest_effect", suite))
    measures = answers.measures({})
    if len(together):  # else nothing was answered, which decides
        items = JudgedItems(together, rows=rows)
        figures = ItemFigures(suite, items)
        measures = [
            *figures.accuracies(),
            *_orders(suite, questions, items, answers.answered, rows),
            *_letters(suite, questions, answers.answered),
            *figures.choices(),
            *measures,
            *figures.by_kind(),
            *figures.by_pair(),
        ]
    every = JudgedItems(table.take(pa.array(np.arange(0, len(table), len(ORDERS)))))
    found = conclude(measures, TITLES, (*answers.notes(), *item_notes(every, fit)), effect)
    return replace(found, decide=if_answered(found.decide, (ALL,)))


def by_item(table: Table) -> tuple[Table, Codes]:
    """One row for each item that has an answer, and its first stored row.

    The option that was said most often is chosen; of equals none is. The rows of an item follow one
    another, one for each order.
    """
    count = len(ORDERS)
    if len(table) % count:
        raise ValueError("an item lacks some of its orders")
    choice = np.asarray(table["choice"].to_numpy()).reshape(-1, count)
    votes = np.stack([(choice == k).sum(axis=1) for k in range(len(OPTIONS))])
    some = np.flatnonzero(votes.sum(axis=0))
    votes = votes[:, some]
    ordered = np.sort(votes, axis=0)
    best = np.where(ordered[-1] == ordered[-2], TIE, votes.argmax(axis=0))
    rows: Codes = some * count
    together = table.take(pa.array(rows)).drop_columns(["choice", "right"])
    together = together.append_column("choice", pa.array(best, pa.int32()))
    return together.append_column("right", pa.array(best == PARAPHRASE)), rows


def _orders(
    suite: str, questions: JudgedItems, items: JudgedItems, answered: Mask, rows: Codes
) -> list[Measure]:
    """The accuracy of single questions, and the share of items with the same answer in all."""
    choice = questions.numbers("choice").reshape(-1, len(ORDERS))[rows // len(ORDERS)]
    right = choice == PARAPHRASE
    values = {
        "right in every order": right.all(axis=1),
        "right in some order": right.any(axis=1),
        "the same sentence in every order": (
            (choice == choice[:, :1]).all(axis=1) & (choice[:, 0] != NONE)
        ),
    }
    shares = items.shares(suite, values)
    single = questions.shares(suite, {"one": questions.true("right")}, {"one": answered})
    return [
        *(shares.share("orders", name, "share of items", name) for name in values),
        single.share(
            "orders", "right in a single question", "share of items", "one",
            note=f"by chance {CHANCE:.1f}",
        ),
    ]  # fmt: skip


def _letters(suite: str, rows: JudgedItems, answered: Mask) -> list[Measure]:
    """How often each letter is answered; without a preference, all are equally often."""
    orders, code = rows.words("order")
    choice = rows.numbers("choice").astype(int)
    places = np.array([[order.index(str(k)) for k in range(len(OPTIONS))] for order in orders])
    letter = places[code, choice]
    values = {name: letter == k for k, name in enumerate(LETTERS)}
    shares = rows.shares(suite, values, dict.fromkeys(values, answered))
    return [shares.share("letters", name, "share of answers", name) for name in values]


def examples(verdicts: Table) -> Iterator[Example]:
    """The judged rows by item, a side for each order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in plain_rows(verdicts):
        found.setdefault(row["unit"], []).append(row)
    for rows in found.values():
        yield item(rows[0], [_side(row) for row in rows], PROBABILITY)


def _side(row: dict[str, Any]) -> ExampleSide:
    choice = row["choice"]
    said = choice != NONE
    right = choice == PARAPHRASE if said else None
    verdict = "right" if right else ROLES[choice] if said else f"no answer: {row['said']}"
    return ExampleSide(
        label=f"order {row['order']}",
        text=row["question"],
        answer=row[OPTIONS[choice]] if said else row["answer"],
        verdict=verdict,
        right=right,
        wanted=row["paraphrase"],
    )
