"""Our figures compared with those in the papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.core.options import flag
from naysay.core.records import Estimate, Finding
from naysay.reports.sections import Chart
from naysay.reports.tables import interval, number
from naysay.reports.vega import scatter
from naysay.run.evaluation import Evaluation
from naysay.suites import SUITES, published
from naysay.suites.report import report_of


@dataclass(frozen=True)
class Reason:
    """A known difference from the paper."""

    tag: str
    text: str


def reasons_for(evaluation: Evaluation, finding: Finding, estimate: Estimate) -> Iterator[Reason]:
    """What is known to differ from the paper, from the run's own record."""
    spec = evaluation.spec

    def values(option: str) -> Any:
        return spec.value(option, finding.suite)

    yield from _of_sample(evaluation, finding.suite)
    yield from (Reason(tag, text) for tag, text in report_of(finding.suite).reasons(values))
    yield from _of_model(evaluation)
    for contradiction in published.contradictions(
        finding.suite, {estimate.table}, evaluation.model, spec.language
    ):
        yield Reason("paper", f"The paper contradicts itself. {contradiction}")


def _of_sample(evaluation: Evaluation, suite_name: str) -> Iterator[Reason]:
    spec, suite = evaluation.spec, SUITES.get(suite_name)
    units = evaluation.manifest.units.get(suite_name, 0)
    limit = spec.limit_or(suite.default_limit)
    if limit is not None and units >= limit:
        yield Reason(
            "sample",
            f"A sample of {units:,} {suite.unit_name} (seed {spec.seed}), not all of them: "
            "--limit all asks all, as the paper does.",
        )


def _of_model(evaluation: Evaluation) -> Iterator[Reason]:
    facts, spec = evaluation.manifest.model, evaluation.spec
    for option in ("prompt", "pooling"):
        if (value := spec.value(option)) is not None:
            yield Reason(option, f"The run was made with {flag(option)} {value}.")
    if facts.get("precision") != "fp32":
        yield Reason("precision", f"Computed in {facts.get('precision')}.")
    if Path(evaluation.model).suffix == ".gguf":
        yield Reason("precision", "The weights are from a GGUF file and may be quantised.")
    if not facts.get("revision"):
        yield Reason(
            "checkpoint",
            "The revision of the weights is not recorded: they may differ from the paper's, "
            "which names none either.",
        )


_DIGITS = {"score": 3}


@dataclass(frozen=True)
class PublishedComparison:
    """One of our figures and the published one."""

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


def comparisons(labelled: Sequence[tuple[str, Evaluation]]) -> list[PublishedComparison]:
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
                found.append(PublishedComparison(label, finding.suite, title, estimate, reasons))
    return found


def against(beside: Sequence[PublishedComparison], models: Sequence[str]) -> Chart:
    """Our figures against the published ones; on the diagonal they are equal."""
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
