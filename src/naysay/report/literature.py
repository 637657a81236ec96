"""Our figures beside those that papers print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from naysay.evaluation import Evaluation
from naysay.records import Estimate
from naysay.report.reasons import Reason, reasons_for
from naysay.report.sections import Chart
from naysay.report.tables import interval, number
from naysay.report.vega import scatter

_DIGITS = {"score": 3}


@dataclass(frozen=True)
class Comparison:
    """One of our figures beside the printed one."""

    model: str
    suite: str
    title: str
    """What the table is called."""
    estimate: Estimate
    reasons: tuple[Reason, ...]
    """Why the printed figure may lie outside our interval; empty where it lies inside."""

    @property
    def difference(self) -> float:
        """Ours less the printed one."""
        e = self.estimate
        assert e.value is not None and e.published is not None
        return e.value - e.published

    @property
    def shown(self) -> tuple[str, str, str, str]:
        """Our figure, its interval, the printed figure and the difference, as they are shown."""
        e = self.estimate
        digits = _DIGITS.get(e.unit, 1)
        return (
            number(e.value, e.unit),
            interval(e),
            number(e.published, e.unit),
            f"{self.difference:+.{digits}f}",
        )

    @property
    def where(self) -> str:
        """Where the printed figure lies."""
        return where(self.estimate)


def where(estimate: Estimate) -> str:
    """Where the printed figure lies: inside our interval, below or above it.

    Both are compared as they are shown, since a paper prints so many digits and no more.
    """
    low, high, printed = estimate.low, estimate.high, estimate.published
    if low is None or high is None or printed is None:
        return "no interval"
    digits = _DIGITS.get(estimate.unit, 1)
    if round(printed, digits) < round(low, digits):
        return "below"
    return "above" if round(printed, digits) > round(high, digits) else "inside"


def comparisons(labelled: Sequence[tuple[str, Evaluation]]) -> list[Comparison]:
    """All figures that a paper prints for the tested models, on items that can be compared."""
    found = []
    for label, evaluation in labelled:
        for finding in evaluation.findings:
            if not finding.comparable:
                continue
            for estimate in finding.estimates:
                if estimate.published is None or estimate.value is None:
                    continue
                if estimate.unit == "count":  # sizes of the samples, not what the model does
                    continue
                outside = where(estimate) != "inside"
                reasons = tuple(reasons_for(evaluation, finding, estimate)) if outside else ()
                title = finding.titles[estimate.table]
                found.append(Comparison(label, finding.suite, title, estimate, reasons))
    return found


def against(beside: Sequence[Comparison], models: Sequence[str]) -> Chart:
    """Ours against the printed figures: on the slanting line they are the same."""
    chosen = [one for one in beside if one.estimate.unit in ("%", "rho")] or list(beside)
    points = [
        {
            "model": one.model,
            "of": f"{one.suite}: {one.estimate.condition}, {one.estimate.metric}",
            "published": one.estimate.published,
            "value": round(one.estimate.value or 0.0, 4),
            "figure": one.shown[0],
            "interval": one.shown[1],
            "printed": one.shown[2],
            "lies": one.where,
        }
        | ({} if one.estimate.low is None else {"low": one.estimate.low, "high": one.estimate.high})
        for one in chosen
    ]
    inside = sum(one.where == "inside" for one in chosen)
    present = {one.model for one in chosen}
    return Chart(
        "against-published",
        "Ours against published",
        scatter(points, models),
        f"Scatter chart: {len(chosen)} of our figures against the published ones; {inside} of "
        "these lie inside the interval of ours. The tables have all of them.",
        tuple(model for model in models if model in present),
    )
