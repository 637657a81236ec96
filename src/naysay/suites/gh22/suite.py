"""The suite: 43 templates in three experiments, at four ranks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from naysay.core.measures import Outcome
from naysay.core.protocols import Table
from naysay.core.records import Finding, Fit
from naysay.core.spec import RunSpec
from naysay.suites._templates.suite import TemplateSuite


class ContextMatters(TemplateSuite):
    """The pragmatic study of negation by Gubelmann and Handschuh (2022)."""

    name = "gh22"
    version = 1
    patterns = "gh22"
    options = ("limit", "seed", "ranks", "raw_ranks", "style", "readout")
    summary = "43 templates with the model's own verbs: does it repeat what somebody doesn't like?"
    folder = Path(__file__).parent

    def outcomes(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Iterable[Outcome]:
        """Repetition by polarity, after misprimes, and where another person is asked about."""
        from naysay.suites.gh22.analysis import outcomes

        return outcomes(self.name, verdicts, spec)

    def measure(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Finding:
        """Repetition by polarity, marking, rank, gender, misprime and style, with intervals."""
        from naysay.suites.gh22.analysis import measure

        return measure(self.name, verdicts, spec, self.notes(spec, fit))


SUITE = ContextMatters()
