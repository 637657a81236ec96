"""Results of a run: estimates, and the finding of each suite."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

PASSES, PART, FAILS = "passes", "passes in part", "fails"
NO_EFFECT, UNDECIDED, NOT_MEASURED = "no effect", "undecided", "not measured"
OUTCOMES = (PASSES, PART, FAILS, NO_EFFECT, UNDECIDED, NOT_MEASURED)
"""What a verdict can be."""
APPROXIMATE = "≈"
GIVEN = ", for "
"""Before the clusters that were taken as they are, in the name of an interval's method."""
BOUNDS = {"below": "<", "at most": "≤", "above": ">", "at least": "≥"}
"""The signs of figures that a paper prints as bounds."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One figure with its interval. Percentages are 0 to 100; None means not measured.

    `clusters` is the smallest number of clusters of any kind, which limits the precision;
    `clusters_by` has all of them. `method` names the method of the interval.
    """

    suite: str
    table: str
    condition: str
    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    clusters: int | None = None
    published: float | None = None
    clusters_by: dict[str, int] = field(default_factory=dict)
    unit: str = "%"
    """`%`, `points` (a difference), `score`, `rho` (a correlation times 100), `count` or `p`."""
    design_effect: float | None = None
    error: float | None = None
    """The standard error, on the scale of the value; 0 where nothing varies."""
    degrees: float | None = None
    """Its degrees of freedom."""
    between: float | None = None
    """The part of the standard error that more rows of the same clusters would leave."""
    method: str | None = None
    note: str | None = None
    published_as: str | None = None
    """The published figure as the paper prints it: its digits, after `≈` or a bound's sign."""

    @property
    def published_sign(self) -> str:
        """`≈` if the published figure is approximate, `<`, `≤`, `>` or `≥` if it is a bound."""
        first = (self.published_as or "")[:1]
        return first if first in (APPROXIMATE, *BOUNDS.values()) else ""

    def as_dict(self) -> dict[str, Any]:
        """Return the estimate as plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between a run and the paper, and the figures that it is about."""

    tag: str
    text: str
    """A full sentence."""
    tables: tuple[str, ...] = ()
    """The tables that it is about; all if empty."""
    conditions: tuple[str, ...] = ()
    """The conditions that it is about; all if empty."""
    metrics: tuple[str, ...] = ()
    """The metrics that it is about; all if empty."""

    def is_about(self, estimate: Estimate) -> bool:
        """Whether it is about this figure."""
        named = (self.tables, self.conditions, self.metrics)
        names = (estimate.table, estimate.condition, estimate.metric)
        return all(not some or name in some for some, name in zip(named, names, strict=True))


@dataclass(frozen=True, slots=True)
class Appendix:
    """A table of words."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one suite on one model: its estimates and a verdict in plain words."""

    suite: str
    estimates: tuple[Estimate, ...]
    titles: dict[str, str]
    """The title of each table, in display order."""
    outcome: str
    """One of `OUTCOMES`."""
    why: str
    """The reason, in a sentence."""
    notes: tuple[str, ...] = ()
    """Remarks of the suite, such as what was left out; shown below its tables."""
    details: frozenset[str] = frozenset()
    """Tables too long for a terminal; shown in the report."""
    appendix: tuple[Appendix, ...] = ()
    """Word tables too long for a terminal; shown in the report."""
    differences: tuple[Difference, ...] = ()
    """What differs from the paper; said wherever a published figure is shown."""
    incomparable: tuple[Difference, ...] = ()
    """Where the published figures are about something else, and are therefore not shown."""
    published_notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By table: what a reader must know of the published figures in it, or missing from it."""
    needed: float | None = None
    """How many times as large a sample would settle what is open; None if nothing is."""
    evidence: str = ""
    """The figures behind the verdict, and the rule that they are held against."""
    advice: str = ""
    """What would settle what is open, if anything would."""
    meanings: dict[str, str] = field(default_factory=dict)
    """What the paper's labels of conditions mean in words."""
    directions: tuple[tuple[str, str, str, str], ...] = ()
    """Table, condition and metric of each figure of which `high` or `low` is expected."""

    @property
    def verdict(self) -> str:
        """The outcome, why, the figures behind it, and what would settle what is open."""
        return " ".join(filter(None, (f"{self.outcome}: {self.why}", self.evidence, self.advice)))

    def direction(self, estimate: Estimate) -> str:
        """Return `high` or `low`, whichever is expected of the figure; empty if neither is."""
        name = estimate.table, estimate.condition, estimate.metric
        return next((one[3] for one in self.directions if one[:3] == name), "")

    def meaning(self, label: str, *, pairs: bool = False) -> str:
        """What the paper's label in a row's label means; nothing if it has none, or several.

        With `pairs` also that of a difference between two of them.
        """
        found = [one for one in self.meanings if re.search(_whole(one), label)]
        if len(found) == 1:
            return self.meanings[found[0]]
        if not pairs or (pair := _pair(found, label)) is None:
            return ""
        return " minus ".join(self.meanings[one] for one in pair)

    def why_not(self, estimate: Estimate) -> str | None:
        """Why a published figure is not about the same thing as this one; None if it is."""
        return next((one.text for one in self.incomparable if one.is_about(estimate)), None)


def legend(meanings: Mapping[str, str], labels: Iterable[str]) -> str:
    """What the paper's labels in some rows' labels mean, in one line; empty if nothing is known.

    Of differences between two of them, the first is spelled out.

    >>> legend({"CpTn": "likes … isn't happy", "CpTv": "…"}, ["CpTn-CpTx", "all"])
    "CpTn: likes … isn't happy"
    >>> legend({"A": "any word", "C": "a wrong one"}, ["C-A"])
    'A: any word; C: a wrong one; C-A: C minus A'
    """
    rows = list(labels)
    every = "\n".join(rows)
    found = {one: words for one, words in meanings.items() if re.search(_whole(one), every)}
    parts = [f"{one}: {words}" for one, words in found.items()]
    pairs = (pair for row in rows if (pair := _pair(list(found), row)) is not None)
    parts += [f"{one}-{other}: {one} minus {other}" for one, other in pairs][:1]
    return "; ".join(parts)


def _pair(labels: Sequence[str], row: str) -> tuple[str, str] | None:
    """The two labels between which a row has the difference."""
    one = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    match = re.search(rf"(?<!\w)({one})(?:-| - (?:\w+ )?)({one})(?!\w)", row) if labels else None
    return None if match is None else (match[1], match[2])


def _whole(label: str) -> str:
    """The expression for a label that is not part of a longer word."""
    return rf"(?<!\w){re.escape(label)}(?!\w)"


@dataclass(frozen=True, slots=True)
class Fit:
    """Which words of a suite's list are usable with a model, and why the rest are not."""

    used: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """(word, reason) for every word that is not used."""
    about: dict[str, Any] = field(default_factory=dict)
    """Further facts about the run's items that the figures need, as plain values.

    `available` is how many units there are, drawn or not.
    """

    def as_dict(self) -> dict[str, Any]:
        """Return the fit as plain values, ready for JSON."""
        left_out = [list(pair) for pair in self.left_out]
        return {"used": list(self.used), "left_out": left_out, "about": self.about}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Fit:
        """Restore a fit from `as_dict`."""
        left_out = tuple((str(word), str(reason)) for word, reason in data["left_out"])
        return cls(tuple(data["used"]), left_out, dict(data.get("about", {})))
