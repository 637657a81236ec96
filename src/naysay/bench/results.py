"""What a benchmark has measured, as it is stored in JSON."""

from __future__ import annotations

from pathlib import Path

import msgspec

from naysay.core.errors import RunError

SCHEMA = 1
"""Raised when the fields change."""


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """One way to ask, in its best round."""

    way: str
    passes: int = 0
    """The texts that a model computes if everything is asked in this way."""
    timed: int = 0
    """How many of them were timed in the best round."""
    seconds: float | None = None
    """For all passes; where a part was timed, its seconds multiplied by all passes over it."""
    same: int = 0
    """How many answers are those of the ways before it …"""
    compared: int = 0
    """… of those that it has in common with them."""
    missing: str = ""
    """Why it was not measured."""

    @property
    def per_second(self) -> float | None:
        """Passes per second."""
        return self.passes / self.seconds if self.seconds else None


class Target(msgspec.Struct, frozen=True):
    """How many times as fast one way must be as another."""

    way: str
    over: str
    least: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Ways to ask the same questions; the first is the one that others are compared with."""

    name: str
    title: str
    passes: str = "passes"
    """What its passes are called."""
    timings: tuple[Timing, ...]
    targets: tuple[Target, ...] = ()
    notes: tuple[str, ...] = ()

    def ratio(self, way: str, over: str) -> float | None:
        """How many times as fast a way is as another; None if either was not measured."""
        seconds = {timing.way: timing.seconds for timing in self.timings}
        fast, slow = seconds.get(way), seconds.get(over)
        return slow / fast if fast and slow else None


class Quantity(msgspec.Struct, frozen=True, kw_only=True):
    """One figure, with the bound that it must keep, if any."""

    name: str
    value: float | None
    unit: str = ""
    most: float | None = None
    least: float | None = None

    @property
    def holds(self) -> bool | None:
        """Whether it keeps its bound; None if it has none or was not measured."""
        if self.value is None or (self.most is None and self.least is None):
            return None
        return (self.most is None or self.value <= self.most) and (
            self.least is None or self.value >= self.least
        )


class Quantities(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Figures that stand for themselves."""

    name: str
    title: str
    quantities: tuple[Quantity, ...]
    notes: tuple[str, ...] = ()


class Point(msgspec.Struct, frozen=True):
    """What one size costs."""

    size: float
    seconds: float
    megabytes: float | None = None


class Growth(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Cost against size, with the exponent of the power law that fits it best."""

    name: str
    title: str
    along: str
    """What the sizes are."""
    points: tuple[Point, ...]
    exponent: float | None
    wanted: tuple[float, float] | None = None
    """The bounds of the exponent."""
    notes: tuple[str, ...] = ()


Result = Comparison | Quantities | Growth


class PartReport(msgspec.Struct, frozen=True, kw_only=True):
    """All results of one part."""

    name: str
    title: str
    results: tuple[Result, ...]
    seconds: float


class BenchReport(msgspec.Struct, frozen=True, kw_only=True):
    """A whole benchmark, and the machine that it ran on."""

    schema: int = SCHEMA
    naysay: str
    quick: bool
    rounds: int
    machine: dict[str, str]
    parts: tuple[PartReport, ...] = ()


def to_json(report: BenchReport) -> str:
    """The report as text."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n"


def read_report(path: Path) -> BenchReport:
    """Read a stored report; refuse one that this version cannot read."""
    try:
        report = msgspec.json.decode(path.read_bytes(), type=BenchReport)
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RunError(f"{path} is not a report of naysay bench: {error}") from error
    if report.schema > SCHEMA:
        raise RunError(f"{path} was written by a newer naysay ({report.naysay})")
    return report
