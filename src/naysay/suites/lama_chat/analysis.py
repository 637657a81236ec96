"""What is measured: how often the right answer is chosen, as the fact is and negated.

A model passes if it chooses the right answer more often than by chance, the other one more often
where the fact is negated, and the two differ clearly.
"""

from __future__ import annotations

from collections.abc import Sequence

from naysay.core.measures import Analysis, ItemColumns, Measure, Ruling
from naysay.core.protocols import Table
from naysay.core.records import (
    FAILS,
    NO_EFFECT,
    NOT_MEASURED,
    PART,
    PASSES,
    UNDECIDED,
    Estimate,
    Fit,
)
from naysay.stats.shares import Mask, Shares, codes
from naysay.suites._questions.analysis import (
    HALF,
    IN_WORDS,
    ORDER_TITLE,
    TITLES,
    TwoOrders,
    if_answered,
)
from naysay.suites.lama.source import OWN_FACTS, UPSTREAM_FACTS
from naysay.suites.lama_chat.suite import CONDITIONS, FACT, NEGATED
from naysay.suites.verdicts import above, below, clear, nil, ruled, shown

CHOSEN, DELTA, CORPORA = (f"{name}{IN_WORDS}" for name in ("chosen", "delta", "corpora"))
OWN_TITLES = {
    CHOSEN: "The right answer to the fact is chosen",
    DELTA: "As the fact is, minus negated",
    CORPORA: "The right answer to the fact is chosen, by corpus",
}
LOST = f"{FACT}-{NEGATED}"


def analyse(suite: str, verdicts: Table, effect: float, fit: Fit) -> Analysis:
    """All measures of one run, and its verdict."""
    clusters = {"relations": codes(verdicts, "relation")[1]}
    answers = TwoOrders(suite, verdicts, clusters, fit)
    labels, label = codes(verdicts, "condition")
    here: dict[str, Mask] = {name: label == labels.index(name) for name in CONDITIONS}
    corpora, corpus = codes(verdicts, "corpus")
    parts = {
        f"{name} {condition}": (corpus == k) & mask
        for k, name in enumerate(corpora)
        for condition, mask in here.items()
        if len(corpora) > 1
    }
    items = ItemColumns(
        verdicts, keys=("unit", "condition", "first"), clusters={"relations": "relation"},
        answers=("answer",),
    )  # fmt: skip
    chosen = {name: mask & answers.answered for name, mask in {**here, **parts}.items()}
    shares = Shares(suite, answers.chose_word.astype(float), clusters, chosen, items)
    measures: list[Measure] = [
        shares.share(CHOSEN, FACT, "right answer", FACT, wanted="high", compared=True,
                     note="wanted: high"),
        shares.share(CHOSEN, NEGATED, "right answer", NEGATED, wanted="low", compared=True,
                     note="wanted: low; here the other one fits"),
        shares.difference(DELTA, LOST, FACT, NEGATED, wanted="high"),
        *(shares.share(CORPORA, name, "right answer", name) for name in parts),
        *answers.measures(here),
    ]  # fmt: skip
    filled = {measure.table for measure in measures}
    titles = {
        name: title
        for name, title in {**OWN_TITLES, **TITLES, **ORDER_TITLE}.items()
        if name in filled
    }
    return Analysis(
        measures,
        titles,
        if_answered(lambda found: verdict(found, effect), tuple(CONDITIONS)),
        (*answers.notes(), *_notes(verdicts, fit)),
    )


def _notes(verdicts: Table, fit: Fit) -> list[str]:
    """Which facts these are, and how many could not be asked."""
    name, units = fit.about["items"], len(codes(verdicts, "unit")[0])
    title = {
        UPSTREAM_FACTS: "LAMA",
        OWN_FACTS: "naysay's own; `naysay data get lama` downloads LAMA",
    }.get(name, name)
    notes = [f"Facts: {title} ({int(fit.about['available']):,}; {units:,} in this run)."]
    if lacking := int(fit.about["not_askable"]):
        notes.append(
            f"{lacking:,} more facts cannot be asked: they have no negated question, or no fact of "
            "their relation has a wrong answer to them."
        )
    return notes


def verdict(estimates: Sequence[Estimate], effect: float) -> Ruling:
    """The outcome, the reason in a sentence, and the figures."""
    found = {(e.table, e.condition): e for e in estimates}
    fact, negated, lost = found[CHOSEN, FACT], found[CHOSEN, NEGATED], found[DELTA, LOST]
    if fact.value is None or negated.value is None:
        return ruled(NOT_MEASURED, "no question was answered with one of the two words.")
    figures = (
        f"It chooses the right answer in {shown(fact)} % of the facts, and in {shown(negated)} % "
        f"of their negations (by chance {HALF:.0f}; wanted: above it, and below it)."
    )
    knows, seldom, sensitive = above(fact, HALF), below(negated, HALF), clear(lost, effect)
    if seldom.holds is False:
        return ruled(FAILS, "it chooses the right answer although the fact is negated.", figures)
    if nil(lost, effect):
        why = "it chooses the right answer about as often when the fact is negated."
        return ruled(NO_EFFECT, why, figures)
    if sensitive.holds is False:
        why = "it chooses the right answer hardly less often when the fact is negated."
        return ruled(FAILS, why, figures)
    if not (seldom.holds and sensitive.holds):
        why = "these facts leave open whether it takes the negation into account."
        return ruled(UNDECIDED, why, figures, (seldom, sensitive))
    if not knows.holds:
        why = "the negation changes its answers, but it knows the facts no better than by chance."
        if knows.holds is None:
            why = "the negation changes its answers; whether it knows the facts is open."
        return ruled(PART, why, figures, (knows,))
    why = "it chooses the right answer, and the other one when the fact is negated."
    return ruled(PASSES, why, figures)
