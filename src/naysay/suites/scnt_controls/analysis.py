"""Tables 8 and 9 with intervals: drops where the target is about the same person, or another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from naysay.core.measures import Analysis, Measure
from naysay.core.protocols import Table
from naysay.core.records import Estimate, Fit
from naysay.stats.shares import Shares
from naysay.suites.scnt.analysis import (
    Selection,
    drop_shares,
    drops,
    not_measured,
    notes_of,
    selection_table,
)
from naysay.suites.scnt.selection import CONTRADICTIONS, SELECTION, Asked

TITLES = {
    "coreference": "Drop of repetition by whom the target is about (Tables 8 and 9)",
    "person": "What the same person adds to the drop",
    "selection": "Selection in CpTp",
}
SAME = "name"
OTHERS = ("same-gender", "other-gender")
SUBJECTS = (SAME, *OTHERS)


def analyse(suite: str, verdicts: Table, asked: Asked, fit: Fit) -> Analysis:
    """All measures of one run, and its verdict."""
    rows = {who: _rows_of(verdicts, who) for who in SUBJECTS}
    selections = {who: Selection.of(rows[who]) for who in SUBJECTS}
    counts = [
        replace(measure, condition=f"{who} {measure.condition}")
        for who in SUBJECTS
        for measure in selection_table(suite, selections[who], asked, fit)
        if measure.metric in ("ratio", "tested", "selected")
    ]
    notes = notes_of(suite, verdicts, fit, asked.readout)
    shares = drop_shares(verdicts, suite)
    table = {who: drops(shares, "coreference", who, f"{who} ") for who in SUBJECTS}
    if not selections[SAME].selected:
        empty = [not_measured(measure) for measure in table[SAME]]
        reason = f"cannot be judged: no verb was repeated in {SELECTION} with the same name."
        return Analysis((*empty, *counts), TITLES, lambda _: ("not measured", reason), notes)
    for who in OTHERS:  # of somebody else nothing was said that could be contradicted
        table[who] = [replace(m, wanted="low", note="control: low") for m in table[who]]
    person = [_difference(shares, condition, who) for who in OTHERS for condition in CONTRADICTIONS]
    measures = (*(measure for who in SUBJECTS for measure in table[who]), *person, *counts)
    return Analysis(measures, TITLES, _decide, notes)


def _decide(estimates: Sequence[Estimate]) -> tuple[str, str]:
    return _verdict([e for e in estimates if e.table == "person"])


def _rows_of(verdicts: Table, subject: str) -> Table:
    import pyarrow.compute as pc

    return verdicts.filter(pc.equal(verdicts["subject"].cast("string"), subject))


def _difference(shares: Shares, condition: str, other: str) -> Measure:
    label = f"{condition}: {SAME}-{other}"
    return shares.difference("person", label, f"{SAME} {condition}", f"{other} {condition}")


def _verdict(person: Sequence[Estimate]) -> tuple[str, str]:
    """Whether the model stops repeating the verb more often where the same person is meant."""
    shown = "; ".join(
        f"{e.condition} {e.value:+.1f}"
        + ("" if e.low is None else f" ({e.low:+.1f} to {e.high:+.1f})")
        for e in person
        if e.value is not None
    )
    clear = [e.low is not None and e.low > 0 for e in person]
    if all(clear):
        return "passes", (
            "passes, because it stops repeating the verb more often where the same person is "
            f"meant: {shown}."
        )
    if any(e.high is not None and e.high <= 0 for e in person) or all(e.value == 0 for e in person):
        return "fails", (
            "fails, because it stops repeating the verb no more often where the same person is "
            f"meant than where another is: {shown}."
        )
    return "undecided", (
        f"undecided: it is not clear that the same person makes a difference: {shown}."
    )
