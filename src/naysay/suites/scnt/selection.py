"""Lazy selection: which verbs does the model repeat after which pair?

Every pair walks its verbs in its own seeded order and stops at the cap. A pair that still needs r
repetitions asks its next r verbs at once: it could not be done with fewer, so no question is
wasted, and all pairs of a shard are asked together. The walk of a pair depends on nothing but the
pair, so neither shard nor batch changes what is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from naysay.keys import seeded_order
from naysay.probes import Fill
from naysay.protocols import Model, Unit
from naysay.suites.scnt.conditions import SELECTION, Items


@dataclass
class Walk:
    """One pair on its way through the verbs."""

    unit: Unit
    verbs: list[str]
    answers: list[Fill] = field(default_factory=list)
    selected: list[int] = field(default_factory=list)
    """Places in `verbs` where the model repeated, up to the cap."""

    def take(self, answers: Sequence[Fill], cap: int) -> None:
        """Note the answers to the next verbs."""
        for answer in answers:
            place = len(self.answers)
            self.answers.append(answer)
            if answer.best == self.verbs[place] and len(self.selected) < cap:
                self.selected.append(place)


def select(
    model: Model, items: Items, units: Sequence[Unit], verbs: Sequence[str], seed: int, cap: int,
    *, exhaustive: bool,
) -> list[Walk]:  # fmt: skip
    """Walk all pairs; `exhaustive` asks every verb and selects the same triplets."""
    walks = [Walk(unit, seeded_order(verbs, seed, unit.key)) for unit in units]
    open_walks = walks
    while open_walks:
        wanted = [
            len(walk.verbs) if exhaustive else cap - len(walk.selected) for walk in open_walks
        ]
        chunks = [
            walk.verbs[len(walk.answers) : len(walk.answers) + count]
            for walk, count in zip(open_walks, wanted, strict=True)
        ]
        answers = iter(
            model.ask(
                [
                    items.probe(SELECTION, walk.unit, verb)
                    for walk, chunk in zip(open_walks, chunks, strict=True)
                    for verb in chunk
                ]
            )
        )
        for walk, chunk in zip(open_walks, chunks, strict=True):
            walk.take([next(answers) for _ in chunk], cap)
        open_walks = [
            walk
            for walk in open_walks
            if len(walk.answers) < len(walk.verbs) and len(walk.selected) < cap
        ]
    return walks
