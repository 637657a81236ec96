"""The suite: the model answers with a letter which of three sentences means the same.

The options are asked in every order. So a preference for a letter favours all options equally, and
a model that has only such a preference ends in a tie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from naysay.core.examples import Example
from naysay.core.measures import Analysis
from naysay.core.probes import ChooseClosest, Complete
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
    item_fields,
    options_of,
)
from naysay.suites.semantoneg.suite import ItemSuite

SAME = 1e-4  # a tie: rounding could reverse a smaller difference of log-probabilities
_DIGITS = 4
ORDERS = tuple(permutations(range(len(OPTIONS))))
"""The option at each letter."""


@dataclass(frozen=True, slots=True)
class PromptedRow(ItemRow):
    """One item in one order, and the log-probability of each option's letter."""

    order: str
    """The options' numbers in the order of the letters."""
    said_antonym_only: float
    said_polarity_only: float
    said_paraphrase: float


class NegatedAntonymsAsQuestion(ItemSuite):
    """SemAntoNeg (Vahtola, Creutz and Tiedemann 2022) as a question with three answers."""

    name = "semantoneg_prompted"
    questions_per_unit = 6
    version = 1
    default = False
    default_limit = 200
    grain = 2
    summary = "semantoneg as a multiple-choice question, with the options in every order"
    needs = frozenset({Complete})
    row_type = PromptedRow
    judged = (*ITEM_COLUMNS, "order", *(f"said_{option}" for option in OPTIONS))
    folder = Path(__file__).parent

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[PromptedRow]:
        """Each item in all orders of its options."""
        wording = setting.language.patterns(self.patterns)
        asked = [(unit, order) for unit in units for order in ORDERS]
        answers = model.ask([prompted(unit, order, wording) for unit, order in asked])
        # A server may not tell all of them; an item counts in every order or, by the run, in none.
        unknown = {unit.key for (unit, _), one in zip(asked, answers, strict=True) if not one.known}
        for (unit, order), answer in zip(asked, answers, strict=True):
            if unit.key in unknown:
                continue
            by_option: dict[int, Any] = dict(zip(order, answer.logprobs, strict=True))
            scores: dict[str, Any] = {
                f"said_{o}": round(by_option[k], _DIGITS) for k, o in enumerate(OPTIONS)
            }
            yield PromptedRow(**item_fields(unit), order="".join(map(str, order)), **scores)

    def judge(self, rows: Table) -> Table:
        """With the option that the model answers in this order."""
        import numpy as np

        scores = np.stack([rows[f"said_{option}"].to_numpy() for option in OPTIONS])
        return choices(rows, scores, SAME)

    def by_item(self, verdicts: Table) -> Table:
        """All orders of an item together."""
        from naysay.suites.semantoneg_prompted.analysis import by_item

        return by_item(verdicts)

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Items over all orders of their options, and in each."""
        from naysay.suites.semantoneg_prompted.analysis import answers

        return answers(verdicts)

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Accuracy over all orders together and in each of them, and the choice of letters."""
        from naysay.suites.semantoneg_prompted.analysis import analyse

        return analyse(self.name, verdicts, spec, fit)


def prompted(unit: Unit, order: tuple[int, ...], wording: Mapping[str, Any]) -> Complete:
    """The question for one of the letters, with the options in this order."""
    sentences = [options_of(unit)[k] for k in order]
    lines = [
        wording["option"].format(letter=letter, sentence=sentence)
        for letter, sentence in zip(wording["letters"], sentences, strict=True)
    ]
    prompt = wording["question"].strip().format(text=unit["text"], options="\n".join(lines))
    about = ChooseClosest(unit["text"], tuple(sentences))
    return Complete(prompt, tuple(wording["letters"]), about, cue=str(wording["cue"]))


SUITE = NegatedAntonymsAsQuestion()
