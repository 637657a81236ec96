"""What is measured: agreement with the negation, ρ, right answers; and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from naysay.core.measures import Analysis, Measure, Wanted
from naysay.core.protocols import Table
from naysay.core.records import Difference, Fit
from naysay.core.spec import RunSpec
from naysay.stats.nested_shares import NestedShares
from naysay.suites.lama import certainty
from naysay.suites.lama.facts import (
    FAULTS_TITLE,
    JudgedFacts,
    Metric,
    analysis_of,
    faults,
    fewer_facts,
    incomparable,
    source_notes,
)
from naysay.suites.lama.rows import ASKED, BLANK_INSIDE, NO_WORD, NOT_NEGATED
from naysay.suites.lama.verdict import ABOVE_CONTROL, KEPT, LOST, verdict
from naysay.suites.published import printed_rows

TITLES = {
    "negated": "A fact and its negation, each relation counted once (macro; Table 2): ρ times 100",
    "micro": "The same, relations counted by their facts (micro)",
    "control": "Control: a fact answered right, and another of its relation with another answer",
    "precision": "Right answers, and how often they are given although the fact is negated",
    **certainty.TITLES,
    "relations": "Each relation",
    "faults": FAULTS_TITLE,
}


def analyse(suite: str, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
    """All measures of one run, and its verdict."""
    facts = JudgedFacts(suite, verdicts, spec, fit)
    conditions = facts.conditions
    # With one relation, macro and micro means are the same.
    several = {name: relations for name, relations in conditions.items() if len(relations) > 1}
    negated = facts.means(
        {"rho": facts.numbers("rho"), "agrees": facts.numbers("agrees")},
        facts.asked & facts.true("ranked"),
        facts.items("said", "said_negated", sentence="negated"),
    )
    # The control of footnote 2 is about queries that are answered right.
    controlled = facts.true("ranked_other") & facts.true("right")
    control = facts.means(
        {"rho": facts.numbers("rho_other"), "agrees": facts.numbers("agrees_other")}, controlled
    )
    above_control = facts.means(
        {"rho": facts.numbers("rho") - facts.numbers("rho_other")},
        facts.asked & facts.true("ranked") & controlled,
    )
    measures = [
        *facts.measures("negated", _likeness(negated, wanted="low"), conditions),
        *facts.measures("micro", _likeness(negated), several, by_size=True),
        *facts.measures("control", _likeness(control), conditions),
        *facts.measures(
            "control", [Metric(ABOVE_CONTROL, above_control, "rho", unit="points")], conditions
        ),
        *_precision(facts),
        *certainty.measures(facts),
        *facts.measures("relations", _likeness(negated), facts.each_relation),
        *faults(suite, fit),
    ]
    effect = float(spec.value("smallest_effect", suite))
    printed = printed_rows(suite, "negated")
    compared = {
        name: sum(negated.has([relation]) for relation in relations)
        for name, relations in conditions.items()
    }
    return replace(
        analysis_of(
            measures, TITLES, lambda found: verdict(found, effect), _notes(facts, fit), fit
        ),
        differences=(
            *fewer_facts(fit, "negated", conditions, printed),
            *_not_negated(facts, [str(row["condition"]) for row in printed]),
        ),
        incomparable=incomparable(fit, "negated", compared, printed),
    )


def _not_negated(facts: JudgedFacts, printed: Sequence[str]) -> list[Difference]:
    """The conditions with facts whose negation is not released and cannot be built by rules."""
    relation, missing = facts.words("relation"), facts.words("asked") == NOT_NEGATED
    found = []
    for name in dict.fromkeys(printed):
        here = np.isin(relation, facts.conditions.get(name, []))
        if count := int((here & missing).sum()):
            text = f"{count:,} of the {int(here.sum()):,} facts of {name} have no negated question."
            found.append(Difference("negations", text, ("negated",), (name,)))
    return found


def _likeness(means: NestedShares, wanted: Wanted | None = None) -> list[Metric]:
    """How alike the answers to two questions are."""
    return [
        Metric("rho", means, "rho", unit="rho", wanted=wanted),
        Metric("top1_agreement", means, "agrees", wanted=wanted),
    ]


def _precision(facts: JudgedFacts) -> list[Measure]:
    """Right answers among the facts whose answer is one of the words."""
    # Where no word ends, the answer is wrong; other facts without an answer were not asked.
    answered = (facts.words("said") != "") | (facts.words("asked") == NO_WORD)
    listed = facts.true("listed") & answered
    asked = listed & facts.asked
    plain = facts.means(
        {"right": facts.numbers("right"), "in_top": facts.numbers("in_top")},
        listed,
        facts.items("said", sentence="query"),
    )
    column = {"right": facts.numbers("right_negated")}
    negated = facts.means(column, asked)
    lost = facts.means({"lost": facts.numbers("right") - column["right"]}, asked)
    kept = facts.means(
        column, asked & facts.true("right"), facts.items("said_negated", sentence="negated")
    )
    shown = [
        Metric("P@1", plain, "right", wanted="high"),
        Metric("P@10", plain, "in_top"),
        Metric("P@1 negated", negated, "right"),
        Metric(LOST, lost, "lost", unit="points"),
        Metric(KEPT, kept, "right", wanted="low"),
    ]
    return facts.measures("precision", shown, facts.conditions)


def _notes(facts: JudgedFacts, fit: Fit) -> list[str]:
    """Which facts were used, which were not and why, and where the negations come from."""
    notes = source_notes(fit, len(facts))
    reasons = Counter(reason for reason in facts.words("asked").tolist() if reason != ASKED)
    notes += [f"{count:,} facts were not compared: {reason}." for reason, count in reasons.items()]
    if fit.about["left_to_right"] and BLANK_INSIDE not in reasons:
        notes.append("The model reads from left to right; the blank ends all these questions.")
    if unlisted := int((~facts.true("listed")).sum()):
        notes.append(
            f"{unlisted:,} facts have an answer that is none of these words; "
            "the precision leaves them out."
        )
    if unranked := int((facts.asked & ~facts.true("ranked")).sum()):
        notes.append(f"{unranked:,} facts have no ρ, because all words are equally likely.")
    ties = int(facts.true("tie").sum())
    notes.append(f"{ties:,} facts have an answer that is a tie within rounding.")
    sources = Counter(facts.words("negation").tolist())
    counted = ", ".join(f"{count:,} {source}" for source, count in sources.items())
    return [*notes, f"Negations: {counted}."]
