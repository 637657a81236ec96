"""The suite: eight templates with the model's first verb, and the paper's Table 2."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from naysay.core.measures import Outcome
from naysay.core.protocols import Table
from naysay.core.records import Finding, Fit
from naysay.core.spec import RunSpec
from naysay.suites._templates import analysis as seeds
from naysay.suites._templates.analysis import Rows, verdict
from naysay.suites._templates.suite import TemplateOptions, TemplateSuite

TARGETS = ("likes", "does like", "really likes", "really does like")
LETTERS = {"positive": "P", "negated": "N"}
"""How the paper calls the contexts."""
TITLES = {
    "table2": "Repetition of the verb after a positive (P) and a negated (N) context (Table 2)",
    "delta": "What the negation takes away",
    **seeds.TITLES,
}


class ReplicationOfContextMatters(TemplateSuite[TemplateOptions]):
    """Table 2 of Kletz, Amsili and Candito (2023)."""

    name = "scnt_table2"
    version = 1
    default = False
    patterns = "scnt_table2"
    options_type = TemplateOptions
    summary = "gh22 pared down: four targets, each after a positive and a negated context"
    folder = Path(__file__).parent

    def outcomes(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Iterable[Outcome]:
        """The eight cells of Table 2."""
        from naysay.suites._templates.analysis import Repetitions

        items = Repetitions(self.name, verdicts, spec.repetition)
        for target in TARGETS:
            for polarity, letter in LETTERS.items():
                chosen = items.rows.where(polarity=polarity, marking=target)
                yield items.outcome(
                    "table2", f"{letter} {target}", TITLES["table2"], chosen,
                    "high" if polarity == "positive" else "low",
                )  # fmt: skip

    def measure(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Finding:
        """Table 2 with intervals, and the difference between the two contexts of each target."""
        rows = Rows(verdicts)
        cells = {
            f"{letter} {target}": rows.where(polarity=polarity, marking=target)
            for target in TARGETS
            for polarity, letter in LETTERS.items()
        }
        both = {letter: rows.where(polarity=polarity) for polarity, letter in LETTERS.items()}
        shares = rows.shares(self.name, spec.repetition, {**cells, **both}, spec.seed)
        table = [
            replace(
                shares.share("table2", cell, "repetition", cell),
                note="wanted: high" if cell.startswith("P") else "wanted: low",
            )
            for cell in cells
        ]
        deltas = [
            shares.difference("delta", f"{target}: P-N", f"P {target}", f"N {target}")
            for target in TARGETS
        ]
        overall = shares.difference("delta", "all: P-N", "P", "N")
        outcome, words = verdict(
            shares.share("", "", "repetition", "N"),
            shares.share("", "", "repetition", "P"),
            overall,
        )
        own = seeds.Seeds(self.name, rows)
        estimates = (
            *table, *deltas, overall, *own.verbs(0), own.unusable(0), own.first_is_no_word()
        )  # fmt: skip
        notes = (
            *self.notes(spec, fit),
            own.note(),
            f"{rows.ties:,} of {int(rows.asked.sum()):,} answers are ties within rounding.",
        )
        return Finding(self.name, estimates, TITLES, outcome, words, notes)


SUITE = ReplicationOfContextMatters()
