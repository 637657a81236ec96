"""What is measured: right answers lost after each kind of misprime; and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from naysay.core.measures import Analysis, Ruling, Wanted
from naysay.core.protocols import Table
from naysay.core.records import (
    FAILS,
    NO_EFFECT,
    NOT_MEASURED,
    PASSES,
    UNDECIDED,
    Difference,
    Estimate,
    Fit,
)
from naysay.core.spec import RunSpec
from naysay.stats.clusters import Floats
from naysay.stats.nested_shares import NestedShares
from naysay.suites.lama.facts import (
    ALL,
    FAULTS_TITLE,
    HALF,
    JudgedFacts,
    Metric,
    Words,
    analysis_of,
    faults,
    fewer_facts,
    incomparable,
    source_notes,
)
from naysay.suites.lama.rows import ASKED
from naysay.suites.lama_misprimed.primes import CLASSES, DISTANCES, FAR, OURS, PAPERS
from naysay.suites.lama_misprimed.suite import OWN, RELEASED, UNPRIMED
from naysay.suites.published import printed_rows
from naysay.suites.verdicts import below, clear, nil, ruled, shown

TITLES = {
    "misprimed": "Precision lost after a misprime, of what is right without it (Table 3)",
    "meaning": "How many more are lost after C than after any word, on the same facts",
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
    meaning = Metric("drop C - drop A", _more_than_any(facts, kinds, distances), "more", "points")
    measures = [
        *facts.measures("misprimed", drops(wanted="low"), facts.conditions),
        *facts.measures("meaning", [meaning], {ALL: every}),
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
    effect = float(spec.value("smallest_effect", suite))
    primes = str(spec.value("primes", suite))
    notes = _notes(facts, fit, primes)
    found = analysis_of(measures, TITLES, lambda every: verdict(every, effect, primes), notes, fit)
    asked = {name: len(relations) for name, relations in facts.conditions.items()}
    printed = printed_rows(suite, "misprimed")
    different = list(incomparable(fit, "misprimed", asked, printed))
    if _sentences(fit) != PAPERS:
        different.append(_OTHER_SENTENCES)
    # With primes of its own, a run is about whatever facts its model answers right.
    fewer = fewer_facts(fit, "misprimed", facts.conditions, printed) if primes == RELEASED else ()
    return replace(found, incomparable=tuple(different), differences=fewer)


def _sentences(fit: Fit) -> str:
    """Whose sentences the run had; before there was a choice, they were naysay's."""
    return str(fit.about.get("sentences", OURS))


_OTHER_SENTENCES = Difference(
    "sentences",
    "The twenty sentences between prime and question are naysay's own, not the paper's.",
    ("misprimed",),
    metrics=("drop D",),
)


def _more_than_any(facts: JudgedFacts, kinds: Words, distances: Floats) -> NestedShares:
    """What is lost after C, less what any word costs the same fact."""
    units = np.unique(facts.words("unit").astype(str), return_inverse=True)[1]
    lost = 1.0 - facts.numbers("right")
    after = {
        name: facts.asked & (kinds == kind) & (distances == far)
        for name, (kind, far) in KINDS.items()
    }
    any_word = np.full(int(units.max(initial=-1)) + 1, np.nan)
    any_word[units[after["A"]]] = lost[after["A"]]
    more = lost - any_word[units]
    return facts.means({"more": np.nan_to_num(more)}, after["C"] & ~np.isnan(more))


_BEST_WRONG = {OWN: "its own best wrong answer", RELEASED: "BERT-large's best wrong answer"}
"""What C is, by whom the primes were made for."""


def verdict(estimates: Sequence[Estimate], effect: float, primes: str = OWN) -> Ruling:
    """By what is lost after the best wrong answer, the model's or BERT-large's, and any word."""
    found = {e.metric: e for e in estimates if (e.table, e.condition) == ("misprimed", ALL)}
    own, anything = found.get("drop C"), found.get("drop A")
    if own is None or own.value is None or own.low is None:
        return ruled(NOT_MEASURED, "it answers too few questions right.", "")
    figures = f"Right answers lost: {shown(own)} % after {_BEST_WRONG[primes]} (C)"
    if anything is not None and anything.value is not None:
        figures += f", {shown(anything)} % after any word (A)"
    figures += f" (wanted: below {HALF:.0f} % after C, and not as many after any word)."
    robust = below(own, HALF)
    if robust.holds is False:
        return ruled(FAILS, "a wrong word before the question misleads it in most cases.", figures)
    more = [e for e in estimates if (e.table, e.condition) == ("meaning", ALL)]
    disturbed = anything is not None and (anything.value or 0) > effect and (anything.low or 0) > 0
    if disturbed and more and nil(more[0], effect):
        why = "what the word means makes no difference: any word before the question disturbs it."
        return ruled(NO_EFFECT, why, figures)
    if not robust.holds:
        why = "these facts leave open whether a wrong word before the question misleads it."
        return ruled(UNDECIDED, why, figures, (robust,))
    if disturbed and more and not clear(more[0], effect).holds:
        why = "it loses as many right answers after any word; whether meaning matters is open."
        return ruled(UNDECIDED, why, figures, (clear(more[0], effect),))
    return ruled(PASSES, "a wrong word before the question seldom misleads it.", figures)


def _notes(facts: JudgedFacts, fit: Fit, primes: str) -> list[str]:
    """Which facts and primes were used, and which questions were not asked."""
    unprimed = np.asarray(facts.words("prime_class") == UNPRIMED, dtype=bool)
    right = int((facts.true("right") & unprimed).sum())
    notes = source_notes(fit, int(unprimed.sum()))
    if primes == RELEASED:
        notes.append("The facts are the released rows, and the primes those made for BERT-large.")
    else:
        notes.append("The primes are made for this model.")
    notes.append(f"{right:,} facts are answered right without a prime; only these are primed.")
    whose = "the paper's" if _sentences(fit) == PAPERS else "naysay's own"
    notes.append(f"The sentences between prime and question are {whose}.")
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
