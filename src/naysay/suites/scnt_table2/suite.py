"""The suite: eight templates with the model's first verb, and the paper's Table 2."""

from __future__ import annotations

from pathlib import Path

from naysay.core.measures import Analysis
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.suites._templates.suite import TemplateOptions, TemplateSuite


class ReplicationOfContextMatters(TemplateSuite[TemplateOptions]):
    """Table 2 of Kletz, Amsili and Candito (2023)."""

    name = "scnt_table2"
    questions_per_unit = 9
    version = 1
    default = False
    patterns = "scnt_table2"
    options_type = TemplateOptions
    summary = "gh22 reduced to four targets, each after a positive and a negated context"
    folder = Path(__file__).parent

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Table 2 with intervals, and the difference between the two contexts of each target."""
        from naysay.suites.scnt_table2.analysis import analyse

        options, notes = self.options(spec), self.notes(spec, fit)
        return analyse(self.name, verdicts, options.repetition, options.smallest_effect, notes)


SUITE = ReplicationOfContextMatters()
