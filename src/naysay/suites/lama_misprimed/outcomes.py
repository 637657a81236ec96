"""The facts' outcomes: what is lost after each kind of misprime, and what is right without."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from naysay.outcomes import Outcome
from naysay.protocols import Table
from naysay.suites.lama.outcomes import FactOutcomes
from naysay.suites.lama.rows import ASKED
from naysay.suites.lama_misprimed.figures import KINDS, TITLES
from naysay.suites.lama_misprimed.suite import UNPRIMED


def outcomes(suite: str, verdicts: Table) -> Iterator[Outcome]:
    """Two questions are the same if the fact, the prime and the distance are."""
    made = FactOutcomes(suite, verdicts)
    facts, said = made.facts, made.words("said")
    asked = facts.asked == ASKED
    kinds = np.array(facts.words("prime_class"), dtype=object)
    distance = facts.column("distance").values.astype(int)
    right = facts.column("right").values
    for name, (kind, far) in KINDS.items():
        yield from made.of(
            "misprimed", f"drop {name}", TITLES["misprimed"], 1.0 - right,
            asked & (kinds == kind) & (distance == far), "low",
            keys=("unit", "prime", "distance"), sentence="text", answers=said,
        )  # fmt: skip
    yield from made.of(
        "unprimed", "P@1", TITLES["unprimed"], right, asked & (kinds == UNPRIMED), "high",
        keys=("unit",), sentence="text", answers=said,
    )  # fmt: skip
