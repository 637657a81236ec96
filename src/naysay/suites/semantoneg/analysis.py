"""What is measured: whether the paraphrase is found, on all items and on parts of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from naysay.core.measures import Analysis, Measure, Ruling
from naysay.core.protocols import Table
from naysay.core.records import (
    FAILS,
    NO_EFFECT,
    NOT_MEASURED,
    PART,
    PASSES,
    UNDECIDED,
    Difference,
    Estimate,
    Fit,
)
from naysay.core.spec import RunSpec
from naysay.stats.shares import Mask
from naysay.suites.published import printed
from naysay.suites.semantoneg import margins
from naysay.suites.semantoneg.judged import JudgedItems
from naysay.suites.semantoneg.rows import OPTIONS, PARAPHRASE, TIE
from naysay.suites.semantoneg.source import OWN_ITEMS, UPSTREAM_ITEMS
from naysay.suites.verdicts import above, clear, nil, ruled
from naysay.suites.verdicts import shown as of_items

CHANCE = 100 / 3
PASS = 50.0
PART_TITLES = {
    "kinds": "Accuracy by word class and by negator",
    "pairs": "Accuracy by pair of antonyms",
}
TITLES = {
    "accuracy": "Accuracy: the paraphrase is the nearest of three sentences",
    "choices": "The sentence that is nearest",
    "kinds": PART_TITLES["kinds"],
    **margins.TITLES,
    "pairs": PART_TITLES["pairs"],
}
_ACCURACY, _ALL = "accuracy", "all"
_ANTONYM_ONLY, _POLARITY_ONLY = map(OPTIONS.index, ("antonym_only", "polarity_only"))
_CHOICES = {
    "paraphrase": (PARAPHRASE, "chooses the paraphrase"),
    "antonym only": (_ANTONYM_ONLY, "chooses the sentence with the antonym and the same polarity"),
    "polarity only": (_POLARITY_ONLY, "chooses the sentence with the word and the other polarity"),
    "tie": (TIE, "finds two sentences equally near, which counts as wrong"),
}


def analyse(suite: str, table: Table, spec: RunSpec, fit: Fit) -> Analysis:
    """All measures of one run, and its verdict."""
    rows = JudgedItems(table)
    figures = ItemFigures(suite, rows)
    measures = (
        *figures.accuracies(),
        *figures.choices(),
        *figures.by_kind(),
        *margins.measures(suite, rows),
        *figures.by_pair(),
    )
    notes = item_notes(rows, fit)
    if cut := int(rows.true("cut").sum()):
        notes += (f"In {cut:,} items a sentence is longer than the model can read.",)
    effect = float(spec.value("smallest_effect", suite))
    found = conclude(measures, TITLES, notes, effect)
    if not fit.about.get("upstream"):
        other = Difference("items", "The paper's figures are about SemAntoNeg, as released.")
        return replace(found, incomparable=(other,))
    standing = _standing(measures[0], 100 * float(rows.true("right").mean()))
    return replace(found, notes=(*notes, standing))


def _standing(measure: Measure, accuracy: float) -> str:
    """The model's place among those of the paper."""
    others = printed(*measure.name)
    best = max(others, key=lambda name: others[name])
    # The paper prints one decimal, so only one is compared.
    better = sum(value > round(accuracy, 1) for value in others.values())
    return (
        f"Of the {len(others)} models in the paper {better} have a higher accuracy; the highest is "
        f"{others[best]:.1f} % ({best})."
    )


class ItemFigures:
    """The measures that all suites over these items share."""

    def __init__(self, suite: str, rows: JudgedItems) -> None:
        self._suite, self._rows = suite, rows

    def accuracies(self, table: str = _ACCURACY, column: str = "right") -> list[Measure]:
        """The accuracy on all items, on the distinct ones if some are repeated, and by chance.

        Two runs are compared on the one that decides: that of `right` on all items.
        """
        right, repeated = self._rows.true(column), self._rows.true("repeated")
        chosen = {_ALL: self._rows.everything}
        if repeated.any():
            chosen["distinct"] = ~repeated
        count = f"{int(right.sum()):,} of {len(self._rows):,} right"
        shares = self._rows.shares(self._suite, dict.fromkeys(chosen, right), chosen)
        found = [
            shares.share(
                table, name, "accuracy", name, wanted="high",
                note=count if name == _ALL else None,
                compared=(table, name) == (_ACCURACY, _ALL),
            )
            for name in chosen
        ]  # fmt: skip
        chance = Estimate(self._suite, table, "chance", "accuracy", CHANCE, note="guessing")
        return [*found, Measure.given(chance)]

    def choices(self) -> list[Measure]:
        """How often each option was chosen, and how often none."""
        choice = self._rows.numbers("choice")
        values = {name: choice == number for name, (number, _) in _CHOICES.items()}
        shares = self._rows.shares(self._suite, values)
        return [
            shares.share("choices", name, "share", name, note=f"{int(of.sum()):,} items")
            for name, of in values.items()
        ]

    def by_kind(self) -> list[Measure]:
        """The accuracy by word class and by negator, if the items have more than one."""
        chosen: dict[str, Mask] = {}
        for column in ("word_class", "negator"):
            labels, code = self._rows.words(column)
            named = {label: code == k for k, label in enumerate(labels) if label}
            chosen |= named if len(named) > 1 else {}
        right = dict.fromkeys(chosen, self._rows.true("right"))
        shares = self._rows.shares(self._suite, right, chosen)
        return [shares.share("kinds", name, "accuracy", name) for name in chosen]

    def by_pair(self) -> list[Measure]:
        """The accuracy on each pair of antonyms; too few items for an interval."""
        pairs, code = self._rows.words("pair")
        right = self._rows.true("right").astype(float)
        counts = np.bincount(code, minlength=len(pairs))
        hits = np.bincount(code, weights=right, minlength=len(pairs))
        order = sorted(range(len(pairs)), key=lambda k: (-counts[k], pairs[k]))
        found = [
            Estimate(
                self._suite, "pairs", pairs[k], "accuracy", 100 * float(hits[k] / counts[k]),
                n=int(counts[k]), note=f"{int(hits[k]):,} of {int(counts[k]):,}",
            )
            for k in order if counts[k]
        ]  # fmt: skip
        return [Measure.given(estimate) for estimate in found]


