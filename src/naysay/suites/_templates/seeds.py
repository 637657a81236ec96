"""What the model answered to the seed sentence: its verbs, and where there was none."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from naysay.records import Estimate
from naysay.stats.intervals import wilson
from naysay.suites._shares import Mask
from naysay.suites._templates.rows import Rows
from naysay.suites._templates.suite import is_word

TITLES = {
    "verbs": "The model's own verbs, by rank",
    "seeds": "Seed sentences without a usable verb",
}
_MOST_FREQUENT = 5


class Seeds:
    """Figures of the seed sentence's answers; pairs are independent of each other here."""

    def __init__(self, suite: str, rows: Rows) -> None:
        self._suite, self._rows = suite, rows

    def verbs(self, rank: int) -> list[Estimate]:
        """How many verbs there are at a rank, and how many pairs the most frequent ones take."""
        here = self._rows.seeds & self._rows.usable & self._rows.where(rank=rank)
        words, code = self._rows.words("verb")
        counted = Counter(code[here].tolist()).most_common()
        condition, total = f"rank {rank}", int(here.sum())
        types = Estimate(
            self._suite,
            "verbs",
            condition,
            "verb_types",
            float(len(counted)),
            n=total,
            unit="count",
        )
        if not counted:
            return [types]
        top = [number for number, _ in counted[:_MOST_FREQUENT]]
        first = words[top[0]]
        listed = ", ".join(words[number] for number in top)
        several = self._share("verbs", condition, "top5_share", np.isin(code[here], top))
        one = self._share("verbs", condition, f"{first}_share", code[here] == top[0])
        return [types, replace(several, note=listed), one]

    def unusable(self, rank: int) -> Estimate:
        """The share of pairs for which the guess at a rank is no word."""
        here = self._rows.seeds & self._rows.where(rank=rank)
        return self._share("seeds", f"rank {rank}", "no_word", ~self._rows.usable[here])

    def first_is_no_word(self) -> Estimate:
        """The share of pairs for which the very first guess is no word, whatever was counted."""
        words, code = self._rows.words("answer")
        here = self._rows.seeds & self._rows.where(rank=self._rows.lowest_rank)
        no_word = np.array([not is_word(word) for word in words])[code[here]]
        counted = Counter(words[number] for number in code[here][no_word].tolist())
        listed = ", ".join(f"{word} ({count:,})" for word, count in counted.most_common(3))
        first = self._share("seeds", "first of all guesses", "no_word", no_word)
        return replace(first, note=listed or None)

    def _share(self, table: str, condition: str, metric: str, hits: Mask) -> Estimate:
        found, pairs = int(hits.sum()), len(hits)
        low, high = wilson(found, pairs)
        return Estimate(
            self._suite, table, condition, metric, 100 * found / pairs, 100 * low, 100 * high,
            n=pairs, clusters=pairs, clusters_by={"pairs": pairs}, method="Wilson",
        )  # fmt: skip

    def note(self) -> str:
        """How many questions were left out for want of a verb, and what the ranks count."""
        questions = int((~self._rows.seeds).sum())
        left_out = int((~self._rows.usable & ~self._rows.seeds).sum())
        return (
            f"{left_out:,} of {questions:,} questions were not asked, because a guess at their "
            "rank is no word; they count neither as repetition nor as none."
        )
