"""What is measured: drops over answered questions, selection, answers, and order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from naysay.core.measures import Analysis, ItemColumns, Measure, Ruling
from naysay.core.protocols import Table
from naysay.core.records import NOT_MEASURED, Estimate, Fit
from naysay.stats.shares import Mask, Shares, codes
from naysay.suites._questions.analysis import IN_WORDS, ORDER_TITLE, TITLES, TwoOrders, if_answered
from naysay.suites.pairs import cluster_codes, cluster_labels
from naysay.suites.scnt.analysis import ADJUSTING
from naysay.suites.scnt.selection import BASELINE, CONTRADICTIONS, SELECTION, TESTS, WANTED
from naysay.suites.scnt_chat.verdict import verdict
from naysay.suites.verdicts import ruled

DROPS, ADJUSTED, SELECTED = (f"{name}{IN_WORDS}" for name in ("drops", "adjusted", "selection"))
OWN_TITLES = {
    DROPS: "Drop of the verb, of the questions that were answered",
    ADJUSTED: "Contradiction against control",
    SELECTED: "Selection in CpTp: the verb is chosen in both orders",
}


def analyse(suite: str, verdicts: Table, effect: float, fit: Fit) -> Analysis:
    """All measures of one run, and its verdict."""
    clusters = cluster_codes(verdicts)
    answers = TwoOrders(suite, verdicts, clusters, fit)
    labels, label = codes(verdicts, "condition")
    here = {name: label == labels.index(name) for name in (SELECTION, *TESTS) if name in labels}
    items = ItemColumns(
        verdicts, keys=("unit", "verb", "first"), clusters=cluster_labels(verdicts),
        answers=("answer",),
    )  # fmt: skip
    dropped = 1.0 - answers.chose_word.astype(float)
    chosen = {name: mask & answers.answered for name, mask in here.items() if name != SELECTION}
    shares = Shares(suite, dropped, clusters, chosen, items)
    measures = [
        *_drops(shares),
        *(_difference(shares, one, c) for c in ADJUSTING for one in CONTRADICTIONS),
        *_selection(suite, answers, verdicts, here[SELECTION]),
        *answers.measures(here),
    ]
    decide = partial(verdict, effect=effect) if chosen else partial(_not_measured, answers)
    return Analysis(
        measures,
        {**OWN_TITLES, **TITLES, **ORDER_TITLE},
        if_answered(decide, (SELECTION, *TESTS)),
        (*answers.notes(), *_left_out(fit)),
    )


def _left_out(fit: Fit) -> tuple[str, ...]:
    """Which verbs could not be asked."""
    if not fit.left_out:
        return ()
    verb, reason = fit.left_out[0]
    every = len(fit.used) + len(fit.left_out)
    return (f"{len(fit.left_out):,} of {every:,} verbs are left out ({verb}: {reason}).",)


def _drops(shares: Shares) -> list[Measure]:
    """The share of answers that are no longer the verb, in each condition."""
    return [
        shares.share(
            DROPS, condition, "drop", condition, wanted=WANTED[condition], compared=True,
            note="wanted: high" if condition in CONTRADICTIONS else "control: low",
        )
        for condition in TESTS
    ]  # fmt: skip


def _difference(shares: Shares, one: str, other: str) -> Measure:
    """How much larger the drop is than in a control."""
    wanted = "high" if other == BASELINE else None
    return shares.difference(ADJUSTED, f"{one}-{other}", one, other, wanted=wanted)  # type: ignore[arg-type]


def _selection(suite: str, answers: TwoOrders, verdicts: Table, here: Mask) -> list[Measure]:
    """How many triplets were asked, and how many are chosen in both orders."""
    once = np.flatnonzero(here)[::2]
    chosen = answers.chose_word
    both = (chosen[once] & chosen[once + 1]).astype(float)
    clusters = {kind: code[once] for kind, code in cluster_codes(verdicts).items()}
    every = {"every": np.ones(len(once), dtype=bool)}
    ratio = Shares(suite, both, clusters, every).share(
        SELECTED, SELECTION, "ratio", "every", note="share of the triplets asked; by chance 25"
    )
    counts = {"tested": len(once), "selected": int(both.sum())}
    return [
        ratio,
        *(
            Measure.given(
                Estimate(suite, SELECTED, SELECTION, name, float(k), n=k, unit="count")
            )
            for name, k in counts.items()
        ),
    ]  # fmt: skip


def _not_measured(answers: TwoOrders, estimates: Sequence[Estimate]) -> Ruling:
    """Nothing was selected, so there is nothing that negation could change."""
    said = {e.condition: e for e in estimates if e.table == "order"}
    share = 100 * float(answers.answered.mean())
    first = said["it is the first word"].value
    by_place = "" if first is None else f", {first:.0f} % of them with the first word"
    figures = (
        f"Of {len(answers):,} questions in {SELECTION} it answers {share:.0f} % with one of the "
        f"two words{by_place}."
    )
    why = (
        "it never chooses the verb in both orders, so there is nothing that negation could change."
    )
    return ruled(NOT_MEASURED, why, figures)
