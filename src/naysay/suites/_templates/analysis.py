"""What suites of templates measure: repetition over choices of rows, and the model's own verbs.

A model passes if it repeats the verb after fewer than half of the negated contexts, misprimed or
not, and clearly more often after positive ones; in part, if misprimes confuse it. Where the two
contexts surely make no difference of interest, negation has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial

import numpy as np

from naysay.core.measures import ItemColumns, Measure, Ruling
from naysay.core.protocols import Table
from naysay.core.records import FAILS, NO_EFFECT, NOT_MEASURED, PART, PASSES, UNDECIDED, Estimate
from naysay.stats.clusters import Codes, crossed
from naysay.stats.shares import Kinds, Mask, Shares, codes
from naysay.suites._templates.suite import RELEASED, SEED, is_word
from naysay.suites.pairs import cluster_codes, cluster_labels, pair_codes
from naysay.suites.verdicts import Claim, below, clear, nil, ruled, shown

_NUMBERS = ("experiment", "acts", "rank")
_FACETS = (
    "experiment", "polarity", "acts", "marking", "extra", "style", "rank", "gender",
)  # fmt: skip
"""The columns by which rows are chosen."""
_SAID = ("unit", "experiment", "polarity", "acts", "marking", "extra", "style", "rank", "verbs")
"""The columns that decide what was asked."""
Facet = str | int | tuple[str | int, ...]


class Rows:
    """Rows that can be chosen by what was varied in them."""

    def __init__(self, verdicts: Table) -> None:
        self._table = verdicts
        self._known: dict[str, tuple[list[str], Codes]] = {}

    def __len__(self) -> int:
        return len(self._table)

    def words(self, column: str) -> tuple[list[str], Codes]:
        """A column's distinct values, and the number of each row's value."""
        if column not in self._known:
            self._known[column] = self._words(column)
        return self._known[column]

    def _words(self, column: str) -> tuple[list[str], Codes]:
        labels, code = codes(self._table, column)
        # An earlier version called the wording of the released files so.
        return [RELEASED if label == "revised" else label for label in labels], small(code)

    @cached_property
    def usable(self) -> Mask:
        """Where all verbs are words."""
        return np.asarray(self._table["usable"].to_numpy(), dtype=bool)

    @cached_property
    def seeds(self) -> Mask:
        """The rows of the seed sentence."""
        return self.where(polarity=SEED)

    @cached_property
    def asked(self) -> Mask:
        """The rows of questions that were asked."""
        return self.usable & ~self.seeds

    @property
    def lowest_rank(self) -> int:
        """The first rank that was asked for."""
        return int(self._table["rank"].to_numpy().min())

    @property
    def ties(self) -> int:
        """How many answers are ties within rounding."""
        return int(np.count_nonzero(self._table["tie"].to_numpy()))

    def where(self, **facets: Facet) -> Mask:
        """The rows that have these values; a tuple allows any of its values."""
        return self.having(self.kinds(**facets))

    def having(self, kinds: Mask) -> Mask:
        """The rows of these kinds."""
        return np.asarray(kinds[self._kinds[1]], dtype=bool)

    def kinds(self, **facets: Facet) -> Mask:
        """The kinds of row that have these values; rows are of one kind if all facets agree."""
        kinds, kind = self._kinds
        chosen = np.ones(int(kind.max(initial=-1)) + 1, dtype=bool)
        for column, wanted in facets.items():
            values = wanted if isinstance(wanted, tuple) else (wanted,)
            chosen &= np.array([label in values for label in kinds[column]], dtype=bool)
        return chosen

    @cached_property
    def _kinds(self) -> tuple[dict[str, list[str | int]], Codes]:
        """What each kind of row has in the columns, and the kind of each row.

        Rows are chosen by a look at their few kinds, not at each of them.
        """
        kind: Codes = np.zeros(len(self), dtype=np.int32)
        found: dict[str, list[str | int]] = {}
        for column in _FACETS:
            if column not in self._table.column_names:
                continue
            labels, code = self._labels(column)
            finer = crossed(kind, code)
            first = np.zeros(int(finer.max(initial=-1)) + 1, dtype=np.int32)
            first[finer] = np.arange(len(finer), dtype=np.int32)
            coarse = kind[first].tolist()
            found = {name: [values[k] for k in coarse] for name, values in found.items()}
            found[column] = [labels[k] for k in code[first].tolist()]
            kind = finer
        return found, small(kind)

    def _labels(self, column: str) -> tuple[Sequence[str | int], Codes]:
        if column not in _NUMBERS:
            return self._words(column)
        values, code = np.unique(self._table[column].to_numpy(), return_inverse=True)
        return values.tolist(), small(code)

    def shares(self, suite: str, rule: str, chosen: Mapping[str, Mask]) -> Shares:
        """The shares of repetition by that rule over kinds of rows, as far as they were asked."""
        asked = self.asked
        repeats: Mask = np.asarray(self._table[rule].to_numpy(), dtype=bool)[asked]
        clusters = cluster_codes(self._table, np.flatnonzero(asked))
        items = ItemColumns(
            self._table,
            keys=_SAID,
            clusters=partial(cluster_labels, self._table),
            answers=("answer",),
        )
        kind = self._kinds[1][asked]
        there = np.zeros(int(self._kinds[1].max(initial=-1)) + 1, dtype=bool)
        there[kind] = True
        kinds = {name: Kinds(kind, one & there) for name, one in chosen.items()}
        return Shares(suite, repeats, clusters, kinds, items, np.flatnonzero(asked))


def small(code: Codes) -> Codes:
    """The same numbers in as few bytes as they need: each column has one for every row."""
    return code.astype(np.min_scalar_type(-1 - int(code.max(initial=0))))  # signed


def most_common(code: Codes) -> list[tuple[int, int]]:
    """Each number with its count, the most frequent first, and of equals the first that occurs.

    >>> most_common(np.array([2, 0, 1, 0, 2]))
    [(2, 2), (0, 2), (1, 1)]
    """
    numbers, first, counts = np.unique(code, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))
    return list(zip(numbers[order].tolist(), counts[order].tolist(), strict=True))


SEED_TITLES = {
    "verbs": "The model's own verbs, by rank",
    "seeds": "Seed sentences without a usable verb",
}
_MOST_FREQUENT = 5


class Frequencies:
    """How many different words some rows have, and how often the most frequent ones."""

    def __init__(self, suite: str, rows: Rows) -> None:
        self._suite, self._rows = suite, rows

    def words(
        self, table: str, condition: str, column: str, here: Mask, metrics: tuple[str, str]
    ) -> list[Measure]:
        """The number of different words, the share of the most frequent ones, and of the first.

        `metrics` are the names of the number and of the first word's share, where `{word}` stands
        for the word.
        """
        words, code = self._rows.words(column)
        counted = most_common(code[here])
        types, first = metrics
        count = Measure.given(
            Estimate(
                self._suite, table, condition, types, float(len(counted)), n=int(here.sum()),
                unit="count",
            )
        )  # fmt: skip
        if not counted:
            return [count]
        top = [number for number, _ in counted[:_MOST_FREQUENT]]
        listed = ", ".join(words[number] for number in top)
        most = words[top[0]]
        several = self.share(table, condition, "top5_share", here, np.isin(code, top), listed)
        metric, note = first.replace("{word}", most), None if "{word}" in first else most
        one = self.share(table, condition, metric, here, code == top[0], note)
        return [count, several, one]

    def share(
        self, table: str, condition: str, metric: str, here: Mask, hits: Mask,
        note: str | None = None,
    ) -> Measure:  # fmt: skip
        """The share of hits among some rows."""
        # What is kept until the figure is wanted has as few bytes as possible.
        places = np.flatnonzero(here).astype(np.int32)
        estimator = partial(self._share, places, hits[places])
        return Measure(self._suite, table, condition, metric, estimator, note=note)

    def _share(self, places: Codes, hits: Mask) -> Estimate:
        pairs = {kind: code[places] for kind, code in self._pairs.items()}
        shares = Shares(self._suite, hits, pairs, {"here": np.ones(len(hits), dtype=bool)})
        return shares.share("", "", "", "here").estimate

    @cached_property
    def _pairs(self) -> dict[str, Codes]:
        """The name and the profession of each row; the word is what the model says here."""
        units, unit = self._rows.words("unit")
        return {kind: code[unit] for kind, code in pair_codes(units).items()}


class Seeds(Frequencies):
    """Figures of the seed sentence's answers."""

    def measures(self, ranks: Sequence[int]) -> list[Measure]:
        """The verbs at these ranks, and how often there is none."""
        return [
            *(measure for rank in ranks for measure in self._verbs(rank)),
            *(self._unusable(rank) for rank in ranks),
            self._first_is_no_word(),
        ]

    def _verbs(self, rank: int) -> list[Measure]:
        """How many verbs there are at a rank, and how many pairs the most frequent ones take."""
        here = self._rows.seeds & self._rows.usable & self._rows.where(rank=rank)
        return self.words("verbs", f"rank {rank}", "verb", here, ("verb_types", "{word}_share"))

    def _unusable(self, rank: int) -> Measure:
        """The share of pairs for which the guess at a rank is not a word."""
        here = self._rows.seeds & self._rows.where(rank=rank)
        return self.share("seeds", f"rank {rank}", "no_word", here, ~self._rows.usable)

    def _first_is_no_word(self) -> Measure:
        """The share of pairs whose very first guess is not a word, whatever the ranks count."""
        words, code = self._rows.words("answer")
        here = self._rows.seeds & self._rows.where(rank=self._rows.lowest_rank)
        no_word = np.array([not is_word(word) for word in words])[code]
        counted = most_common(code[here & no_word])
        listed = ", ".join(f"{words[number]} ({count:,})" for number, count in counted[:3])
        return self.share("seeds", "first of all guesses", "no_word", here, no_word, listed or None)

    def notes(self) -> tuple[str, str]:
        """How many questions were left out for want of a verb, and how many answers are ties."""
        rows = self._rows
        questions = int((~rows.seeds).sum())
        left_out = int((~rows.usable & ~rows.seeds).sum())
        return (
            f"{left_out:,} of {questions:,} questions were not asked, because a guess at their "
            "rank is not a word; the shares do not count them.",
            f"{rows.ties:,} of {int(rows.asked.sum()):,} answers are ties within rounding.",
        )


