"""The facts' outcomes: what is lost after each kind of misprime, and what is right without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from naysay.core.measures import Outcome
from naysay.core.protocols import Table
from naysay.core.records import Estimate, Finding, Fit
from naysay.core.spec import RunSpec
from naysay.stats.shares import Mask
from naysay.suites.lama.analysis import (
    ALL,
    HALF,
    FactOutcomes,
    JudgedFacts,
    conclude,
    faults,
    source_notes,
)
from naysay.suites.lama.certainty import Column, NestedFigures
from naysay.suites.lama.rows import ASKED
from naysay.suites.lama_misprimed.primes import CLASSES, DISTANCES, FAR
from naysay.suites.lama_misprimed.suite import UNPRIMED

TITLES = {
    "misprimed": "Precision lost after a misprime, of what is right without (Table 3)",
    "says_prime": "How often the answer is the misprime itself",
    "distance": "Precision lost after prime C, with so many neutral sentences between",
    "unprimed": "Right answers without a prime: what is asked further",
    "relations": "Precision lost in each relation",
    "faults": "What was read, left out or found wrong in the data",
}
KINDS = {**{name: (name, 0) for name in CLASSES}, "D": ("C", FAR)}
"""The paper's four: the last is C at a distance."""


def measure(suite: str, table: Table, spec: RunSpec, fit: Fit) -> Finding:
    """All tables and the verdict."""
    facts = JudgedFacts(table)
    conditions = facts.conditions()
    asked = facts.asked == ASKED
    kinds = np.array(facts.words("prime_class"), dtype=object)
    distance = facts.column("distance").values.astype(int)
    right = facts.true("right")

    def figures(values: Mask, chosen: Mask) -> NestedFigures:
        column = {"value": Column(values.astype(float))}
        return NestedFigures(suite, column, facts.relations, chosen, fit.about["sizes"], spec.seed)

    lost = {
        name: figures(~right, asked & (kinds == kind) & (distance == far))
        for name, (kind, far) in KINDS.items()
        if (asked & (kinds == kind) & (distance == far)).any()
    }
    says = {
        name: figures(facts.true("says_prime"), asked & (kinds == kind) & (distance == far))
        for name, (kind, far) in KINDS.items()
        if name in lost
    }
    plain = figures(right, asked & (kinds == UNPRIMED)) if (kinds == UNPRIMED).any() else None
    far_ones = {
        far: figures(~right, chosen)
        for far in DISTANCES
        if (chosen := asked & (kinds == "C") & (distance == far)).any()
    }
    estimates: list[Estimate] = [
        *_by_condition("misprimed", "drop", lost, conditions),
        *_by_condition("says_prime", "says the prime", says, {ALL: conditions[ALL]}),
        *(
            one.estimate("distance", f"{far} sentences", "drop", "value", conditions[ALL])
            for far, one in far_ones.items()
        ),
        *(_unprimed(plain, conditions) if plain else []),
        *_by_condition("relations", "drop", lost, {name: [name] for name in conditions[ALL]}),
        *faults(suite, fit),
    ]
    return conclude(suite, estimates, TITLES, _decide, _notes(facts, fit, spec), fit)


def _by_condition(
    table: str,
    metric: str,
    figures: Mapping[str, NestedFigures],
    conditions: Mapping[str, Sequence[str]],
) -> list[Estimate]:
    return [
        one.estimate(table, condition, f"{metric} {name}", "value", relations)
        for condition, relations in conditions.items()
        for name, one in figures.items()
    ]


def _unprimed(plain: NestedFigures, conditions: Mapping[str, Sequence[str]]) -> list[Estimate]:
    return [
        plain.estimate("unprimed", condition, "P@1", "value", relations)
        for condition, relations in conditions.items()
    ]


def _decide(estimates: Sequence[Estimate]) -> tuple[str, str]:
    found = {e.metric: e for e in estimates if (e.table, e.condition) == ("misprimed", ALL)}
    drop = found.get("drop C")
    if drop is None or drop.value is None or drop.low is None or drop.high is None:
        return "not measured", "was not measured: it answers too few questions right."
    told = (
        f"after its own best wrong answer as a prime it loses {drop.value:.1f} % of its right "
        f"answers ({drop.low:.1f} to {drop.high:.1f})."
    )
    if drop.high < HALF:
        return "passes", f"passes: {told}"
    if drop.low >= HALF:
        return "fails", f"fails: {told}"
    return "undecided", f"is undecided: {told}"


def _notes(facts: JudgedFacts, fit: Fit, spec: RunSpec) -> tuple[str, ...]:
    kinds = np.array(facts.words("prime_class"), dtype=object)
    unprimed = kinds == UNPRIMED
    right = int((facts.true("right") & unprimed).sum())
    made = "made for this model" if spec.primes == "own" else "as released for BERT-large"
    told = source_notes(fit, int(unprimed.sum()))
    told.append(f"{right:,} facts are answered right without a prime; the primes are {made}.")
    reasons = Counter(
        (reason, "without a prime" if plain else "with a prime")
        for reason, plain in zip(facts.asked.tolist(), unprimed.tolist(), strict=True)
        if reason != ASKED
    )
    told += [
        f"{count:,} questions {when} were not asked: {why}."
        for (why, when), count in reasons.items()
    ]
    ties = int(facts.true("tie").sum())
    told.append(f"{ties:,} of {len(facts):,} answers are ties within rounding.")
    return tuple(told)


def outcomes(suite: str, verdicts: Table) -> Iterator[Outcome]:
    """Two questions are the same if the fact, the prime and the distance are."""
    made = FactOutcomes(suite, verdicts)
    facts, said = made.facts, made.words("said")
    asked = facts.asked == ASKED
    kinds = np.array(facts.words("prime_class"), dtype=object)
    distance = facts.column("distance").values.astype(int)
    right = facts.column("right").values
    for name, (kind, far) in KINDS.items():
        yield from made.of(
            "misprimed", f"drop {name}", TITLES["misprimed"], 1.0 - right,
            asked & (kinds == kind) & (distance == far), "low",
            keys=("unit", "prime", "distance"), sentence="text", answers=said,
        )  # fmt: skip
    yield from made.of(
        "unprimed", "P@1", TITLES["unprimed"], right, asked & (kinds == UNPRIMED), "high",
        keys=("unit",), sentence="text", answers=said,
    )  # fmt: skip
