"""A fact to look at: as it is, negated, and the other fact that it was held against."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from naysay.core.examples import TOP, Example, ExampleSide, plain_rows
from naysay.core.probes import FillBlank, WordList
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.suites.lama.rows import word_list

FACT, NEGATED, OTHER = "fact", "negated", "another fact"


def facts(verdicts: Table, fit: Fit) -> Iterator[Example]:
    """Each judged row as a fact."""
    among = word_list(fit.used)
    for row in plain_rows(verdicts):
        sides = [_fact(row, among), _negated(row, among)]
        if row["said_other"]:
            same = "same answer" if row["agrees_other"] else "another answer"
            sides.append(ExampleSide(OTHER, row["other"], row["said_other"], same, main=False))
        yield Example(
            key=row["unit"],
            unit=row["unit"],
            title=" · ".join([row["subject"], row["relation"], row["answer"]]),
            sides=tuple(side for side in sides if side.text),
            facet=row["relation"],
            spare=not row["said_negated"],
        )


def _fact(row: dict[str, Any], among: WordList) -> ExampleSide:
    answer, said = row["answer"], row["said"]
    if not said:
        return ExampleSide(FACT, row["query"], "", f"not asked: {row['asked']}", main=False)
    verdict = "right" if row["right"] else "wrong"
    return ExampleSide(
        label=FACT,
        text=row["query"],
        answer=said,
        verdict=verdict if row["listed"] else "wrong: its answer is not among the words",
        right=row["right"] if row["listed"] else None,
        wanted=answer,
        tie=row["tie"],
        question=FillBlank(row["query"], (answer,) if row["listed"] else (), TOP, among=among),
    )


def _negated(row: dict[str, Any], among: WordList) -> ExampleSide:
    answer, said = row["answer"], row["said_negated"]
    if not said:
        return ExampleSide(NEGATED, row["negated"], "", f"not asked: {row['asked']}", main=False)
    verdict = "another answer"
    if row["agrees"] or row["right_negated"]:
        verdict = "same answer" if row["agrees"] else "the negated answer"
    return ExampleSide(
        label=NEGATED,
        text=row["negated"],
        answer=said,
        verdict=verdict,
        right=verdict == "another answer",
        unwanted=answer,
        tie=row["tie"],
        question=FillBlank(row["negated"], (answer,) if row["listed"] else (), TOP, among=among),
    )
