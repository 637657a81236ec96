"""The suite: 43 templates in three experiments, at four ranks."""

from __future__ import annotations

from pathlib import Path

from naysay.core.measures import Analysis
from naysay.core.protocols import Table
from naysay.core.records import Fit
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

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Repetition by polarity, marking, rank, gender, misprime and style, with intervals."""
        from naysay.suites.gh22.analysis import analyse

        return analyse(self.name, verdicts, spec, self.notes(spec, fit))


SUITE = ContextMatters()
