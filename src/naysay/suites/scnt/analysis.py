"""What is measured: Tables 5 and 6 with intervals, what negation adds, McNemar, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from naysay.core.errors import RunError
from naysay.core.measures import Analysis, ItemColumns, Measure
from naysay.core.protocols import Table
from naysay.core.records import NOT_MEASURED, Difference, Estimate, Fit
from naysay.stats.clusters import Clustering, Codes, Figure, Floats, spread
from naysay.stats.difference import mcnemar, p_value
from naysay.stats.intervals import share_interval
from naysay.stats.shares import Shares, codes, estimated
from naysay.suites.base import fit_note
from naysay.suites.pairs import cluster_codes, cluster_labels, pair_codes
from naysay.suites.scnt.selection import (
    BASELINE,
    CONTRADICTIONS,
    CONTROLS,
    SELECTION,
    TESTS,
    WANTED,
    Asked,
)
from naysay.suites.scnt.verdict import verdict
from naysay.suites.verdicts import ruled

TITLES = {
    "drops": "Drop of repetition",
    "adjusted": "Contradiction against control",
    "order": "Between the contradictions, and between the controls",
    "mcnemar": "Tests against CpTv",
    "selection": "Selection in CpTp",
}
ADJUSTING = (BASELINE, "CnTn")
"""The controls that contradictions are compared with, the paper's baseline first."""


def analyse(
    suite: str, verdicts: Table, asked: Asked, fit: Fit, printed: Mapping[str, str]
) -> Analysis:
    """All measures of one run; `printed` says where the paper has a table."""
    titles = {
        name: f"{title} ({printed[name]})" if name in printed else title
        for name, title in TITLES.items()
    }
    selection = Selection.of(verdicts, int(fit.about.get("sample", 0)))
    shares = drop_shares(verdicts, suite)
    table = selection_table(suite, selection, asked, fit)
    notes = notes_of(suite, verdicts, fit, asked.readout)
    measures = drops(shares, "drops", "pronoun")
    if not selection.selected:
        measures = [not_measured(measure) for measure in measures]
        nothing = ruled(NOT_MEASURED, _nothing_repeated(len(verdicts), fit), "")
        found = Analysis((*measures, *table), titles, lambda _: nothing, notes)
        return replace(found, differences=differences(fit), incomparable=incomparable(asked))
    measures += [
        *(_difference(shares, "adjusted", one, c) for c in ADJUSTING for one in CONTRADICTIONS),
        *(_difference(shares, "order", *pair) for pair in (CONTRADICTIONS[::-1], CONTROLS)),
        *(test for one in CONTRADICTIONS for test in _tests(suite, shares, one, BASELINE)),
    ]
    found = Analysis(
        (*measures, *table), titles, lambda every: verdict(every, asked.smallest_effect), notes
    )
    return replace(found, differences=differences(fit), incomparable=incomparable(asked))


def incomparable(asked: Asked) -> tuple[Difference, ...]:
    """What of the selection is not the paper's: it counts all triplets, a walk only its own."""
    if asked.exhaustive:
        return ()
    text = (
        "This run stops at the verbs that it needs; the paper counts every verb, as "
        "--exhaustive does."
    )
    return (Difference("selection", text, ("selection",), metrics=("tested", "repeating")),)


def _nothing_repeated(questions: int, fit: Fit) -> str:
    """Why nothing was measured, and what that may be due to."""
    reason = (
        f"of {questions:,} questions in {SELECTION} none was answered by repeating the verb, so "
        "there is nothing that negation could change."
    )
    every = len(fit.used) + len(fit.left_out)
    if len(fit.used) * 10 >= every:
        return reason
    return (
        f"{reason} Only {len(fit.used):,} of {every:,} verbs are one token for it: it may be a "
        "model of another language."
    )


def differences(fit: Fit) -> tuple[Difference, ...]:
    """Verbs that are one token at the blank, but not on their own."""
    bare = fit.about.get("bare", len(fit.used))
    if bare == len(fit.used):
        return ()
    text = (
        f"{len(fit.used):,} verbs are one token in their place, {bare:,} of them also without "
        "the space before it, as the paper's counts suggest (--one-piece bare)."
    )
    return (Difference("pieces", text),)