def conclude(
    measures: Sequence[Measure], titles: Mapping[str, str], notes: tuple[str, ...], effect: float
) -> Analysis:
    """The analysis with these measures; tables without any are not shown."""
    filled = {measure.table for measure in measures}
    shown = {name: title for name, title in titles.items() if name in filled}
    details = frozenset({"sweep", "pairs"}) & filled
    return Analysis(measures, shown, lambda found: verdict(found, effect), notes, details)


def verdict(estimates: Sequence[Estimate], effect: float) -> Ruling:
    """By the accuracy on all items, against one half and against guessing."""
    accuracy = next(e for e in estimates if (e.table, e.condition) == (_ACCURACY, _ALL))
    if accuracy.value is None or accuracy.low is None or accuracy.high is None:
        return ruled(NOT_MEASURED, "one item says nothing about others.")
    figures = f"Accuracy: {of_items(accuracy)} % (by chance {CHANCE:.1f}; wanted: {PASS:.0f})."
    wrong = [e for e in estimates if e.table == "choices" and e.condition != "paraphrase"]
    if wrong and accuracy.value < 100:
        most = max(wrong, key=lambda estimate: estimate.value or 0)
        figures += f" When wrong, it most often {_CHOICES[most.condition][1]} ({most.value:.1f} %)."
    most_items, guessing = above(accuracy, PASS), above(accuracy, CHANCE)
    gain = replace(
        accuracy, value=accuracy.value - CHANCE, low=accuracy.low - CHANCE,
        high=accuracy.high - CHANCE,
    )  # fmt: skip
    if most_items.holds:
        return ruled(PASSES, "it finds the paraphrase in most items.", figures)
    if nil(gain, effect):
        return ruled(NO_EFFECT, "it finds the paraphrase about as often as by guessing.", figures)
    if guessing.holds is False:
        why = "it finds the paraphrase less often than by guessing: shared words mislead it."
        return ruled(FAILS, why, figures)
    if most_items.holds is False and clear(gain, effect).holds:
        why = "it finds the paraphrase more often than by guessing, but not in most items."
        return ruled(PART, why, figures)
    why = "these items leave open whether it finds the paraphrase more often than by guessing."
    if guessing.holds:
        why = "it finds the paraphrase more often than by guessing; whether in most items is open."
    return ruled(UNDECIDED, why, figures, (most_items, guessing))


def item_notes(rows: JudgedItems, fit: Fit) -> tuple[str, ...]:
    """Which items these are, and how many clusters they have."""
    pairs, clusters = len(rows.words("pair")[0]), len(np.unique(rows.linked_words))
    return (
        _source_note(rows, fit),
        f"{len(rows):,} items with {pairs:,} pairs of antonyms; words that are linked as antonyms "
        f"are one cluster: {clusters:,} clusters.",
    )


def _source_note(rows: JudgedItems, fit: Fit) -> str:
    name, count = fit.about["items"], int(fit.about["count"])
    drawn = "" if len(rows) == count else f", of which {len(rows):,} were drawn"
    if name == OWN_ITEMS:
        return (
            f"Items: antoneg, naysay's own ({count:,}{drawn}); the paper's figures are about "
            "SemAntoNeg, which `naysay data get semantoneg` downloads."
        )
    if name == UPSTREAM_ITEMS and not fit.about["upstream"]:
        return (
            f"Items: SemAntoNeg, but not as released ({count:,}{drawn}): the paper's figures are "
            "about other items."
        )
    title = "SemAntoNeg 1.0, as released" if fit.about["upstream"] else name
    return f"Items: {title} ({count:,}{drawn})."
