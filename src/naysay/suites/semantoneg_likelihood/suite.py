"""The suite: which of three sentences does the first one make likelier?

Some sentences are likely by themselves. So the suite measures how much likelier a sentence becomes
after the first one: the difference of two log-likelihoods.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from naysay.core.examples import LOGPROB, Example, plain_rows
from naysay.core.measures import Analysis
from naysay.core.probes import ChooseClosest, Complete, ContinuedText
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.lexicon import Lexicon
from naysay.suites.protocol import Setting, Unit
from naysay.suites.semantoneg.rows import (
    ITEM_COLUMNS,
    OPTIONS,
    ItemRow,
    choices,
    item,
    item_fields,
    options_of,
    side,
)
from naysay.suites.semantoneg.suite import ItemSuite


def gains(verdicts: Table) -> Iterator[Example]:
    """Each judged row as an item with three sides; the gain decides."""
    for row in plain_rows(verdicts):
        after, alone = ([row[f"{when}_{o}"] for o in OPTIONS] for when in ("after", "alone"))
        gained = [one - other for one, other in zip(after, alone, strict=True)]
        sides = [
            side("gained", row, gained, row["choice"]),
            replace(side("after the text", row, after, row["plain_choice"]), right=None),
            replace(side("alone", row, alone, None), text=""),
        ]
        yield item(row, sides, LOGPROB)


_SAME = 1e-4  # a tie: rounding in another batch could reverse a smaller difference
_DIGITS = 4
_SCORES = tuple(f"{when}_{option}" for when in ("after", "alone") for option in OPTIONS)


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
    questions_per_unit = 2
    version = 1
    default = False
    default_limit = 400
    grain = 4
    summary = "semantoneg for causal models: which sentence does the first one make more likely?"
    needs = frozenset({Complete})
    uses = frozenset({ContinuedText})
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
        for unit, (given, plain) in zip(units, answers, strict=True):
            found = (*given.logprobs, *plain.logprobs)
            scores: list[Any] = [round(s, _DIGITS) for s in found if s is not None]
            if len(scores) < len(found):  # a server does not tell them all; the run counts these
                continue
            yield LikelihoodRow(**item_fields(unit), **dict(zip(_SCORES, scores, strict=True)))

    def judge(self, rows: Table) -> Table:
        """With the option that gains most, and the one that is likeliest."""
        import numpy as np

        after, alone = (
            np.stack([rows[f"{when}_{option}"].to_numpy() for option in OPTIONS])
            for when in ("after", "alone")
        )
        rows = choices(rows, after - alone, _SAME)
        return choices(rows, after, _SAME, prefix="plain_")

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Items with the gain of each option."""
        return gains(verdicts)

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Accuracy by gain and by plain likelihood, and which options were chosen."""
        from naysay.suites.semantoneg_likelihood.analysis import analyse

        return analyse(self.name, verdicts, self.options(spec).smallest_effect, fit)


SUITE = NegatedAntonymsByLikelihood()