@dataclass(frozen=True)
class Selection:
    """What was asked in CpTp, by walk, and what came of it."""

    pairs: Sequence[str]
    tested: Floats
    repeated: Floats
    selected: int
    sampled: tuple[Floats, Floats] | None = None
    """The first two counts among the verbs that are asked in any case, if there are such."""

    @classmethod
    def of(cls, verdicts: Table, sample: int = 0) -> Selection:
        """The counts from the rows of one subject; pairs are always walked at least a step."""
        pairs, unit = codes(verdicts, "unit")
        labels, label = codes(verdicts, "condition")
        repeats = np.asarray(verdicts["repeats"].to_numpy(), dtype=bool)
        selecting = label == _place(labels, SELECTION)

        def counted(rows: Any) -> tuple[Floats, Floats]:
            tested, repeated = (
                np.bincount(unit[chosen], minlength=len(pairs)).astype(float)
                for chosen in (rows, rows & repeats)
            )
            return tested, repeated

        sampled = None
        if sample:
            sampled = counted(selecting & (np.asarray(verdicts["place"].to_numpy()) < sample))
        selected = int(np.count_nonzero(label == _place(labels, TESTS[0])))
        return cls(pairs, *counted(selecting), selected, sampled)


def drop_shares(verdicts: Table, suite: str) -> Shares:
    """The drops of all tested triplets, chosen by `subject condition`, as in `name CpTn`.

    Each subject must have every triplet in each of its four conditions, exactly once.
    """
    labels, label = codes(verdicts, "condition")
    order = np.flatnonzero(label != _place(labels, SELECTION)).astype(np.int32)
    # In the order of the triplets, so that the conditions of one stand in the same place.
    order = order[np.argsort(_triplets(verdicts, order), kind="stable")]
    triplet, label = _triplets(verdicts, order), label[order]
    subjects, every = codes(verdicts, "subject")
    subject = every[order]
    masks = {
        f"{who} {condition}": (subject == k) & (label == _place(labels, condition))
        for k, who in enumerate(subjects)
        for condition in TESTS
    }
    for who in subjects:
        found = [triplet[masks[f"{who} {condition}"]] for condition in TESTS]
        if any(not np.array_equal(one, found[0]) for one in found) or len(
            np.unique(found[0])
        ) < len(found[0]):
            raise RunError("the rows lack a condition for some triplet, or have one twice")
    dropped = ~np.asarray(verdicts["repeats"].to_numpy(), dtype=bool)[order]
    items = ItemColumns(
        verdicts,
        keys=("unit", "verb", "subject"),
        clusters=partial(cluster_labels, verdicts),
        answers=("answer",),
    )
    return Shares(suite, dropped, cluster_codes(verdicts, order), masks, items, order)


def _triplets(verdicts: Table, places: Codes) -> Codes:
    """The number of the pair and verb of some rows."""
    unit, verb = (codes(verdicts, column)[1][places] for column in ("unit", "verb"))
    return unit.astype(np.int64) * (int(verb.max(initial=0)) + 1) + verb


def drops(shares: Shares, table: str, subject: str, label: str = "") -> list[Measure]:
    """The share of the selected verbs that are no longer repeated in each condition."""
    return [
        shares.share(
            table, f"{label}{condition}", "drop", f"{subject} {condition}",
            wanted=WANTED[condition], compared=True,
            note="wanted: high" if condition in CONTRADICTIONS else "control: low",
        )
        for condition in TESTS
    ]  # fmt: skip


def not_measured(measure: Measure) -> Measure:
    """The measure without a figure: no verb was repeated that negation could take away."""
    blank = Estimate(measure.suite, "", "", "", None)
    return replace(measure, note=None, estimator=lambda: blank)


def _difference(shares: Shares, table: str, one: str, other: str) -> Measure:
    """How much larger the drop is in one condition than in another."""
    adjusted = one in CONTRADICTIONS and other == BASELINE
    return shares.difference(
        table, f"{one}-{other}", f"pronoun {one}", f"pronoun {other}",
        wanted="high" if adjusted else None, compared=adjusted,
    )  # fmt: skip


