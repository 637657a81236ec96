"""A triplet to look at: one name, profession and verb in all five conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from naysay.examples.item import TOP, Item, Side, plain_rows
from naysay.patterns.lexicon import Lexicon
from naysay.probes import ChooseWord, FillBlank
from naysay.protocols import Table
from naysay.records import Fit
from naysay.spec import RunSpec
from naysay.suites.scnt.conditions import CONTRADICTIONS, SELECTION, TESTS

PRONOUN = "pronoun"
_SAME_PERSON = (PRONOUN, "name")
"""The subjects of a target that can contradict the context; of others it says nothing."""
_ORDER = (SELECTION, *TESTS)


def triplets(
    verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
) -> Iterator[Item]:
    """The judged rows as triplets; one that was not selected has CpTp only and is spare.

    By likelihood, nothing can be asked again without the lexicon that has the candidates.
    """
    candidates: tuple[str, ...] = ()
    if lexicon is not None and spec.readout == "likelihood":
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
        yield Item(
            key="/".join([unit, *about[2:]]),
            unit=unit,
            title=" · ".join(about),
            sides=tuple(
                _side(rows[condition], spec.readout, candidates)
                for condition in _ORDER
                if condition in rows
            ),
            facet=subject,
            spare=len(rows) == 1,
        )


def _side(row: dict[str, Any], readout: str, candidates: tuple[str, ...]) -> Side:
    form, condition, repeats = row["form"], row["condition"], row["repeats"]
    against = condition in CONTRADICTIONS and row["subject"] in _SAME_PERSON
    if condition == SELECTION:
        verdict, right = "repeats" if repeats else "does not repeat", True if repeats else None
    else:
        verdict, right = "repeats" if repeats else "gives up", repeats != against
    question: FillBlank | ChooseWord | None = None
    if readout == "top1":
        question = FillBlank(row["text"], (form,), TOP, said=(row["verb"],))
    elif candidates:
        question = ChooseWord(row["text"], candidates, (form,), (row["verb"],))
    return Side(
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
