"""The test's outcomes: each triplet in each condition, and against the control."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from naysay.outcomes import Outcome, Wanted, joined, strings
from naysay.protocols import Table
from naysay.suites._shares import codes
from naysay.suites.scnt.conditions import BASELINE, CONTRADICTIONS, TESTS

WANTED: Mapping[str, Wanted] = {
    condition: "high" if condition in CONTRADICTIONS else "low" for condition in TESTS
}


def outcomes(
    suite: str, verdicts: Table, subject: str, table: str, title: str, *, label: str = ""
) -> dict[str, Outcome]:
    """The drops of one subject, by condition; the items of all four stand in the same order."""
    verdicts = verdicts.unify_dictionaries()
    labels, condition = codes(verdicts, "condition")
    subjects, who = codes(verdicts, "subject")
    unit, verb = codes(verdicts, "unit")[1], codes(verdicts, "verb")[1]
    triplet = unit * (int(verb.max(initial=0)) + 1) + verb
    mine = who == (subjects.index(subject) if subject in subjects else -1)
    repeats = np.asarray(verdicts["repeats"].to_numpy(), dtype=float)
    found = {}
    for name in TESTS:
        chosen = mine & (condition == (labels.index(name) if name in labels else -1))
        rows = np.flatnonzero(chosen)
        rows = rows[np.argsort(triplet[rows], kind="stable")]
        here = verdicts.select(["unit", "verb", "subject", "answer"]).take(rows)
        found[name] = Outcome(
            suite, table, f"{label}{name}", "drop", title,
            keys=joined(here, "unit", "verb", "subject", by="/"),
            values=1.0 - repeats[rows],
            clusters={"pairs": strings(here, "unit"), "verbs": strings(here, "verb")},
            wanted=WANTED[name], rows=rows, answers=strings(here, "answer"),
        )  # fmt: skip
    return found


def adjusted(drops: Mapping[str, Outcome], title: str) -> Iterator[Outcome]:
    """How much more is given up in a contradiction than in the control, triplet by triplet."""
    control = drops[BASELINE]
    for name in CONTRADICTIONS:
        one = drops[name]
        yield Outcome(
            one.suite, "adjusted", f"{name}-{BASELINE}", "difference", title, one.keys,
            one.values - control.values, one.clusters, unit="points", wanted="high",
        )  # fmt: skip
