"""What a run produces: estimates, and the findings of one suite."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Estimate:
    """One figure with its interval. Percentages are 0 to 100; None means not measured.

    `clusters` counts the clusters of the way that has fewest, since that one limits what the
    sample can tell; `clusters_by` has all of them. `method` says how the interval was made.
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
    method: str | None = None
    note: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The estimate as plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Appendix:
    """A table of words."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one suite says of one model: its estimates and a verdict in plain words."""

    suite: str
    estimates: tuple[Estimate, ...]
    titles: dict[str, str]
    """What each table shows, in the order of showing."""
    outcome: str
    """One of `passes`, `fails`, `undecided`, `not measured`."""
    verdict: str
    notes: tuple[str, ...] = ()
    """What was left out, flagged or stated by the suite; shown under its tables."""
    details: frozenset[str] = frozenset()
    """Tables too long for a terminal; they stand in the report."""
    appendix: tuple[Appendix, ...] = ()
    """Words that belong to the figures, too long for a terminal; they stand in the report."""
    comparable: bool = True
    """Whether the paper's figures are about the same items."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What of a suite's word list can be asked of a model, and why the rest cannot."""

    used: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """(word, reason) for every word that is not used."""
    about: dict[str, Any] = field(default_factory=dict)
    """What else the figures have to know of the run's items, as plain values."""

    def as_dict(self) -> dict[str, Any]:
        """The fit as plain values, ready for JSON."""
        left_out = [list(pair) for pair in self.left_out]
        return {"used": list(self.used), "left_out": left_out, "about": self.about}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Fit:
        """The fit that `as_dict` wrote."""
        left_out = tuple((str(word), str(reason)) for word, reason in data["left_out"])
        return cls(tuple(data["used"]), left_out, dict(data.get("about", {})))
