"""Results of a run: estimates, and the finding of each suite."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


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

    def as_dict(self) -> dict[str, Any]:
        """Return the estimate as plain values, ready for JSON."""
        return asdict(self)


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
    """One of `passes`, `passes in part`, `fails`, `no effect`, `undecided`, `not measured`."""
    verdict: str
    notes: tuple[str, ...] = ()
    """Remarks of the suite, such as what was left out; shown below its tables."""
    details: frozenset[str] = frozenset()
    """Tables too long for a terminal; shown in the report."""
    appendix: tuple[Appendix, ...] = ()
    """Word tables too long for a terminal; shown in the report."""
    comparable: bool = True
    """Whether the paper's figures are about the same items."""
    needed: float | None = None
    """How many times as large a sample would settle what is open; None if nothing is."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Which words of a suite's list are usable with a model, and why the rest are not."""

    used: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """(word, reason) for every word that is not used."""
    about: dict[str, Any] = field(default_factory=dict)
    """Further facts about the run's items that the figures need, as plain values."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fit as plain values, ready for JSON."""
        left_out = [list(pair) for pair in self.left_out]
        return {"used": list(self.used), "left_out": left_out, "about": self.about}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Fit:
        """Restore a fit from `as_dict`."""
        left_out = tuple((str(word), str(reason)) for word, reason in data["left_out"])
        return cls(tuple(data["used"]), left_out, dict(data.get("about", {})))
