"""The five conditions: which context meets which target, and what is wanted there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from naysay.languages import Language
from naysay.patterns.lexicon import GENDERS
from naysay.patterns.pattern import Pattern, target
from naysay.probes import FillBlank
from naysay.protocols import Unit

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
    def of(cls, language: Language, suite: str) -> Items:
        """The language's patterns for the suite."""
        patterns = language.patterns(suite)
        return cls(
            {label: Pattern(text) for label, text in patterns["contexts"].items()},
            {label: target(text) for label, text in patterns["targets"].items()},
        )

    def text(self, condition: str, unit: Unit, verb: str) -> str:
        """The text of one item: context sentence, then target sentence with the blank."""
        words = {**dict(unit.slots), "ACT": verb}
        context, blank = self.contexts[condition[:2]], self.targets[condition[2:]]
        return f"{context.fill(words)} {blank.fill(words)}"

    def probe(self, condition: str, unit: Unit, verb: str) -> FillBlank:
        """The question of one item."""
        return FillBlank(self.text(condition, unit, verb), words=(verb,))


def pair(gender: str, name: str, profession: str, language: Language) -> Unit:
    """A pair of name and profession as a unit."""
    if gender not in GENDERS:
        raise ValueError(gender)
    slots = (("NAME", name), ("PROF", profession), ("PRON", language.pronouns[gender]))
    return Unit(f"{gender}/{name}/{profession}", slots)
