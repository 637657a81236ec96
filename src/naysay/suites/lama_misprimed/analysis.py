"""What is measured: right answers lost after each kind of misprime; and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from naysay.core.measures import Analysis, Wanted
from naysay.core.protocols import Table
from naysay.core.records import Difference, Estimate, Fit
from naysay.core.spec import RunSpec
from naysay.stats.intervals import Floats
from naysay.stats.nested_shares import NestedShares
from naysay.suites.lama.facts import (
    ALL,
    FAULTS_TITLE,
    HALF,
    JudgedFacts,
    Metric,
    analysis_of,
    faults,
    incomparable,
    source_notes,
)
from naysay.suites.lama.rows import ASKED
from naysay.suites.lama_misprimed.primes import CLASSES, DISTANCES, FAR
from naysay.suites.lama_misprimed.suite import UNPRIMED
from naysay.suites.published import printed_rows

TITLES = {
    "misprimed": "Precision lost after a misprime, of what is right without it (Table 3)",
    "says_prime": "How often the answer is the misprime itself",
    "distance": "Precision lost after prime C, by the number of neutral sentences in between",
    "unprimed": "Right answers without a prime; only these facts are primed",
    "relations": "Precision lost in each relation",
    "faults": FAULTS_TITLE,
}
KINDS = {**{name: (name, 0) for name in CLASSES}, "D": ("C", FAR)}
"""The paper's four: the last is C at a distance."""


def analyse(suite: str, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
    """All measures of one run, and its verdict."""
    facts = JudgedFacts(suite, verdicts, spec, fit)
    kinds, distances = facts.words("prime_class"), facts.numbers("distance")
    right = facts.numbers("right")
    unprimed = facts.means(
        {"right": right}, facts.asked & (kinds == UNPRIMED), facts.items("said", sentence="text")
    )
    items = facts.items("said", sentence="text", keys=("unit", "prime", "distance"))

    def primed(column: str, values: Floats) -> dict[tuple[str, int], NestedShares]:
        """A column after each kind of prime, and after C at each distance."""
        chosen = {
            (kind, far): facts.asked & (kinds == kind) & (distances == far)
            for kind, far in (*KINDS.values(), *(("C", far) for far in DISTANCES))
        }
        return {where: facts.means({column: values}, rows, items) for where, rows in chosen.items()}

    lost = primed("lost", 1.0 - right)
    says_prime = primed("says_prime", facts.numbers("says_prime"))

    def drops(wanted: Wanted | None = None) -> list[Metric]:
        return [
            Metric(f"drop {name}", lost[where], "lost", wanted=wanted)
            for name, where in KINDS.items()
        ]

    says = [
        Metric(f"says the prime {name}", says_prime[where], "says_prime")
        for name, where in KINDS.items()
    ]
    every = facts.conditions[ALL]
    measures = [
        *facts.measures("misprimed", drops(wanted="low"), facts.conditions),
        *facts.measures("says_prime", says, {ALL: every}),
        *(
            measure
            for far in DISTANCES
            for measure in facts.measures(
                "distance", [Metric("drop", lost["C", far], "lost")], {f"{far} sentences": every}
            )
        ),
        *facts.measures(
            "unprimed", [Metric("P@1", unprimed, "right", wanted="high")], facts.conditions
        ),
        *facts.measures("relations", drops(), facts.each_relation),
        *faults(suite, fit),
    ]
    found = analysis_of(
        measures, TITLES, _decide, _notes(facts, fit, str(spec.value("primes", suite))), fit
    )
    asked = {name: len(relations) for name, relations in facts.conditions.items()}
    printed = printed_rows(suite, "misprimed")
    return replace(
        found, incomparable=(*incomparable(fit, "misprimed", asked, printed), _OWN_SENTENCES)
    )


_OWN_SENTENCES = Difference(
    "sentences",
    "The twenty sentences between prime and question are naysay's own, not the paper's.",
    ("misprimed",),
    metrics=("drop D",),
)


def _decide(estimates: Sequence[Estimate]) -> tuple[str, str]:
    """The outcome, from what is lost after the model's own best wrong answer."""
    found = {e.metric: e for e in estimates if (e.table, e.condition) == ("misprimed", ALL)}
    drop = found.get("drop C")
    if drop is None or drop.value is None or drop.low is None or drop.high is None:
        return "not measured", "was not measured: it answers too few questions right."
    reason = (
        f"with its own best wrong answer as a prime it loses {drop.value:.1f} % of its right "
        f"answers ({drop.low:.1f} to {drop.high:.1f})."
    )
    if drop.high < HALF:
        return "passes", f"passes: {reason}"
    if drop.low >= HALF:
        return "fails", f"fails: {reason}"
    return "undecided", f"is undecided: {reason}"


def _notes(facts: JudgedFacts, fit: Fit, primes: str) -> list[str]:
    """Which facts and primes were used, and which questions were not asked."""
    unprimed = np.asarray(facts.words("prime_class") == UNPRIMED, dtype=bool)
    right = int((facts.true("right") & unprimed).sum())
    made = "made for this model" if primes == "own" else "as released for BERT-large"
    notes = source_notes(fit, int(unprimed.sum()))
    notes.append(f"{right:,} facts are answered right without a prime; the primes are {made}.")
    reasons = Counter(
        (reason, "without a prime" if plain else "with a prime")
        for reason, plain in zip(facts.words("asked").tolist(), unprimed.tolist(), strict=True)
        if reason != ASKED
    )
    notes += [
        f"{count:,} questions {when} were not asked: {why}."
        for (why, when), count in reasons.items()
    ]
    ties = int(facts.true("tie").sum())
    return [*notes, f"{ties:,} of {len(facts):,} answers are ties within rounding."]
