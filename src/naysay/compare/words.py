"""What a comparison shows, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from naysay.compare.comparison import Change

SHOWN = 0.05
"""Below this an adjusted p-value shows a difference."""
_UNITS = {"%": "points", "points": "points", "rho": "(ρ times 100)", "score": ""}


def verdict(label: str, changes: Sequence[Change]) -> str:
    """Where the other run is better or worse, or what would have been seen."""
    known = [change for change in changes if change.difference is not None]
    if not known:
        return "No item in common, so nothing can be said."
    told = []
    for word, chosen in (
        ("better", [c for c in known if c.shown and (c.gain or 0) > 0]),
        ("worse", [c for c in known if c.shown and (c.gain or 0) < 0]),
        ("higher", [c for c in known if c.shown and c.gain is None and (c.difference or 0) > 0]),
        ("lower", [c for c in known if c.shown and c.gain is None and (c.difference or 0) < 0]),
    ):
        if chosen:
            told.append(f"is {word} in {_listed([_by(c, known) for c in chosen])}")
    nearly = [c for c in known if not c.shown and c.p is not None and c.p < SHOWN]
    if told:
        said = f"{label} {', and '.join(told)}."
    elif all(not c.difference and not c.up and not c.down for c in known):
        said = f"{label} answers all of these items alike."
        return f"{said}{_unseen(known)}"
    else:
        said = f"No difference shown{_detectable(known)}."
    if nearly:
        named = _listed([_by(c, known) for c in nearly])
        said += f" Not shown once all figures of the table are counted (Holm): {named}."
    return said


def name_of(change: Change, among: Sequence[Change]) -> str:
    """What tells a change from the others of its table: its condition, its metric, or both."""
    conditions = {c.condition for c in among}
    metrics = {c.metric for c in among}
    if len(among) > 1 and len(metrics) == 1:
        return change.condition
    return change.metric if len(conditions) == 1 else f"{change.condition}: {change.metric}"


def _by(change: Change, among: Sequence[Change]) -> str:
    """By how much, whichever way, with its interval."""
    assert change.difference is not None
    unit = _UNITS[change.unit]
    told = f"{name_of(change, among)} by {abs(change.difference):.1f} {unit}".rstrip()
    if change.low is None or change.high is None:
        return told
    bounds = (change.low, change.high) if change.difference >= 0 else (-change.high, -change.low)
    return f"{told} ({bounds[0]:.1f} to {bounds[1]:.1f})"


def _detectable(changes: Sequence[Change]) -> str:
    found = sorted(c.detectable for c in changes if c.detectable is not None)
    if not found:
        return "; there are too few clusters to tell"
    low, high = f"{found[0]:.1f}", f"{found[-1]:.1f}"
    units = {_UNITS[change.unit] for change in changes}
    unit = f" {units.pop()}" if len(units) == 1 else ""
    if low == high:
        return f"; one of {low}{unit} would have been seen"
    return f"; one of {low} to {high}{unit}, depending on the figure, would have been seen"


def _unseen(changes: Sequence[Change]) -> str:
    told = _detectable(changes)
    return f" {told[2:3].upper()}{told[3:]}." if told else ""


def _listed(parts: Sequence[str]) -> str:
    """The parts with commas, and “and” before the last."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last
