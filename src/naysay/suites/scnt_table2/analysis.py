"""Table 2 with intervals, and the difference between the two contexts of each target."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.core.measures import Analysis, Ruling
from naysay.core.protocols import Table
from naysay.core.records import Estimate
from naysay.suites._templates.analysis import SEED_TITLES, Rows, Seeds, verdict
from naysay.suites._templates.suite import WANTED

RANKS = (0,)
"""The model's first verb only."""
TARGETS = ("likes", "does like", "really likes", "really does like")
LETTERS = {"positive": "P", "negated": "N"}
"""The paper's letters for the contexts."""
_OVERALL = "all: P-N"
TITLES = {
    "table2": "Repetition of the verb after a positive (P) and a negated (N) context (Table 2)",
    "delta": "Positive minus negated context",
    **SEED_TITLES,
}


def analyse(
    suite: str, verdicts: Table, rule: str, effect: float, notes: Sequence[str]
) -> Analysis:
    """The eight cells, their differences, and the model's own verbs."""
    rows = Rows(verdicts)
    cells = {
        f"{letter} {target}": rows.kinds(polarity=polarity, marking=target)
        for target in TARGETS
        for polarity, letter in LETTERS.items()
    }
    both = {letter: rows.kinds(polarity=polarity) for polarity, letter in LETTERS.items()}
    shares = rows.shares(suite, rule, {**cells, **both})
    table = [
        shares.share(
            "table2", f"{letter} {target}", "repetition", f"{letter} {target}",
            wanted=WANTED[polarity], note=f"wanted: {WANTED[polarity]}", compared=True,
        )
        for target in TARGETS
        for polarity, letter in LETTERS.items()
    ]  # fmt: skip
    deltas = [
        shares.difference("delta", f"{target}: P-N", f"P {target}", f"N {target}")
        for target in TARGETS
    ]
    deltas.append(shares.difference("delta", _OVERALL, "P", "N"))
    negated, positive = (shares.share("", "", "repetition", letter) for letter in ("N", "P"))

    def decide(estimates: Sequence[Estimate]) -> Ruling:
        [overall] = (e for e in estimates if e.condition == _OVERALL)
        return verdict(negated.estimate, positive.estimate, overall, effect)

    own = Seeds(suite, rows)
    measures = (*table, *deltas, *own.measures(RANKS))
    return Analysis(measures, TITLES, decide, (*notes, *own.notes()))
