"""Tables 8 and 9 with intervals: drops where the target is about the same person, or another."""

from __future__ import annotations

from dataclasses import replace

from naysay.core.measures import Analysis, Measure
from naysay.core.protocols import Table
from naysay.core.records import NOT_MEASURED, Fit
from naysay.stats.shares import Shares
from naysay.suites.scnt.analysis import (
    Selection,
    differences,
    drop_shares,
    drops,
    incomparable,
    not_measured,
    notes_of,
    selection_table,
)
from naysay.suites.scnt.selection import CONTRADICTIONS, CONTROLS, SELECTION, Asked
from naysay.suites.scnt_controls.verdict import OTHERS, PRONOUN, SAME, verdict
from naysay.suites.verdicts import ruled

TITLES = {
    "coreference": "Drop of repetition by whom the target is about (Tables 8 and 9)",
    "adjusted": "Contradiction against control, where the name is repeated",
    "person": "What the same person adds to the drop",
    "naming": "What repeating the name takes from the drop with the pronoun",
    "selection": "Selection in CpTp",
}


def analyse(suite: str, verdicts: Table, asked: Asked, fit: Fit) -> Analysis:
    """All measures of one run, and its verdict."""
    present = set(verdicts["subject"].unique().cast("string").to_pylist())
    # Runs of earlier versions were not asked with the pronoun.
    subjects = [who for who in (PRONOUN, SAME, *OTHERS) if who in present or who != PRONOUN]
    selections = {who: Selection.of(_rows_of(verdicts, who)) for who in subjects}
    counts = [
        replace(measure, condition=f"{who} {measure.condition}")
        for who in subjects
        for measure in selection_table(suite, selections[who], asked, fit)
        if measure.metric in ("ratio", "tested", "selected")
    ]
    notes = notes_of(suite, verdicts, fit, asked.readout)
    shares = drop_shares(verdicts, suite)
    table = {who: drops(shares, "coreference", who, f"{who} ") for who in subjects}
    if not selections[SAME].selected:
        empty = [not_measured(measure) for measure in table[SAME]]
        reason = f"no verb was repeated in {SELECTION} with the same name."
        nothing = ruled(NOT_MEASURED, reason, "")
        found = Analysis((*empty, *counts), TITLES, lambda _: nothing, notes)
        return replace(found, differences=differences(fit), incomparable=incomparable(asked))
    for who in OTHERS:  # of somebody else nothing was said that could be contradicted
        table[who] = [replace(m, wanted="low", note="control: low") for m in table[who]]
    measures = (
        *(measure for who in subjects for measure in table[who]),
        *_differences(shares, subjects),
        *counts,
    )
    filled = {measure.table for measure in measures}
    titles = {name: title for name, title in TITLES.items() if name in filled}
    found = Analysis(measures, titles, lambda every: verdict(every, asked.smallest_effect), notes)
    return replace(found, differences=differences(fit), incomparable=incomparable(asked))


def _rows_of(verdicts: Table, subject: str) -> Table:
    import pyarrow.compute as pc

    return verdicts.filter(pc.equal(verdicts["subject"].cast("string"), subject))


def _differences(shares: Shares, subjects: list[str]) -> list[Measure]:
    """What the verdict compares: contradictions with controls, persons, and name with pronoun."""
    adjusted = [
        shares.difference(
            "adjusted", f"{SAME} {one}-{control}", f"{SAME} {one}", f"{SAME} {control}"
        )
        for control in CONTROLS
        for one in CONTRADICTIONS
    ]
    person = [
        shares.difference("person", f"{one}: {SAME}-{who}", f"{SAME} {one}", f"{who} {one}")
        for who in OTHERS
        for one in CONTRADICTIONS
    ]
    naming = [
        shares.difference("naming", f"{one}: {PRONOUN}-{SAME}", f"{PRONOUN} {one}", f"{SAME} {one}")
        for one in CONTRADICTIONS
        if PRONOUN in subjects
    ]
    return [*adjusted, *person, *naming]
