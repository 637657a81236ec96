"""The suite: 43 templates in three experiments, at four ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from naysay.core.errors import LexiconError
from naysay.core.measures import Analysis
from naysay.core.options import option
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.upstream import upstream_folder, upstream_lines
from naysay.suites._templates.suite import (
    PAPER,
    RELEASED,
    STYLES,
    TemplateOptions,
    TemplateSuite,
)
from naysay.suites.protocol import LexiconReader

OWN_PROFESSIONS = (
    "The 91 professions are naysay's own, of which 41 are also in the paper's list; "
    "--lexicon gh22 reads the paper's."
)


def released_words(language: str, data_dir: Path | None) -> dict[str, Any]:
    """The tables of the released lists; what they lack is taken from the language's own."""
    if language != "en":
        raise LexiconError(f"lexicon 'gh22' is English; it does not go with language {language!r}")
    folder = upstream_folder("gh22", data_dir) / "Input"
    source = "Gubelmann and Handschuh 2022, released lists"
    return {
        "names": {
            "female": upstream_lines(folder / "top100fnames.txt"),
            "male": upstream_lines(folder / "top100mnames.txt"),
            "source": source,
        },
        "professions": {"any": upstream_lines(folder / "professions.txt"), "source": source},
    }


@dataclass(frozen=True, kw_only=True)
class ContextOptions(TemplateOptions):
    """What the test reads."""

    ranks: tuple[int, ...] = option((0, 50, 100, 200), "Ranks of its own verbs.", least=0)
    style: tuple[str, ...] = option((PAPER,), "Wording.", choices=STYLES)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Read an earlier version's name of the released wording, too."""
        if not isinstance(styles := values.get("style", ""), str):
            renamed = tuple(RELEASED if style == "revised" else style for style in styles)
            values = {**values, "style": renamed}
        return super().of(values)


class ContextMatters(TemplateSuite[ContextOptions]):
    """The pragmatic study of negation by Gubelmann and Handschuh (2022)."""

    name = "gh22"
    questions_per_unit = 90
    version = 2
    watched = True
    patterns = "gh22"
    options_type = ContextOptions
    lexicons: Mapping[str, LexiconReader] = {"gh22": released_words}
    summary = "43 templates with the model's own verbs: does it repeat what somebody doesn't like?"
    folder = Path(__file__).parent

    def ranks(self, spec: RunSpec) -> tuple[int, ...]:
        """The ranks that are asked for."""
        return self.options(spec).ranks

    def notes(self, spec: RunSpec, fit: Fit) -> list[str]:
        """Also which words are not the paper's."""
        own = spec.value("lexicon", self.name) in (None, "own")
        return [*super().notes(spec, fit), *([OWN_PROFESSIONS] if own else [])]

    def styles(self, spec: RunSpec) -> tuple[str, ...]:
        """The wordings that are asked for."""
        return self.options(spec).style

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Repetition by polarity, marking, rank, gender, misprime and style, with intervals."""
        from naysay.suites.gh22.analysis import analyse

        return analyse(self.name, verdicts, self.options(spec), self.notes(spec, fit))


SUITE = ContextMatters()
