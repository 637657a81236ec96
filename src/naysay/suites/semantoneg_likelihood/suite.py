"""The suite: which of three sentences does the first one make likelier?

A sentence may be likely by itself. So what counts is how much likelier it becomes by what was said
before, and that is the difference of two log-likelihoods.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from naysay.core.examples import LOGPROB, Example, plain_rows
from naysay.core.probes import ChooseClosest, Complete
from naysay.core.protocols import Model, Table
from naysay.core.records import Finding, Fit
from naysay.core.spec import RunSpec
from naysay.data.lexicon import Lexicon
from naysay.suites._protocol import Setting, Unit
from naysay.suites.semantoneg.analysis import (
    accuracies,
    by_kind,
    by_pair,
    chosen,
    conclude,
    item_notes,
)
from naysay.suites.semantoneg.examples import item, side
from naysay.suites.semantoneg.rows import (
    ITEM_COLUMNS,
    OPTIONS,
    ItemRow,
    JudgedItems,
    choices,
    item_fields,
    options_of,
)
from naysay.suites.semantoneg.suite import ItemSuite


def gains(verdicts: Table) -> Iterator[Example]:
    """Each judged row with three sides; what was gained decides."""
    for row in plain_rows(verdicts):
        after, alone = ([row[f"{when}_{o}"] for o in OPTIONS] for when in ("after", "alone"))
        gained = [one - other for one, other in zip(after, alone, strict=True)]
        sides = [
            side("gained", row, gained, row["choice"]),
            replace(side("after the text", row, after, row["plain_choice"]), right=None),
            replace(side("alone", row, alone, None), text=""),
        ]
        yield item(row, sides, LOGPROB)


_SAME = 1e-4  # sums nearer than this are equal; rounding in other batches could turn them
_DIGITS = 4
_SCORES = tuple(f"{when}_{option}" for when in ("after", "alone") for option in OPTIONS)
TITLES = {
    "accuracy": "The paraphrase is the sentence that becomes likeliest by what was said",
    "plain": "The paraphrase is the likeliest sentence, as it is",
    "choices": "The sentence that becomes likeliest",
    "kinds": "Accuracy by the words that are opposite, and by what negates",
    "pairs": "Accuracy by pair of antonyms",
}


@dataclass(frozen=True, slots=True)
class LikelihoodRow(ItemRow):
    """One item, and the log-likelihood of each option after the text and without it."""

    after_antonym_only: float
    after_polarity_only: float
    after_paraphrase: float
    alone_antonym_only: float
    alone_polarity_only: float
    alone_paraphrase: float


class NegatedAntonymsByLikelihood(ItemSuite):
    """SemAntoNeg (Vahtola, Creutz and Tiedemann 2022), asked of a model that continues texts."""

    name = "semantoneg_likelihood"
    version = 1
    default = False
    default_limit = 400
    grain = 4
    summary = "semantoneg for causal models: which sentence becomes likelier by the first one?"
    needs = frozenset({Complete})
    row_type = LikelihoodRow
    judged = (*ITEM_COLUMNS, *_SCORES)
    folder = Path(__file__).parent

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[LikelihoodRow]:
        """Each option after the text, and after nothing but the connective."""
        connective = str(setting.language.patterns(self.patterns)["connective"])
        units = list(units)
        about = [ChooseClosest(unit["text"], options_of(unit)) for unit in units]
        after = [Complete(f"{one.text} {connective}", one.options, one) for one in about]
        alone = [Complete(connective, one.options, ChooseClosest("", one.options)) for one in about]
        answers = zip(model.ask(after), model.ask(alone), strict=True)
        for unit, (told, untold) in zip(units, answers, strict=True):
            scores: list[Any] = [round(s, _DIGITS) for s in (*told.logprobs, *untold.logprobs)]
            yield LikelihoodRow(**item_fields(unit), **dict(zip(_SCORES, scores, strict=True)))

    def judge(self, rows: Table) -> Table:
        """With the option that becomes likeliest, and the one that is likeliest as it is."""
        after, alone = (
            np.stack([rows[f"{when}_{option}"].to_numpy() for option in OPTIONS])
            for when in ("after", "alone")
        )
        rows = choices(rows, after - alone, _SAME)
        return choices(rows, after, _SAME, prefix="plain_")

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Items with what each option has gained."""

        return gains(verdicts)

    def measure(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Finding:
        """Accuracy both ways, and what won instead."""
        rows = JudgedItems(verdicts)
        right = rows.true("right")
        accuracy = accuracies(self.name, rows, right, spec.seed)
        plain = accuracies(self.name, rows, rows.true("plain_right"), spec.seed)
        estimates = (
            *accuracy,
            *(replace(estimate, table="plain") for estimate in plain),
            *chosen(self.name, rows, spec.seed),
            *by_kind(self.name, rows, right, spec.seed),
            *by_pair(self.name, rows, right),
        )
        return conclude(self.name, estimates, TITLES, item_notes(rows, fit))


SUITE = NegatedAntonymsByLikelihood()
