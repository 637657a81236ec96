"""The released procedure: every verb one sentence at a time, then what was repeated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from naysay.core.keys import seeded_order
from naysay.core.probes import BLANK, FillBlank
from naysay.suites.benchmarks import Answers, Bounds, LikeModel, Released, Timed
from naysay.suites.protocol import Setting
from naysay.suites.scnt.selection import SELECTION, TESTS
from naysay.suites.scnt.suite import SelfContainedNegTest, TripletRow

_VERBS_PER_PAIR = 20  # as in the first step of a run
_CONDITIONS = (SELECTION, *TESTS)
_TIMED = 100


class TripletBenchmark(Timed):
    """What suites of triplets have in common."""

    least: float
    units: int | None = 12
    variants: Mapping[str, Mapping[str, Any]] = {"every verb": {"exhaustive": True}}

    def released(
        self, folder: Path, setting: Setting, rows: Sequence[TripletRow]
    ) -> Iterable[Released]:
        """Every question of the exhaustive procedure, in its order."""
        suite = cast(SelfContainedNegTest, setting.suite)
        items, lexicon = suite.items(setting), setting.lexicon
        verbs = [verb for verb in lexicon.verbs if lexicon.form(verb) is not None]
        retained: dict[str, list[str]] = {}
        for key, verb in sorted(self.kept(rows)):
            retained.setdefault(key, []).append(verb)
        asked: list[Any] = []
        for unit in setting.units:
            asked += [(SELECTION, unit, verb) for verb in verbs]
            asked += [(c, unit, verb) for verb in retained.get(unit.key, ()) for c in TESTS]
        other = verbs[0], verbs[1]
        # Some libraries mask every occurrence of the word, so it is one that the text lacks.
        steps = [
            FillBlank(items.text(c, unit, verb), words=(items.form(other[verb == other[0]]),))
            for c, unit, verb in asked
        ]
        yield Released(name="one sentence at a time, whole head", steps=steps, timed=_TIMED)

    def answers(self, rows: Sequence[TripletRow]) -> Answers:
        """The first word of each sentence."""
        return {row.text: (row.answer, None) for row in rows}

    def kept(self, rows: Sequence[TripletRow]) -> frozenset[tuple[str, str]]:
        """The pairs and verbs of the triplets that are tested."""
        return frozenset((row.unit, row.verb) for row in rows if row.condition != SELECTION)


class ScntBenchmark(TripletBenchmark):
    """The Self-Contained Neg Test, whose sentences also time models by themselves."""

    models = (
        LikeModel(name="bert-base-cased", share=0.217, options={"verbs": "wide"}, verbs=597),
        LikeModel(name="roberta-base", share=0.619, verbs=106),
    )
    least = 20.0
    repeated = Bounds(seconds=1.0)

    def questions(self, number: int, setting: Setting) -> list[FillBlank]:
        """Questions that go round the conditions, grouped by pair."""
        items = cast(SelfContainedNegTest, setting.suite).items(setting)
        found: list[FillBlank] = []
        for unit in setting.units:
            if len(found) >= number:
                break
            *verbs, last = seeded_order(setting.lexicon.verbs, 0, unit.key)[: _VERBS_PER_PAIR + 1]
            for place, verb in enumerate(verbs):
                text = items.text(_CONDITIONS[place % len(_CONDITIONS)], unit, verb)
                found.append(FillBlank(text, words=(last,)))
        return found[:number]

    def continuations(self, setting: Setting, each: int) -> list[tuple[str, str]]:
        """Contexts with target sentences that end with different verbs."""
        items = cast(SelfContainedNegTest, setting.suite).items(setting)
        found = []
        for unit in setting.units:
            verbs = seeded_order(setting.lexicon.verbs, 0, unit.key)
            context = items.contexts["Cp"].fill({**dict(unit.slots), "ACT": verbs[0]})
            for k, verb in enumerate(verbs[:each]):
                target = items.targets["Tn" if k % 2 else "Tp"].fill(dict(unit.slots))
                found.append((context, target.replace(BLANK, verb)))
        return found


BENCHMARK = ScntBenchmark()
