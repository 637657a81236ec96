"""Accuracy by gain and by plain likelihood, and which options were chosen."""

from __future__ import annotations

from naysay.core.measures import Analysis
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.suites.semantoneg.analysis import PART_TITLES, ItemFigures, conclude, item_notes
from naysay.suites.semantoneg.judged import JudgedItems

TITLES = {
    "accuracy": "Accuracy: the first sentence raises the likelihood of the paraphrase most",
    "plain": "Accuracy: the paraphrase is the likeliest sentence",
    "choices": "The sentence whose likelihood rises most",
    **PART_TITLES,
}


def analyse(suite: str, verdicts: Table, effect: float, fit: Fit) -> Analysis:
    """All measures of one run."""
    rows = JudgedItems(verdicts)
    figures = ItemFigures(suite, rows)
    measures = (
        *figures.accuracies(),
        *figures.accuracies("plain", "plain_right"),
        *figures.choices(),
        *figures.by_kind(),
        *figures.by_pair(),
    )
    return conclude(measures, TITLES, item_notes(rows, fit), effect)
