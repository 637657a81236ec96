"""Examples: one pair with its verbs, after positive contexts, negated contexts and misprimes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from naysay.core.examples import TOP, Example, ExampleSide, plain_rows
from naysay.core.keys import seeded_order
from naysay.core.probes import ChooseWord, FillBlank
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.suites._templates.suite import MISPRIMED, NONE, PAPER, REFERENT, SEED, wanted

POSITIVE = "positive"
_OF_EACH = 2  # so many templates of each polarity are asked once more

_Row = dict[str, Any]


def pairs_with_verbs(verdicts: Table, readout: str, rule: str, fit: Fit) -> Iterator[Example]:
    """The judged rows by pair, rank and number of verbs; the seed sentence stands before each."""
    seeds: dict[tuple[str, int], _Row] = {}
    found: dict[tuple[str, int, int], list[_Row]] = {}
    for row in plain_rows(verdicts):
        if row["polarity"] == SEED:
            seeds[row["unit"], row["rank"]] = row
        else:
            found.setdefault((row["unit"], row["rank"], row["acts"]), []).append(row)
    listed = fit.used if readout == "likelihood" else None
    for (unit, rank, acts), rows in found.items():
        key = f"{unit}/rank {rank}/{acts}"
        verbs = rows[0]["verbs"].replace(" ", ", ")
        first = rows[0]
        asked = [_side(row, rule, listed) for row in _polarities_together(rows)]
        main = _main(rows, key)
        yield Example(
            key=key,
            unit=unit,
            title=" · ".join([first["name"], first["profession"], verbs, f"rank {rank}"]),
            sides=(
                *(_seed_side(seeds[at], listed) for at in [(unit, rank)] if at in seeds),
                *(side if side.label in main else replace(side, main=False) for side in asked),
            ),
            facet=f"{acts} {rank}",
        )


def _polarities_together(rows: Sequence[_Row]) -> list[_Row]:
    """First the positive contexts, then the negated ones, each in the order of the templates."""
    return sorted(rows, key=lambda row: (row["experiment"], row["polarity"] != POSITIVE))


def _main(rows: Sequence[_Row], key: str) -> set[str]:
    """The templates to be asked once more: some of each polarity, and a misprime.

    A template without marking comes first; others draw their place by their marking, so that both
    polarities have the same where they can.
    """
    chosen: set[str] = set()
    for polarity in dict.fromkeys(row["polarity"] for row in rows):
        by_marking: dict[str, str] = {}
        for row in rows:
            if row["experiment"] == 1 and row["polarity"] == polarity:
                by_marking.setdefault(row["marking"], _label(row))
        order = [marking for marking in by_marking if marking == NONE]
        order += seeded_order((marking for marking in by_marking if marking != NONE), key)
        chosen.update(by_marking[marking] for marking in order[:_OF_EACH])
    misprimes = [_label(row) for row in rows if row["experiment"] == MISPRIMED]
    chosen.update(seeded_order(misprimes, key)[:1])
    return chosen


def _label(row: _Row) -> str:
    """What is varied in the template, in words."""
    of = {MISPRIMED: f"misprime: {row['extra']}", REFERENT: str(row["extra"])}
    parts = [of.get(row["experiment"], str(row["polarity"]))]
    if row["marking"] != NONE:
        parts.append(row["marking"])
    if row["style"] != PAPER:
        parts.append(row["style"])
    return ", ".join(parts)


def _seed_side(row: _Row, listed: Sequence[str] | None) -> ExampleSide:
    return ExampleSide(
        SEED,
        row["text"],
        row["answer"],
        f"at rank {row['rank']}: {row['verb']}",
        main=False,
        question=FillBlank(row["text"], (row["verb"],), TOP) if listed is None else None,
    )


def _side(row: _Row, rule: str, listed: Sequence[str] | None) -> ExampleSide:
    verbs, label = tuple(row["verbs"].split(" ")), _label(row)
    if not row["usable"]:
        return ExampleSide(
            label, "", "", "not asked: the guess at its rank is not a word", main=False
        )
    repeats = row[rule]
    direction = wanted(row["experiment"], row["polarity"])
    question: FillBlank | ChooseWord
    if listed is None:
        question = FillBlank(row["text"], verbs, TOP)
    else:
        question = ChooseWord(row["text"], tuple(dict.fromkeys((*verbs, *listed))), verbs)
    named = ", ".join(verbs)
    return ExampleSide(
        label=label,
        text=row["text"],
        answer=row["answer"],
        verdict="repeats" if repeats else "does not repeat",
        right=None if direction is None else repeats == (direction == "high"),
        wanted=named if direction == "high" else None,
        unwanted=named if direction == "low" else None,
        tie=row["tie"],
        question=question,
    )
