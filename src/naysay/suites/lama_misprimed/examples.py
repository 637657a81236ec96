"""A fact to look at: without a prime, and after each prime that was used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from naysay.core.examples import TOP, Example, ExampleSide, plain_rows
from naysay.core.probes import FillBlank, WordList
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.suites.lama.rows import ASKED, word_list
from naysay.suites.lama_misprimed.primes import FAR

NO_PRIME = "no prime"


def primed_facts(verdicts: Table, fit: Fit) -> Iterator[Example]:
    """The judged rows by fact; one that was not answered right has no primes and is spare."""
    among = word_list(fit.used)
    found: dict[str, list[dict[str, Any]]] = {}
    for row in plain_rows(verdicts):
        found.setdefault(row["unit"], []).append(row)
    for unit, rows in found.items():
        first = rows[0]
        yield Example(
            key=unit,
            unit=unit,
            title=" · ".join([first["relation"], first["answer"]]),
            sides=tuple(_side(row, among) for row in rows if row["text"]),
            facet=first["relation"],
            spare=len(rows) == 1,
        )


def _label(row: dict[str, Any]) -> str:
    """The kind of prime; the farthest C is the paper's D."""
    if not row["prime"]:
        return NO_PRIME
    if row["distance"] in (0, FAR):
        return "D" if row["distance"] == FAR else str(row["prime_class"])
    return f"{row['prime_class']} at {row['distance']}"


def _side(row: dict[str, Any], among: WordList) -> ExampleSide:
    label, answer, prime = _label(row), row["answer"], row["prime"]
    if row["asked"] != ASKED:
        return ExampleSide(label, row["text"], "", f"not asked: {row['asked']}", main=False)
    verdict = "right" if row["right"] else "says the prime" if row["says_prime"] else "wrong"
    return ExampleSide(
        label=label,
        text=row["text"],
        answer=row["said"],
        verdict=verdict,
        right=row["right"],
        wanted=answer,
        unwanted=prime or None,
        tie=row["tie"],
        main=row["distance"] in (0, FAR),
        question=FillBlank(row["text"], (answer,), TOP, among=among),
        also=(prime,) if prime else (),
    )
