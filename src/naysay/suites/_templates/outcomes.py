"""Outcomes of suites of templates: each sentence that was asked, with the model's own verbs."""

from __future__ import annotations

import numpy as np

from naysay.outcomes import Outcome, Wanted, joined, strings
from naysay.protocols import Table
from naysay.suites._shares import Mask
from naysay.suites._templates.rows import Rows

_SAID = ("unit", "experiment", "polarity", "acts", "marking", "extra", "style", "rank", "verbs")
"""What makes the sentence."""


class Repetitions:
    """The judged rows of a run, as outcomes over choices of them."""

    def __init__(self, suite: str, verdicts: Table, rule: str) -> None:
        self._suite, self._rule = suite, rule
        self._table = verdicts.unify_dictionaries()
        self.rows = Rows(self._table)

    def outcome(
        self, table: str, condition: str, title: str, chosen: Mask, wanted: Wanted | None
    ) -> Outcome:
        """The repetition over the chosen rows that were asked."""
        rows = np.flatnonzero(chosen & self.rows.asked)
        here = self._table.select([*_SAID, "verb", "answer", self._rule]).take(rows)
        return Outcome(
            self._suite, table, condition, "repetition", title,
            keys=joined(here, *_SAID, by="/"),
            values=np.asarray(here[self._rule].to_numpy(), dtype=float),
            clusters={"pairs": strings(here, "unit"), "verbs": strings(here, "verb")},
            wanted=wanted, rows=rows, answers=strings(here, "answer"),
        )  # fmt: skip
