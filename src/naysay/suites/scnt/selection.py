"""Lazy selection: which verbs does the model repeat after which pair?

Every pair walks its verbs in its own seeded order and stops at the cap. A pair that still needs r
repetitions asks its next r verbs at once, since it cannot be done with fewer, and all pairs of a
shard are asked together. Near the end of a walk, when little is needed, a few verbs more are asked
than may be needed: a model answers eight questions in hardly more time than one, unless each is a
choice among many words. What comes after the end of the walk is not kept, except for a sample of
the first verbs, where a suite wants one: it says how many of all verbs repeat. The walk of a pair
depends on nothing but the pair, so neither shard nor batch changes a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from naysay.core.errors import UnknownNameError
from naysay.core.keys import seeded_order
from naysay.core.measures import Wanted
from naysay.core.probes import Choice, ChooseWord, Fill, FillBlank
from naysay.core.protocols import Model
from naysay.data.languages import Language
from naysay.data.lexicon import Lexicon
from naysay.data.pattern import Pattern, target
from naysay.suites.base import ask
from naysay.suites.protocol import Unit

SELECTION = "CpTp"
CONTRADICTIONS = ("CpTn", "CnTp")
CONTROLS = ("CnTn", "CpTv")
BASELINE = "CpTv"
"""The control that changes the target as little as a negation does, without turning it around."""
TESTS = (*CONTRADICTIONS, *CONTROLS)
WANTED: Mapping[str, Wanted] = {"CpTn": "high", "CnTp": "high", "CnTn": "low", "CpTv": "low"}
"""What a model that understands *not* has: the verb disappears where it would contradict."""


@dataclass(frozen=True)
class TripletSentences:
    """The suite's sentences in one language."""

    contexts: Mapping[str, Pattern]
    targets: Mapping[str, Pattern]
    lexicon: Lexicon
    candidates: tuple[str, ...] = ()
    """The words of which the likeliest is the answer; none if it is the model's first word."""

    @classmethod
    def of(
        cls, language: Language, lexicon: Lexicon, patterns: str, predicate: str | None = None
    ) -> TripletSentences:
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
        return FillBlank(text, words, said=said, only_best=True)


@dataclass(frozen=True, slots=True)
class Asked:
    """How the rows were asked, as far as figures depend on it."""

    cap: int
    exhaustive: bool
    readout: str
    smallest_effect: float


_AT_LEAST = 8  # verbs that a pair asks at once

Step = tuple[FillBlank | ChooseWord, Fill | Choice]
"""A question and its answer."""


@dataclass
class Walk:
    """One pair on its way through the verbs."""

    unit: Unit
    verbs: list[str]
    cap: int
    at_least: int = _AT_LEAST
    sample: int = 0
    """How many verbs are asked and kept in any case."""
    steps: list[Step] = field(default_factory=list)
    """Question and answer for each verb so far."""
    selected: list[int] = field(default_factory=list)
    """Places in `verbs` where the model repeated, up to the cap."""

    def next_verbs(self, *, exhaustive: bool) -> list[str]:
        """The verbs to ask next; none when the walk has ended."""
        done = len(self.steps)
        if exhaustive:
            return self.verbs[done:]
        need = max(self.cap - len(self.selected), self.sample - done)
        return self.verbs[done : done + max(need, self.at_least)] if need > 0 else []

    def take(self, step: Step, *, exhaustive: bool) -> None:
        """Note one step, unless the walk has ended."""
        ended = len(self.selected) == self.cap and len(self.steps) >= self.sample
        if ended and not exhaustive:
            return
        probe, answer = step
        if answer.best in probe.words and len(self.selected) < self.cap:
            self.selected.append(len(self.steps))
        self.steps.append(step)


def select(
    model: Model, items: TripletSentences, units: Sequence[Unit], verbs: Sequence[str],
    seed: int, cap: int, *, exhaustive: bool, sample: int = 0,
) -> list[Walk]:  # fmt: skip
    """Walk all pairs; `exhaustive` asks every verb and selects the same triplets."""
    at_least = 1 if items.candidates else _AT_LEAST
    walks = [
        Walk(unit, seeded_order(verbs, seed, unit.key), cap, at_least, sample) for unit in units
    ]
    while True:
        asked = [
            (walk, items.probe(SELECTION, walk.unit, verb))
            for walk in walks
            for verb in walk.next_verbs(exhaustive=exhaustive)
        ]
        if not asked:
            return walks
        answers = ask(model, [probe for _, probe in asked])
        for (walk, probe), answer in zip(asked, answers, strict=True):
            walk.take((probe, answer), exhaustive=exhaustive)
