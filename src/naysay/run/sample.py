"""Whether a larger sample would settle what a run leaves open, and how large."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from naysay.core.records import Finding
from naysay.run.manifest import Manifest
from naysay.suites.protocol import Suite

_HOPELESS = 1000.0
"""So many times the sample is more than anybody asks."""


@dataclass(frozen=True)
class Extent:
    """How many units of a suite were asked, and how many there are; None if that is not known."""

    asked: int
    of: int | None
    whole: bool
    """Whether none is left."""

    @classmethod
    def of_run(cls, manifest: Manifest, suite: Suite) -> Extent:
        """The extent of a finished run; earlier versions did not record the total."""
        asked, total = manifest.units.get(suite.name, 0), manifest.totals.get(suite.name)
        limit = manifest.run_spec.limit_or(suite.default_limit)
        whole = limit is None or asked < limit or asked == total
        return cls(asked, total, whole)


def with_advice(finding: Finding, suite: Suite, extent: Extent) -> Finding:
    """The finding, its verdict followed by what would settle it, if anything would."""
    if finding.needed is None:
        return finding
    return replace(finding, verdict=f"{finding.verdict} {advice(finding.needed, suite, extent)}")


def advice(needed: float, suite: Suite, extent: Extent) -> str:
    """How large a sample would settle it, from the variance that was seen."""
    units = suite.unit_name
    if extent.whole:
        return f"All {extent.asked:,} {units} were asked, so no larger sample can settle it."
    wanted = rounded_up(extent.asked * needed) if needed < _HOPELESS else None
    if wanted is None or (extent.of is not None and wanted > extent.of):
        return f"More {units} would hardly settle it: the figures are too near to the limits."
    return f"About {wanted:,} {units} would settle it (--limit {wanted})."


def rounded_up(number: float) -> int:
    """A whole number with two digits that say something, not below the given one.

    >>> rounded_up(123.4), rounded_up(7.2), rounded_up(3_010)
    (130, 8, 3100)
    """
    whole = math.ceil(number)
    unit = int(10 ** max(len(str(whole)) - 2, 0))
    return math.ceil(whole / unit) * unit