HALF = 50.0
RULE = f"(wanted: below {HALF:.0f} % after a negation, and clearly more without one)"


def verdict(
    negated: Estimate,
    positive: Estimate,
    delta: Estimate,
    effect: float,
    misprimed: Estimate | None = None,
    referent: Estimate | None = None,
) -> Ruling:
    """The outcome, the reason in a sentence, and the figures."""
    if negated.value is None or positive.value is None:
        return ruled(NOT_MEASURED, "no question could be asked.", "")
    figures = (
        f"It repeats the verb in {shown(negated)} % of the cases after a negated context, in "
        f"{shown(positive)} % after a positive one"
    )
    robust = Claim(True)
    if misprimed is not None and misprimed.value is not None:
        robust = below(misprimed, HALF)
        figures += f", and in {shown(misprimed)} % after a misprime"
    figures += f" {RULE}.{_caution(positive, referent)}"
    seldom, sensitive = below(negated, HALF), clear(delta, effect)
    if seldom.holds is False:
        return ruled(FAILS, "it repeats the very verb that was negated in most cases.", figures)
    if nil(delta, effect):
        why = "it repeats the verb about as often after a negated context as after a positive one."
        return ruled(NO_EFFECT, why, figures)
    if sensitive.holds is False:
        why = "it repeats the verb hardly less after a negated context than after a positive one."
        return ruled(FAILS, why, figures)
    claims = (seldom, sensitive)
    if not all(claim.holds for claim in claims):
        why = "these answers leave open whether it takes the negation into account."
        # Whether the contexts differ decides first, whatever the level.
        return ruled(UNDECIDED, why, figures, claims[sensitive.holds is None :])
    if robust.holds is False:
        why = (
            "it takes the negation into account, unless something is said in between (a misprime)."
        )
        return ruled(PART, why, figures)
    if robust.holds is None:
        why = "it takes the negation into account; whether also after a misprime is open."
        return ruled(PART, why, figures, (robust,))
    why = "it repeats a verb clearly less often when it was negated, and seldom then."
    return ruled(PASSES, why, figures)


def _caution(positive: Estimate, referent: Estimate | None) -> str:
    """A caution if repetition is rare everywhere: then it says little about negation."""
    rare = []
    if positive.high is not None and positive.high < HALF:
        rare.append(f"after a positive context ({shown(positive)} %)")
    if referent is not None and referent.high is not None and referent.high < HALF:
        rare.append(f"in questions about another person ({shown(referent)} %)")
    if not rare:
        return ""
    return f" It also seldom repeats the verb {' or '.join(rare)}, where nothing forbids it."
