"""What all suites of such questions measure: answers, what else was said, and the order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from textwrap import shorten

import numpy as np

from naysay.core.errors import RunError
from naysay.core.measures import Decide, Measure, Ruling
from naysay.core.protocols import Table
from naysay.core.records import UNDECIDED, Estimate, Fit
from naysay.stats.clusters import Codes
from naysay.stats.shares import Mask, Shares
from naysay.suites._questions.wording import (
    ANOTHER,
    CHATTER,
    EMPTY,
    NO_ANSWERS,
    REFUSAL,
    WORD,
    refuses,
)
from naysay.suites.verdicts import ruled, shown

IN_WORDS = ", in words"
"""Suffix of the tables whose figures are shares of answers in words."""
TITLES = {
    "answered": "Questions answered with one of the options",
    "unanswered": "What else was said, of all questions",
}
ORDER_TITLE = {"order": "How much the answer depends on the order of the words"}
ALL = "all"
HALF = 50.0
"""Chance, with two options; and the share of questions that must be answered."""
_KINDS = {
    ANOTHER: "a third word",
    REFUSAL: "does not want or know how to answer",
    CHATTER: "more than the word",
    EMPTY: "an empty answer",
}


class Answers:
    """Judged rows, with which option was said in each, or why that is none."""

    def __init__(self, suite: str, table: Table, clusters: Mapping[str, Codes], fit: Fit) -> None:
        self._suite, self._table, self._clusters = suite, table, clusters
        self.said = np.array(table["said"].to_pylist(), dtype=object)
        phrases = [str(phrase) for phrase in fit.about["refusals"]]
        texts = table["answer"].cast("string").to_pylist()
        for k in np.flatnonzero((self.said == CHATTER) | (self.said == ANOTHER)):
            if refuses(texts[k], phrases):
                self.said[k] = REFUSAL

    def __len__(self) -> int:
        return len(self.said)

    @cached_property
    def answered(self) -> Mask:
        """Where the answer is one of the options."""
        return np.array([said not in NO_ANSWERS for said in self.said], dtype=bool)

    def measures(self, conditions: Mapping[str, Mask]) -> list[Measure]:
        """How many questions were answered in each condition, and what else was said."""
        every = np.ones(len(self), dtype=bool)
        chosen = {**conditions, ALL: every}
        shares = Shares(self._suite, self.answered.astype(float), self._clusters, chosen)
        found = [shares.share("answered", name, "answered", name) for name in chosen]
        kinds = {kind: np.asarray(self.said == kind, dtype=float) for kind in _KINDS}
        others = Shares(self._suite, kinds, self._clusters, dict.fromkeys(kinds, every))
        return found + [
            others.share("unanswered", kind, "share", kind, note=note)
            for kind, note in _KINDS.items()
        ]

    def _other_texts(self, count: int = 3) -> tuple[str, ...]:
        """What is said most often in place of an answer."""
        texts = self._table["answer"].cast("string").to_pylist()
        others = Counter(texts[k] for k in np.flatnonzero(~self.answered))
        return tuple(text for text, _ in others.most_common(count))

    def notes(self) -> tuple[str, ...]:
        """How many questions were answered, what else was said, and what the figures leave out."""
        count = int(self.answered.sum())
        notes = [
            f"{count:,} of {len(self):,} questions were answered with one of the options; the "
            "figures are shares of these."
        ]
        if others := self._other_texts():
            listed = ", ".join(f"“{shorten(text, 40, placeholder=' …')}”" for text in others)
            notes.append(f"Most frequent in place of an answer: {listed}.")
        return tuple(notes)


class TwoOrders(Answers):
    """Judged rows of questions with two options, two rows beside each other for the orders."""

    def __init__(self, suite: str, table: Table, clusters: Mapping[str, Codes], fit: Fit) -> None:
        super().__init__(suite, table, clusters, fit)
        first = np.asarray(table["first"].to_numpy(), dtype=bool)
        if len(first) % 2 or not first[::2].all() or first[1::2].any():
            raise RunError("the rows lack an order of some question")
        self.first = first

    @property
    def chose_word(self) -> Mask:
        """Where the answer is the option that counts."""
        return np.asarray(self.said == WORD, dtype=bool)

    def measures(self, conditions: Mapping[str, Mask]) -> list[Measure]:
        """Also how much the answer depends on the order."""
        return [*super().measures(conditions), *self._orders()]

    def _orders(self) -> list[Measure]:
        """How often the answer changes with the order, and how often it is the first option."""
        twice = self.answered[::2] & self.answered[1::2]
        changes = np.zeros(len(self))
        changes[::2] = self.said[::2] != self.said[1::2]
        both = np.zeros(len(self), dtype=bool)
        both[::2] = twice
        values = {
            "it changes": changes,
            "it is the first word": (self.chose_word == self.first).astype(float),
        }
        chosen = {"it changes": both, "it is the first word": self.answered}
        shares = Shares(self._suite, values, self._clusters, chosen)
        notes = ("0 if the order does not matter", "50 if the order does not matter")
        return [
            shares.share("order", name, "share", name, note=note)
            for name, note in zip(values, notes, strict=True)
        ]


def if_answered(decide: Decide, decisive: Sequence[str]) -> Decide:
    """The decision, unless fewer than half of the questions of a condition were answered."""

    def decided(estimates: Sequence[Estimate]) -> Ruling:
        found = {e.condition: e for e in estimates if e.table == "answered"}
        for condition in decisive:
            answered = found.get(condition)
            if answered is not None and answered.value is not None and answered.value < HALF:
                where = "" if condition == ALL else f" ({condition})"
                why = f"it answers fewer than half of the questions{where} with one of the options."
                return ruled(UNDECIDED, why, f"Answered{where}: {shown(answered)} %.")
        return decide(estimates)

    return decided