def _tests(suite: str, shares: Shares, one: str, other: str) -> list[Measure]:
    """Whether the verbs that are dropped in two conditions differ: over clusters, and as items."""
    name, first, second = f"{one} vs {other}", f"pronoun {one}", f"pronoun {other}"

    def clustered() -> Estimate:
        spread = shares.spread(first, second)
        delta = float(shares.values(first).mean() - shares.values(second).mean())
        return replace(
            shares.sized(first, second),
            value=p_value(delta, spread),
            method=f"Student's t, {spread.method}",
        )

    def exact() -> Estimate:
        dropped, also = (shares.values(choice) == 1 for choice in (first, second))
        only_first, only_second = int((dropped & ~also).sum()), int((also & ~dropped).sum())
        return replace(
            shares.sized(first),
            value=mcnemar(only_first, only_second),
            method="McNemar's exact test; takes triplets as independent",
            note=f"McNemar: only {one} drops {only_first:,}, only {other} {only_second:,}",
        )

    return [
        Measure(suite, "mcnemar", name, "p over clusters", clustered, unit="p"),
        Measure(suite, "mcnemar", name, "p", exact, unit="p"),
    ]


def selection_table(suite: str, selection: Selection, asked: Asked, fit: Fit) -> list[Measure]:
    """Table 5: what was asked, what repeated, and the share that repeats over all verbs.

    Verbs that can never be repeated need not be asked; they count where the paper counts them.
    """
    never = int(fit.about.get("never", 0))
    unasked = never * len(selection.tested) if asked.exhaustive else 0
    counts = {
        "verbs": len(fit.used) + never,
        "pairs": len(selection.tested),
        "tested": int(selection.tested.sum()) + unasked,
        "repeating": int(selection.repeated.sum()),
        "selected": selection.selected,
    }
    usable = len(fit.used) / max(len(fit.used) + never, 1)
    ratio = Measure(
        suite, "selection", SELECTION, "ratio",
        partial(_ratio, suite, selection, asked, usable),
        note="share of all verbs of the list" if never else "share of all usable verbs",
    )  # fmt: skip
    counted = [
        Estimate(suite, "selection", SELECTION, metric, float(count), n=count, unit="count")
        for metric, count in counts.items()
    ]
    return [ratio, *map(Measure.given, counted)]


def _ratio(suite: str, selection: Selection, asked: Asked, usable: float) -> Estimate:
    """The share of all verbs that repeat, with each pair counted once.

    `usable` is the share of verbs that can be repeated at all.
    """
    if selection.sampled is not None and not asked.exhaustive:
        tested, repeated = selection.sampled
        shares = repeated / tested
    else:
        tested = selection.tested
        shares = repetition_shares(
            tested, selection.repeated, asked.cap, exhaustive=asked.exhaustive
        )
    figure = Figure(Clustering(pair_codes(selection.pairs)), np.arange(len(shares)), shares)
    found = spread(figure)
    blank = Estimate(
        suite, "selection", SELECTION, "ratio", None, n=int(tested.sum()),
        clusters=found.fewest, clusters_by=figure.sizes,
    )  # fmt: skip
    interval = share_interval(figure.mean, found, len(shares))
    made = estimated(blank, figure.mean, interval, found, scale=100.0 * usable)
    return replace(made, design_effect=None)


def repetition_shares(tested: Floats, repeated: Floats, cap: int, *, exhaustive: bool) -> Floats:
    """Each pair's share of repeating verbs, without bias even where the walk stopped at the cap.

    A walk that stops at the r-th repetition has met too many of them; (r − 1) / (n − 1) is right on
    average (Haldane 1945), and for r = 1 it is whether the first verb repeated.
    """
    share = repeated / tested
    if exhaustive:
        return share
    stopped = repeated >= cap
    if cap == 1:
        corrected = (tested == 1).astype(float)
    else:
        corrected = (repeated - 1) / np.maximum(tested - 1, 1)
    return np.where(stopped, corrected, share)


def notes_of(suite: str, verdicts: Table, fit: Fit, readout: str) -> tuple[str, ...]:
    """How many verbs could be asked, why the others could not, and how many answers are ties."""
    ties = int(np.count_nonzero(verdicts["tie"].to_numpy()))
    tied = f"{ties:,} of {len(verdicts):,} answers are ties within rounding."
    return fit_note(suite, fit, readout), tied


def _place(labels: Sequence[str], label: str) -> int:
    return labels.index(label) if label in labels else -1
