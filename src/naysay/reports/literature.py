"""Our figures compared with those in the papers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from naysay.core.numbers import DIGITS
from naysay.core.records import APPROXIMATE, BOUNDS, Difference, Estimate
from naysay.reports.sections import Chart
from naysay.reports.tables import NONE, interval, number, printed
from naysay.reports.vega import scatter
from naysay.run.differences import differences_of
from naysay.run.evaluation import Evaluation
from naysay.suites import published
from naysay.suites.identity import ModelIdentity


@dataclass(frozen=True)
class PublishedComparison:
    """One of our figures and the published one."""

    model: str
    suite: str
    title: str
    """What the table is called."""
    estimate: Estimate
    differences: tuple[Difference, ...]
    """How the run differs from the paper."""
    contradictions: tuple[Difference, ...] = ()
    """Where the paper contradicts itself about the figure."""

    @property
    def reasons(self) -> tuple[Difference, ...]:
        """Why the figures may differ; none where they agree."""
        return () if self.agrees else (*self.differences, *self.contradictions)

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
        sign = f"{APPROXIMATE} " if e.published_sign == APPROXIMATE else ""
        difference = f"{sign}{self.difference:+.{DIGITS.get(e.unit, 1)}f}"
        is_bound = e.published_sign in BOUNDS.values()
        return number(e.value, e.unit), interval(e), printed(e), NONE if is_bound else difference

    @property
    def where(self) -> str:
        """Where the printed figure lies."""
        return where(self.estimate)

    @property
    def agrees(self) -> bool:
        """Whether the printed figure lies inside our interval, or ours on its side of a bound."""
        return self.where in (INSIDE, KEPT)


INSIDE, KEPT, NOT_KEPT = "inside", "bound: ours keeps it", "bound: ours does not keep it"
_KEEPS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "≤": operator.le, ">": operator.gt, "≥": operator.ge,
}  # fmt: skip


def where(estimate: Estimate) -> str:
    """Where the printed figure lies: inside our interval, below or above it.

    A figure stands for all that is rounded to its last printed digit. Of a bound it is said whether
    ours keeps it.
    """
    low, high, figure = estimate.low, estimate.high, estimate.published
    if figure is not None and (keeps := _KEEPS.get(estimate.published_sign)) is not None:
        assert estimate.value is not None
        return KEPT if keeps(estimate.value, figure) else NOT_KEPT
    if low is None or high is None or figure is None:
        return "no interval"
    half = 0.5 * 10.0 ** -_printed_digits(estimate) + 1e-9
    if figure + half < low:
        return "below"
    return "above" if figure - half > high else INSIDE


def _printed_digits(estimate: Estimate) -> int:
    if estimate.published_as is None:  # figures of earlier versions
        return DIGITS.get(estimate.unit, 1)
    return len(estimate.published_as.partition(".")[2])


def comparisons(labelled: Sequence[tuple[str, Evaluation]]) -> list[PublishedComparison]:
    """All figures that a paper prints for the tested models, on items that can be compared."""
    found = []
    for label, evaluation in labelled:
        for finding in evaluation.findings:
            for estimate in finding.estimates:
                if estimate.published is None or estimate.value is None:
                    continue
                if estimate.unit == "count":  # sizes of the samples, not what the model does
                    continue
                found.append(
                    PublishedComparison(
                        label, finding.suite, finding.titles[estimate.table], estimate,
                        tuple(differences_of(finding, estimate)),
                        _contradictions(evaluation, estimate),
                    )
                )  # fmt: skip
    return found


def _contradictions(evaluation: Evaluation, estimate: Estimate) -> tuple[Difference, ...]:
    model = ModelIdentity.of(evaluation.manifest.model)
    said = published.contradictions(
        estimate.suite, {estimate.table}, model, evaluation.spec.language
    )
    return tuple(Difference("paper", f"The paper contradicts itself. {one}") for one in said)


def against(beside: Sequence[PublishedComparison], models: Sequence[str]) -> Chart:
    """Our figures against the published ones; on the diagonal they are equal."""
    placed = [one for one in beside if one.estimate.published_sign not in BOUNDS.values()]
    chosen = [one for one in placed if one.estimate.unit in ("%", "rho")] or placed
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
    inside = sum(one.where == INSIDE for one in chosen)
    present = {one.model for one in chosen}
    return Chart(
        "against-published",
        "Ours against published",
        scatter(points, models),
        f"Scatter chart: {len(chosen)} of our figures against the published ones; {inside} of "
        "these lie inside the interval of ours. The tables have all of them.",
        tuple(model for model in models if model in present),
    )
