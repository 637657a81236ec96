"""The five conditions: which context meets which target, and what is wanted there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from naysay.errors import UnknownNameError
from naysay.languages import Language
from naysay.patterns.lexicon import Lexicon
from naysay.patterns.pattern import Pattern, target
from naysay.probes import ChooseWord, FillBlank
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
    lexicon: Lexicon
    candidates: tuple[str, ...] = ()
    """The words of which the likeliest is the answer; none if it is the model's first word."""

    @classmethod
    def of(
        cls, language: Language, lexicon: Lexicon, patterns: str, predicate: str | None = None
    ) -> Items:
        """The sentences of a pattern file with that predicate in the target, or its first one."""
        read = language.patterns(patterns)
        targets = read["targets"]
        predicate = predicate or next(iter(targets))
        if predicate not in targets:
            raise UnknownNameError("predicate", predicate, targets)
        return cls(
            {label: Pattern(text) for label, text in read["contexts"].items()},
            {label: target(text) for label, text in targets[predicate].items()},
            lexicon,
        )

    def form(self, verb: str) -> str:
        """How the verb stands at the blank."""
        form = self.lexicon.form(verb)
        assert form is not None, f"{verb} was to be left out"
        return form

    def text(self, condition: str, unit: Unit, verb: str) -> str:
        """The text of one item: context sentence, then target sentence with the blank."""
        words = {**dict(unit.slots), "ACT": verb}
        context, blank = self.contexts[condition[:2]], self.targets[condition[2:]]
        return f"{context.fill(words)} {blank.fill(words)}"

    def probe(self, condition: str, unit: Unit, verb: str) -> FillBlank | ChooseWord:
        """The question of one item."""
        text, words, said = self.text(condition, unit, verb), (self.form(verb),), (verb,)
        if self.candidates:
            return ChooseWord(text, self.candidates, words, said)
        return FillBlank(text, words, said=said)
