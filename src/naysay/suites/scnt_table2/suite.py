"""The suite: eight templates with the model's first verb, and the paper's Table 2."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from naysay.core.measures import Analysis
from naysay.core.protocols import Table
from naysay.core.records import Estimate, Fit
from naysay.core.spec import RunSpec
from naysay.suites._templates.analysis import SEED_TITLES, Rows, Seeds, verdict
from naysay.suites._templates.suite import WANTED, TemplateOptions, TemplateSuite

TARGETS = ("likes", "does like", "really likes", "really does like")
LETTERS = {"positive": "P", "negated": "N"}
"""The paper's letters for the contexts."""
_OVERALL = "all: P-N"
TITLES = {
    "table2": "Repetition of the verb after a positive (P) and a negated (N) context (Table 2)",
    "delta": "Positive minus negated context",
    **SEED_TITLES,
}


class ReplicationOfContextMatters(TemplateSuite[TemplateOptions]):
    """Table 2 of Kletz, Amsili and Candito (2023)."""

    name = "scnt_table2"
    version = 1
    default = False
    patterns = "scnt_table2"
    options_type = TemplateOptions
    summary = "gh22 reduced to four targets, each after a positive and a negated context"
    folder = Path(__file__).parent

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Table 2 with intervals, and the difference between the two contexts of each target."""
        rows = Rows(verdicts)
        cells = {
            f"{letter} {target}": rows.where(polarity=polarity, marking=target)
            for target in TARGETS
            for polarity, letter in LETTERS.items()
        }
        both = {letter: rows.where(polarity=polarity) for polarity, letter in LETTERS.items()}
        shares = rows.shares(self.name, self.options(spec).repetition, {**cells, **both}, spec.seed)
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

        def decide(estimates: Sequence[Estimate]) -> tuple[str, str]:
            [overall] = (e for e in estimates if e.condition == _OVERALL)
            return verdict(negated.estimate, positive.estimate, overall)

        own = Seeds(self.name, rows)
        measures = (*table, *deltas, *own.measures(self.ranks(spec)))
        return Analysis(measures, TITLES, decide, (*self.notes(spec, fit), *own.notes()))


SUITE = ReplicationOfContextMatters()
