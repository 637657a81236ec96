"""One figure in two runs: how much it changed, how sure that is, and both in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

SHOWN = 0.05
"""The significance level of adjusted p-values."""
UNPAIRED = "unpaired"
"""The method of a difference between figures on different items."""
_UNITS = {"%": "points", "points": "points", "rho": "(ρ times 100)", "score": ""}


@dataclass(frozen=True, slots=True)
class Change:
    """One figure in the first run and in another.

    It is paired, on the items that all runs have; or, where these are too few for an interval,
    unpaired, on each run's own items. Percentages and ρ are times 100, and so are differences; None
    means not applicable.
    """

    suite: str
    table: str
    condition: str
    metric: str
    unit: str
    wanted: str | None
    run: int
    """Which of the runs it is about; 1 is the second."""
    first: float | None
    second: float | None
    difference: float | None
    """How much higher the other run's figure is than the first one's."""
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    """Adjusted for all figures of the table (Holm 1979)."""
    p_mcnemar: float | None = None
    """McNemar's exact test, which treats items as independent; no verdict rests on it."""
    detectable: float | None = None
    """The minimum detectable difference at 80 % power."""
    error: float | None = None
    """The standard error of a paired difference."""
    degrees: float | None = None
    """Degrees of freedom of Student's distribution."""
    n: int = 0
    """How many items are compared; of an unpaired figure, those of the run that has fewer."""
    n_first: int = 0
    """How many items of the figure the first run has."""
    n_second: int = 0
    clusters: int | None = None
    clusters_by: dict[str, int] = field(default_factory=dict)
    method: str | None = None
    up: int | None = None
    """How many items went from 0 to 1."""
    down: int | None = None

    @property
    def unpaired(self) -> bool:
        """Whether each run's figure is on its own items."""
        return self.method == UNPAIRED

    @property
    def coverage(self) -> float | None:
        """The percentage of the first run's items that the other run has, too; None if it has none.

        Where the figure is unpaired, the runs share no items to speak of.
        """
        if not self.n_first:
            return None
        return 0.0 if self.unpaired else 100 * self.n / self.n_first

    @property
    def shown(self) -> bool:
        """Whether the difference is significant after correction for the figures of its table."""
        return self.p_holm is not None and self.p_holm < SHOWN

    @property
    def gain(self) -> float | None:
        """How much better the other run is; negative where it is worse."""
        if self.wanted is None or self.difference is None:
            return None
        return self.difference if self.wanted == "high" else -self.difference

    @property
    def newly_right(self) -> int | None:
        """How many items are right in the other run and wrong in the first."""
        return self.down if self.wanted == "low" else self.up

    @property
    def newly_wrong(self) -> int | None:
        """How many items are right in the first run and wrong in the other."""
        return self.up if self.wanted == "low" else self.down

    def as_dict(self) -> dict[str, Any]:
        """The change as plain values, ready for JSON."""
        return asdict(self)


def verdict(label: str, changes: Sequence[Change]) -> str:
    """Where the other run is better or worse, or the minimum detectable difference."""
    known = [change for change in changes if change.difference is not None]
    if not known:
        return "No item in common, and no item of its own in one of the runs: not comparable."
    parts = []
    for word, chosen in (
        ("better", [c for c in known if c.shown and (c.gain or 0) > 0]),
        ("worse", [c for c in known if c.shown and (c.gain or 0) < 0]),
        ("higher", [c for c in known if c.shown and c.gain is None and (c.difference or 0) > 0]),
        ("lower", [c for c in known if c.shown and c.gain is None and (c.difference or 0) < 0]),
    ):
        if chosen:
            parts.append(f"is {word} in {_listed([_by(c, known) for c in chosen])}")
    nearly = [c for c in known if not c.shown and c.p is not None and c.p < SHOWN]
    if parts:
        text = f"{label} {', and '.join(parts)}."
    elif not any(c.unpaired or c.difference or c.up or c.down for c in known):
        text = f"{label} answers all of these items alike."
        return f"{text}{_unseen(known)}"
    else:
        text = f"No significant difference{_detectable(known)}."
    if nearly:
        named = _listed([_by(c, known) for c in nearly])
        text += f" Not significant after Holm's correction: {named}."
    return text


def unpaired_note(changes: Sequence[Change]) -> str:
    """What must be known of the unpaired figures of a table; empty if all are paired."""
    own = [change for change in changes if change.unpaired]
    if not own:
        return ""
    which = ""
    if len(own) < len(changes):
        which = f" ({_listed([name_of(change, changes) for change in own])})"
    return (
        f"Unpaired{which}: the runs share no items, or only some of a single cluster, which allow "
        "no interval. So each figure is on the run's own items, and a difference may come from the "
        "items instead of the model."
    )


def name_of(change: Change, among: Sequence[Change]) -> str:
    """The name of a change within its table: its condition, its metric, or both."""
    conditions = {c.condition for c in among}
    metrics = {c.metric for c in among}
    if len(among) > 1 and len(metrics) == 1:
        return change.condition
    return change.metric if len(conditions) == 1 else f"{change.condition}: {change.metric}"


def _by(change: Change, among: Sequence[Change]) -> str:
    """The absolute difference with its interval."""
    assert change.difference is not None
    unit = _UNITS[change.unit]
    text = f"{name_of(change, among)} by {abs(change.difference):.1f} {unit}".rstrip()
    own = ", unpaired" if change.unpaired else ""
    if change.low is None or change.high is None:
        return text + own
    bounds = (change.low, change.high) if change.difference >= 0 else (-change.high, -change.low)
    return f"{text} ({bounds[0]:.1f} to {bounds[1]:.1f}{own})"


def _detectable(changes: Sequence[Change]) -> str:
    found = sorted(c.detectable for c in changes if c.detectable is not None)
    if not found:
        return "; too few clusters for a test"
    low, high = f"{found[0]:.1f}", f"{found[-1]:.1f}"
    units = {_UNITS[change.unit] for change in changes}
    unit = f" {units.pop()}" if len(units) == 1 else ""
    if low == high:
        return f"; the minimum detectable difference is {low}{unit}"
    return f"; the minimum detectable difference is {low} to {high}{unit}, depending on the figure"


def _unseen(changes: Sequence[Change]) -> str:
    text = _detectable(changes)
    return f" {text[2:3].upper()}{text[3:]}." if text else ""


def _listed(parts: Sequence[str]) -> str:
    """The parts with commas, and “and” before the last."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last
