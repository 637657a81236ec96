"""The facts' outcomes: agreement with the negation, ρ, and right answers; relations count once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from naysay.outcomes import Outcome, Strings, Wanted, joined, strings
from naysay.protocols import Table
from naysay.stats.intervals import Floats
from naysay.suites._shares import Mask
from naysay.suites.lama.figures import ALL, KEPT, TITLES, Facts
from naysay.suites.lama.rows import ASKED


class FactOutcomes:
    """The judged rows of a run, as outcomes of all facts and of each corpus."""

    def __init__(self, suite: str, verdicts: Table) -> None:
        self._suite, self._table = suite, verdicts.unify_dictionaries()
        self.facts = Facts(self._table)
        relations = np.array(self.facts.relations, dtype=object)
        corpora = set(self.facts.words("corpus"))
        self._conditions = {
            name: np.isin(relations, chosen)
            for name, chosen in self.facts.conditions().items()
            if name == ALL or name in corpora
        }

    def of(
        self, table: str, metric: str, title: str, values: Floats, chosen: Mask, wanted: Wanted,
        *, keys: tuple[str, ...], sentence: str, answers: Strings, unit: str = "%",
    ) -> Iterator[Outcome]:  # fmt: skip
        """The figure over the chosen rows, of all facts and of each corpus that has some."""
        for condition, here in self._conditions.items():
            rows = np.flatnonzero(chosen & here)
            if not len(rows):
                continue
            taken = self._table.select(list(dict.fromkeys((*keys, "relation")))).take(rows)
            yield Outcome(
                self._suite, table, condition, metric, title,
                keys=joined(taken, *keys, by="/"), values=values[rows],
                clusters={"relations": strings(taken, "relation")}, unit=unit, wanted=wanted,
                balanced=True, rows=rows, sentence=sentence, answers=answers.take(rows),
            )  # fmt: skip

    def words(self, *columns: str) -> Strings:
        """What the model said: one column, or one after the other."""
        return joined(self._table, *columns, by=" / ")


def outcomes(suite: str, verdicts: Table) -> Iterator[Outcome]:
    """Agreement and ρ, right answers, and how many of these are kept where it is negated."""
    made = FactOutcomes(suite, verdicts)
    facts = made.facts
    asked = facts.asked == ASKED
    both, negated = made.words("said", "said_negated"), made.words("said_negated")
    compared = asked & facts.true("ranked")
    for metric, column, unit in (("rho", "rho", "rho"), ("top1_agreement", "agrees", "%")):
        yield from made.of(
            "negated", metric, TITLES["negated"], facts.column(column).values, compared, "low",
            keys=("unit",), sentence="negated", answers=both, unit=unit,
        )  # fmt: skip
    listed = facts.true("listed") & np.array([bool(word) for word in facts.words("said")])
    yield from made.of(
        "precision", "P@1", TITLES["precision"], facts.column("right").values, listed, "high",
        keys=("unit",), sentence="query", answers=made.words("said"),
    )  # fmt: skip
    yield from made.of(
        "precision", KEPT, TITLES["precision"], facts.column("right_negated").values,
        asked & listed & facts.true("right"), "low",
        keys=("unit",), sentence="negated", answers=negated,
    )  # fmt: skip
