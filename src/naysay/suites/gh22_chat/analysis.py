"""What is measured: how often the context's verb is chosen, by what the templates vary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from naysay.core.measures import Analysis, ItemColumns, Measure, Ruling, Wanted
from naysay.core.protocols import Table
from naysay.core.records import Estimate, Fit
from naysay.stats.shares import Mask, Shares
from naysay.suites._questions.analysis import IN_WORDS, ORDER_TITLE, TITLES, TwoOrders, if_answered
from naysay.suites._templates.analysis import Rows, verdict
from naysay.suites._templates.suite import MISPRIMED, REFERENT, WANTED
from naysay.suites.gh22.analysis import GENDERS, MARKINGS, MISPRIMES, named
from naysay.suites.pairs import cluster_codes, cluster_labels

POLARITY, DELTA, MARKING, ACTS, GENDER, MISPRIME, PERSON = (
    f"{name}{IN_WORDS}"
    for name in ("polarity", "delta", "marking", "acts", "gender", "misprime", "referent")
)
OWN_TITLES = {
    POLARITY: "The context's verb is chosen, experiment 1",
    DELTA: "Positive minus negated",
    MARKING: "By marking",
    ACTS: "By number of verbs",
    GENDER: "By gender",
    MISPRIME: "Experiment 2: misprimes",
    PERSON: "Experiment 3: Cleopatra, where the verb is allowed",
}
NEGATED, POSITIVE = "negated", "positive"
ALL = "all"


def analyse(suite: str, verdicts: Table, effect: float, fit: Fit) -> Analysis:
    """All measures of one run, and its verdict."""
    clusters = cluster_codes(verdicts)
    answers = TwoOrders(suite, verdicts, clusters, fit)
    chosen = _choices(Rows(verdicts))
    items = ItemColumns(
        verdicts, keys=("unit", "condition", "first"), clusters=cluster_labels(verdicts),
        answers=("answer",),
    )  # fmt: skip
    shares = Shares(
        suite, answers.chose_word.astype(float), clusters,
        {name: mask & answers.answered for name, mask in chosen.items()}, items,
    )  # fmt: skip
    decisive = (POSITIVE, NEGATED, "misprimed")
    groups = {POSITIVE: chosen[POSITIVE], NEGATED: chosen[NEGATED]}
    groups |= {"misprimed": chosen[f"misprime {ALL}"], "Cleopatra": chosen[f"referent {ALL}"]}

    def decide(estimates: Sequence[Estimate]) -> Ruling:
        found = {(e.table, e.condition): e for e in estimates}
        return verdict(
            found[POLARITY, NEGATED], found[POLARITY, POSITIVE], found[DELTA, "positive-negated"],
            effect, found[MISPRIME, ALL], found[PERSON, ALL],
        )  # fmt: skip

    return Analysis(
        [*_measures(shares), *answers.measures(groups)],
        {**OWN_TITLES, **TITLES, **ORDER_TITLE},
        if_answered(decide, decisive),
        (*answers.notes(), _VERBS),
    )


_VERBS = (
    "The verbs are drawn from the list by the seed: a chat does not tell the model's own verbs, "
    "which the paper takes."
)


def _choices(rows: Rows) -> dict[str, Mask]:
    """The choices of rows, by name."""
    found: dict[str, Mask] = {}
    for polarity in WANTED:
        found[polarity] = rows.where(experiment=1, polarity=polarity)
        for marking in MARKINGS[polarity]:
            found[f"{polarity} {marking}"] = found[polarity] & rows.where(marking=marking)
        for acts in (1, 2, 3):
            found[f"{polarity} {acts} ACT"] = found[polarity] & rows.where(acts=acts)
        for gender in GENDERS:
            found[f"{polarity} {gender}"] = found[polarity] & rows.where(gender=gender)
    for extra, marking in MISPRIMES:
        found[f"misprime {named(extra, marking)}"] = rows.where(
            experiment=MISPRIMED, extra=extra, marking=marking
        )
    found[f"misprime {ALL}"] = rows.where(experiment=MISPRIMED)
    for marking in MARKINGS[NEGATED]:
        found[f"referent {marking}"] = rows.where(experiment=REFERENT, marking=marking)
    found[f"referent {ALL}"] = rows.where(experiment=REFERENT)
    return found


def _measures(shares: Shares) -> Iterator[Measure]:
    for polarity, direction in WANTED.items():
        yield _chosen(shares, POLARITY, polarity, polarity, direction)
    yield shares.difference(DELTA, "positive-negated", POSITIVE, NEGATED)
    for acts in (1, 2, 3):
        part = f"{acts} ACT"
        label = f"{part}: positive-negated"
        yield shares.difference(DELTA, label, f"{POSITIVE} {part}", f"{NEGATED} {part}")
    for polarity in WANTED:
        for marking in MARKINGS[polarity]:
            yield _chosen(shares, MARKING, f"{polarity} {marking}")
    for polarity in WANTED:
        for acts in (1, 2, 3):
            yield _chosen(shares, ACTS, f"{polarity} {acts} ACT")
    for polarity in WANTED:
        for gender in GENDERS:
            yield _chosen(shares, GENDER, f"{polarity} {gender}")
    for name in (*(named(*misprime) for misprime in MISPRIMES), ALL):
        yield _chosen(shares, MISPRIME, name, f"misprime {name}", "low")
    for name in (*MARKINGS[NEGATED], ALL):
        yield _chosen(shares, PERSON, name, f"referent {name}")


def _chosen(
    shares: Shares, table: str, condition: str, choice: str | None = None,
    direction: Wanted | None = None,
) -> Measure:  # fmt: skip
    """How often the context's verb is chosen; two runs are compared where a direction is wanted."""
    return shares.share(
        table, condition, "repetition", choice or condition, wanted=direction,
        note=f"wanted: {direction}" if direction else None, compared=direction is not None,
    )  # fmt: skip
