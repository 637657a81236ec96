"""Whether a larger sample would settle what a run leaves open, and how large."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from naysay.core.records import GIVEN, PART, PASSES, UNDECIDED, Finding, Fit
from naysay.run.manifest import Manifest
from naysay.suites.protocol import Suite

_HOPELESS = 1000.0
"""So many times the sample is more than anybody asks."""
FEWEST = 5
"""With fewer units no model passes, whatever the answers."""


@dataclass(frozen=True)
class Extent:
    """How many units of a suite were asked, and how many there are; None if that is not known."""

    asked: int
    of: int | None
    whole: bool
    """Whether none is left."""

    @classmethod
    def of_run(cls, manifest: Manifest, suite: Suite, fit: Fit) -> Extent:
        """The extent of a finished run; earlier versions did not record the total."""
        asked, total = manifest.units.get(suite.name, 0), fit.about.get("available")
        limit = manifest.run_spec.limit_or(suite.default_limit)
        whole = limit is None or asked < limit or asked == total
        return cls(asked, total, whole)


def with_advice(finding: Finding, suite: Suite, extent: Extent) -> Finding:
    """The finding, its verdict followed by what would settle it, if anything would.

    What a few units show is about these alone, so no model passes by them.
    """
    finding = replace(finding, notes=(*finding.notes, *_conditions(finding)))
    if extent.asked < FEWEST and finding.outcome in (PASSES, PART):
        why = f"only {extent.asked} of the {suite.unit_name} were asked; ask at least {FEWEST}."
        evidence = f"What they show: {finding.why} {finding.evidence}".strip()
        return replace(finding, outcome=UNDECIDED, why=why, evidence=evidence)
    if finding.needed is None:
        return finding
    return replace(finding, advice=advice(finding.needed, suite, extent))


def _conditions(finding: Finding) -> list[str]:
    """For which clusters alone intervals are, where there are too few of a kind."""
    methods = [e.method or "" for e in finding.estimates if e.table not in finding.details]
    found = dict.fromkeys(method.partition(GIVEN)[2] for method in methods if GIVEN in method)
    return [f"Some intervals are for {text} only: these are too few to vary." for text in found]


def advice(needed: float, suite: Suite, extent: Extent) -> str:
    """How large a sample would settle it, from the variance that was seen."""
    units = suite.unit_name
    if extent.whole:
        return f"All {extent.asked:,} {units} were asked; no larger sample can settle it."
    wanted = rounded_up(extent.asked * needed) if needed < _HOPELESS else None
    if wanted is None or (extent.of is not None and wanted > extent.of):
        return f"More {units} would hardly settle it: a figure is too near to its limit."
    return f"About {wanted:,} {units} may settle it (--limit {wanted})."


def rounded_up(number: float) -> int:
    """A whole number with two digits that say something, not below the given one.

    >>> rounded_up(123.4), rounded_up(7.2), rounded_up(3_010)
    (130, 8, 3100)
    """
    whole = math.ceil(number)
    unit = int(10 ** max(len(str(whole)) - 2, 0))
    return math.ceil(whole / unit) * unit
