"""The suite: 43 templates in three experiments, at four ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from naysay.core.measures import Outcome
from naysay.core.options import option
from naysay.core.protocols import Table
from naysay.core.records import Finding, Fit
from naysay.core.spec import RunSpec
from naysay.suites._protocol import LexiconReader
from naysay.suites._templates.suite import TemplateOptions, TemplateSuite
from naysay.suites.gh22.lexicon import released_words


@dataclass(frozen=True, kw_only=True)
class ContextOptions(TemplateOptions):
    """What the test reads."""

    ranks: tuple[int, ...] = option(
        (0, 50, 100, 200), "Ranks of the model's own verbs, comma-separated.", least=0
    )
    style: tuple[str, ...] = option(
        ("paper",), "Wording of the templates, comma-separated.", choices=("paper", "revised")
    )


class ContextMatters(TemplateSuite[ContextOptions]):
    """The pragmatic study of negation by Gubelmann and Handschuh (2022)."""

    name = "gh22"
    version = 1
    patterns = "gh22"
    options_type = ContextOptions
    lexicons: Mapping[str, LexiconReader] = {"gh22": released_words}
    summary = "43 templates with the model's own verbs: does it repeat what somebody doesn't like?"
    folder = Path(__file__).parent

    def ranks(self, spec: RunSpec) -> tuple[int, ...]:
        """The ranks that are asked for."""
        return self.options(spec).ranks

    def styles(self, spec: RunSpec) -> tuple[str, ...]:
        """The wordings that are asked for."""
        return self.options(spec).style

    def outcomes(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Iterable[Outcome]:
        """Repetition by polarity, after misprimes, and where another person is asked about."""
        from naysay.suites.gh22.analysis import outcomes

        return outcomes(self.name, verdicts, spec)

    def measure(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Finding:
        """Repetition by polarity, marking, rank, gender, misprime and style, with intervals."""
        from naysay.suites.gh22.analysis import measure

        return measure(self.name, verdicts, spec, self.notes(spec, fit))


SUITE = ContextMatters()
