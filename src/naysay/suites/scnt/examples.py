"""A triplet to look at: one name, profession and verb in all five conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from naysay.core.examples import TOP, Example, ExampleSide, plain_rows
from naysay.core.probes import ChooseWord, FillBlank
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.data.lexicon import Lexicon
from naysay.suites.scnt.selection import CONTRADICTIONS, SELECTION, TESTS

PRONOUN = "pronoun"
_SAME_PERSON = (PRONOUN, "name")
"""The subjects of a target that can contradict the context; of others it says nothing."""
_ORDER = (SELECTION, *TESTS)


def triplets(
    verdicts: Table, readout: str, fit: Fit, lexicon: Lexicon | None = None
) -> Iterator[Example]:
    """The judged rows as triplets; one that was not selected has CpTp only and is spare.

    By likelihood, nothing can be asked again without the lexicon that has the candidates.
    """
    candidates: tuple[str, ...] = ()
    if lexicon is not None and readout == "likelihood":
        forms = dict.fromkeys(lexicon.form(verb) for verb in fit.used)
        candidates = tuple(form for form in forms if form is not None)
    found: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    for row in plain_rows(verdicts):
        triplet = row["unit"], row["subject"], row["verb"]
        found.setdefault(triplet, {})[row["condition"]] = row
    for (unit, subject, verb), rows in found.items():
        first = rows[SELECTION]
        about = [first["name"], first["profession"], verb]
        if subject != PRONOUN:
            about.append(subject)
        yield Example(
            key="/".join([unit, *about[2:]]),
            unit=unit,
            title=" · ".join(about),
            sides=tuple(
                _side(rows[condition], readout, candidates)
                for condition in _ORDER
                if condition in rows
            ),
            facet=subject,
            spare=len(rows) == 1,
        )


def _side(row: dict[str, Any], readout: str, candidates: tuple[str, ...]) -> ExampleSide:
    form, condition, repeats = row["form"], row["condition"], row["repeats"]
    against = condition in CONTRADICTIONS and row["subject"] in _SAME_PERSON
    if condition == SELECTION:
        verdict, right = "repeats" if repeats else "does not repeat", True if repeats else None
    else:
        verdict, right = "repeats" if repeats else "stops repeating", repeats != against
    question: FillBlank | ChooseWord | None = None
    if readout == "top1":
        question = FillBlank(row["text"], (form,), TOP, said=(row["verb"],))
    elif candidates:
        question = ChooseWord(row["text"], candidates, (form,), (row["verb"],))
    return ExampleSide(
        label=condition,
        text=row["text"],
        answer=row["answer"],
        verdict=verdict,
        right=right,
        wanted=None if against else form,
        unwanted=form if against else None,
        tie=row["tie"],
        question=question,
    )
