"""The five conditions: which context meets which target, and what is wanted there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from naysay.errors import UnknownNameError
from naysay.languages import Language
from naysay.patterns.pattern import Pattern, target
from naysay.probes import FillBlank
from naysay.protocols import Unit

PATTERNS = "scnt"
"""The language's pattern file for the test and its controls."""
SELECTION = "CpTp"
CONTRADICTIONS = ("CpTn", "CnTp")
CONTROLS = ("CnTn", "CpTv")
BASELINE = "CpTv"
"""The control that changes the target as little as a negation does, without turning it around."""
TESTS = (*CONTRADICTIONS, *CONTROLS)


@dataclass(frozen=True)
class Items:
    """The suite's sentences in one language."""

    contexts: Mapping[str, Pattern]
    targets: Mapping[str, Pattern]

    @classmethod
    def of(cls, language: Language, predicate: str | None = None) -> Items:
        """The language's sentences with that predicate in the target, or with its first one."""
        patterns = language.patterns(PATTERNS)
        targets = patterns["targets"]
        predicate = predicate or next(iter(targets))
        if predicate not in targets:
            raise UnknownNameError("predicate", predicate, targets)
        return cls(
            {label: Pattern(text) for label, text in patterns["contexts"].items()},
            {label: target(text) for label, text in targets[predicate].items()},
        )

    def text(self, condition: str, unit: Unit, verb: str) -> str:
        """The text of one item: context sentence, then target sentence with the blank."""
        words = {**dict(unit.slots), "ACT": verb}
        context, blank = self.contexts[condition[:2]], self.targets[condition[2:]]
        return f"{context.fill(words)} {blank.fill(words)}"

    def probe(self, condition: str, unit: Unit, verb: str) -> FillBlank:
        """The question of one item."""
        return FillBlank(self.text(condition, unit, verb), words=(verb,))
