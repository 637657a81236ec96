"""The suite: which of three sentences is nearest to the first?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.core.examples import Example
from naysay.core.measures import Analysis
from naysay.core.probes import ChooseClosest
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.items import ROLES, AntonymItem
from naysay.data.lexicon import Lexicon
from naysay.suites.base import SourceOptions, SourceSuite, drawn
from naysay.suites.protocol import Setting, Unit
from naysay.suites.semantoneg.rows import (
    ITEM_COLUMNS,
    OPTIONS,
    TIE,
    ItemRow,
    choices,
    item_fields,
    options_of,
)
from naysay.suites.semantoneg.source import FRAMES, ITEM_SETS, ItemSource, source_of


@dataclass(frozen=True, slots=True)
class ClosestRow(ItemRow):
    """One item and how near its options are.

    The last digits of the scores depend on rounding; the choice does not, or it is a tie.
    """

    near_antonym_only: float
    near_polarity_only: float
    near_paraphrase: float
    scale: str
    tie: bool
    cut: bool


class ItemSuite(SourceSuite[SourceOptions]):
    """The part that suites over these items share."""

    name: str
    patterns = "semantoneg"
    item_sets = ITEM_SETS
    options_type = SourceOptions
    unit_name = "items"
    frames = FRAMES

    def source(self, setting: Setting) -> ItemSource:
        """The items that the spec asks for."""
        return source_of(setting, self.options(setting.spec).items)

    def units(self, setting: Setting) -> Sequence[Unit]:
        """The items: all, or a sample drawn by the seed."""
        return drawn(self.source(setting).units, setting.spec, self.default_limit)

    def fit(self, model: Model, setting: Setting) -> Fit:
        """Every item can be asked; the figures need to know which items these are."""
        source = self.source(setting)
        about = {
            "available": len(source.items),
            "items": source.name,
            "digest": source.digest,
            "count": len(source.items),
            "upstream": source.is_upstream,
        }
        return Fit((), about=about)

    def by_item(self, verdicts: Table) -> Table:
        """One judged row for each item: the rows as they are, unless an item has several."""
        return verdicts

    def item_of(self, row: Mapping[str, Any]) -> AntonymItem:
        """The item of a row, ready to be asked again."""
        first, _, second = row["pair"].partition("/")
        antonym_only, polarity_only, paraphrase = (row[option] for option in OPTIONS)
        return AntonymItem(
            row["idx"], row["text"], (antonym_only, polarity_only, paraphrase), (first, second),
            row["word_class"], row["negator"],
        )  # fmt: skip

    def choice_of(self, row: Mapping[str, Any]) -> str:
        """The role of the option that was chosen as the paraphrase."""
        choice = int(row["choice"])
        return "tie" if choice == TIE else ROLES[choice]


class NegatedAntonyms(ItemSuite):
    """SemAntoNeg of Vahtola, Creutz and Tiedemann (2022)."""

    name = "semantoneg"
    questions_per_unit = 1
    version = 1
    default_limit = None
    grain = 40
    summary = "negated antonyms: is the paraphrase closer than sentences that share more words?"
    needs = frozenset({ChooseClosest})
    row_type = ClosestRow
    judged = (
        *ITEM_COLUMNS, "near_antonym_only", "near_polarity_only", "near_paraphrase", "scale",
        "tie", "cut",
    )  # fmt: skip
    folder = Path(__file__).parent

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[ClosestRow]:
        """Ask for all items at once, so that a model can read each sentence once."""
        units = list(units)
        answers = model.ask([ChooseClosest(unit["text"], options_of(unit)) for unit in units])
        for unit, answer in zip(units, answers, strict=True):
            antonym_only, polarity_only, paraphrase = answer.scores
            yield ClosestRow(
                **item_fields(unit),
                near_antonym_only=antonym_only,
                near_polarity_only=polarity_only,
                near_paraphrase=paraphrase,
                scale=answer.scale,
                tie=answer.tie,
                cut=answer.cut,
            )

    def judge(self, rows: Table) -> Table:
        """With the nearest option; a tie is never right."""
        import numpy as np

        scores = np.stack([rows[f"near_{option}"].to_numpy() for option in OPTIONS])
        return choices(rows, scores)

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Items with their options, nearest first."""
        from naysay.suites.semantoneg.rows import nearest

        return nearest(verdicts)

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Accuracy, which options were chosen, and how near negations and paraphrases are."""
        from naysay.suites.semantoneg.analysis import analyse

        return analyse(self.name, verdicts, spec, fit)


SUITE = NegatedAntonyms()
