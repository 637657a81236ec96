"""What a gate checks, one thing at a time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that had to hold, and whether it does."""

    kind: str
    """`baseline`, `published`, `min`, `max` or `hard`."""
    suite: str
    name: str
    passed: bool
    reason: str
    value: float | None = None
    against: float | None = None
    loss: float | None = None
    low: float | None = None
    high: float | None = None
    """The interval of the loss."""
    unit: str = "%"

    def as_dict(self) -> dict[str, Any]:
        """The check as plain values, ready for JSON."""
        return asdict(self)
