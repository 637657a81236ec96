"""Tables 8 and 9 with intervals: drops where the target is about the same person, or another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from naysay.core.protocols import Table
from naysay.core.records import Estimate, Finding, Fit
from naysay.core.spec import RunSpec
from naysay.stats.shares import Shares
from naysay.suites.scnt.analysis import Selection, drop_shares, drops, notes_of, selection_table
from naysay.suites.scnt.selection import CONTRADICTIONS, SELECTION, TESTS

TITLES = {
    "coreference": "Drop of repetition by whom the target is about (Tables 8 and 9)",
    "person": "What the same person adds to the drop",
    "selection": "Selection in CpTp",
}
SAME = "name"
OTHERS = ("same-gender", "other-gender")
SUBJECTS = (SAME, *OTHERS)


def measure(suite: str, verdicts: Table, spec: RunSpec, fit: Fit) -> Finding:
    """All estimates of one run, and its verdict."""
    rows = {who: _rows_of(verdicts, who) for who in SUBJECTS}
    selections = {who: Selection.of(rows[who]) for who in SUBJECTS}
    counts = [
        replace(e, condition=f"{who} {e.condition}")
        for who in SUBJECTS
        for e in selection_table(suite, selections[who], spec, fit)
        if e.metric in ("ratio", "tested", "selected")
    ]
    notes = notes_of(suite, verdicts, fit, spec.readout)
    if not selections[SAME].selected:
        empty = [Estimate(suite, "coreference", f"{SAME} {c}", "drop", None) for c in TESTS]
        return Finding(
            suite,
            (*empty, *counts),
            TITLES,
            "not measured",
            f"cannot be judged: no verb was repeated in {SELECTION} with the same name.",
            notes,
        )
    shares = drop_shares(verdicts, suite, spec.seed)
    table = [
        replace(e, note="control: low" if who in OTHERS else e.note)
        for who in SUBJECTS
        for e in drops(shares, "coreference", who, f"{who} ")
    ]
    person = [_difference(shares, condition, who) for who in OTHERS for condition in CONTRADICTIONS]
    outcome, words = _verdict(person)
    return Finding(suite, (*table, *person, *counts), TITLES, outcome, words, notes)


def _rows_of(verdicts: Table, subject: str) -> Table:
    import pyarrow.compute as pc

    return verdicts.filter(pc.equal(verdicts["subject"].cast("string"), subject))


def _difference(shares: Shares, condition: str, other: str) -> Estimate:
    label = f"{condition}: {SAME}-{other}"
    return shares.difference("person", label, f"{SAME} {condition}", f"{other} {condition}")


def _verdict(person: Sequence[Estimate]) -> tuple[str, str]:
    """Whether contradictions cost the verb more where the same person is meant."""
    shown = "; ".join(
        f"{e.condition} {e.value:+.1f}"
        + ("" if e.low is None else f" ({e.low:+.1f} to {e.high:+.1f})")
        for e in person
        if e.value is not None
    )
    clear = [e.low is not None and e.low > 0 for e in person]
    if all(clear):
        return "passes", (
            f"passes, because contradictions cost the verb more where the same person is meant: "
            f"{shown}."
        )
    if any(e.high is not None and e.high <= 0 for e in person) or all(e.value == 0 for e in person):
        return "fails", (
            "fails, because it gives verbs up no more where the same person is meant than where "
            f"another is: {shown}."
        )
    return "undecided", (
        f"undecided: it is not clear that the same person makes a difference: {shown}."
    )
