"""What a run has lost, figure by figure: against a baseline run, or against what a paper prints.

A check needs enough of the baseline's items, at least two of them, and an interval. A model that
collapses leaves few items to compare, so too few items are a failure, never a reason to pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from naysay.analysis.changes import Change
from naysay.analysis.comparison import Comparison
from naysay.analysis.thresholds import FEWEST, Check
from naysay.analysis.unpaired import figure_of
from naysay.core.errors import SpecError, UnknownNameError
from naysay.core.records import APPROXIMATE, Estimate
from naysay.run.evaluation import Evaluation
from naysay.stats.difference import Difference, holm, p_above
from naysay.stats.unpaired import BoundedFigure, implied_p
from naysay.suites import published
from naysay.suites.identity import ModelIdentity
from naysay.suites.published import PrintedFigure

INFERIOR, NON_INFERIOR = RULES = ("inferior", "non-inferior")
LEVEL = 0.025
"""The one-sided level: that of a bound of a 95 % interval."""
COLLAPSE = 0.2
"""A loss as large as this, shown by its own interval, fails whatever the number of checks."""
MARGIN, COVERAGE = 2.0, 50.0
METRIC = "\x1f"
"""Stands before a metric in a check's name; cannot occur in a name."""


@dataclass(frozen=True, slots=True)
class Rules:
    """When a loss is too large, and when the items are too few."""

    rule: str = INFERIOR
    margin: float = MARGIN
    """How many points a figure may lose."""
    coverage: float = COVERAGE
    """The percentage of the baseline's items that must be compared."""

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise UnknownNameError("rule", self.rule, RULES)
        if not self.margin >= 0:
            raise SpecError(f"--margin must be 0 or more, not {self.margin:g}")
        if not 0 <= self.coverage <= 100:
            raise SpecError(f"--coverage must be a percentage from 0 to 100, not {self.coverage:g}")


def against_run(comparison: Comparison, rules: Rules) -> list[Check]:
    """Whether the figures with an expected direction have lost too much against the first run."""
    changes = [c for c in (*comparison, *comparison.missing) if c.wanted is not None]
    return decided([_of_change(change, rules.margin) for change in changes], rules)


def _of_change(change: Change, margin: float) -> Check:
    blank = Check(
        "baseline", change.suite, name_of_figure(change), False, "", change.second, change.first,
        unit=change.unit, n=change.n, n_baseline=change.n_first, n_run=change.n_second,
        coverage=change.coverage, method=change.method,
    )  # fmt: skip
    if change.difference is None:
        return blank
    loss, low, high = _as_loss(change.difference, change.low, change.high, change.wanted)
    return replace(blank, loss=loss, low=low, high=high, p=_p_of_loss(change, margin))


def _as_loss(
    difference: float, low: float | None, high: float | None, wanted: str | None
) -> tuple[float, float | None, float | None]:
    """A difference and its bounds, turned so that what is lost is positive."""
    if wanted == "low":
        return difference, low, high
    return 0.0 - difference, _negative(high), _negative(low)


def _negative(bound: float | None) -> float | None:
    return None if bound is None else 0.0 - bound  # never -0.0


def _p_of_loss(change: Change, margin: float) -> float | None:
    """The one-sided p-value that the true loss is above the margin; None without an interval."""
    if change.difference is None or change.low is None or change.high is None:
        return None
    if change.unpaired:
        loss, low, high = _as_loss(change.difference, change.low, change.high, change.wanted)
        assert low is not None and high is not None and change.degrees is not None
        return implied_p(BoundedFigure(loss, low, high, change.degrees), margin)
    scale = 1.0 if change.unit == "score" else 100.0
    # Where all items are in one cluster, the items themselves were left out.
    clusters = {k: n for k, n in change.clusters_by.items() if n > 1} or {"items": change.n}
    found = Difference(
        change.difference / scale, change.low / scale, change.high / scale, change.p, None,
        None if change.error is None else change.error / scale, change.degrees, change.n,
        clusters, str(change.method), 1.0 if change.unit == "%" else 2.0,
    )  # fmt: skip
    if change.wanted == "low":
        return p_above(found, margin / scale)
    return p_above(found, -margin / scale, below=True)


def against_published(
    evaluation: Evaluation,
    wanted: Mapping[tuple[str, str, str, str], str | None],
    suites: Sequence[str] | None,
    as_model: str | None,
    rules: Rules,
) -> list[Check]:
    """The same against what a paper prints; its figure counts as exact, and bounds do not count."""
    named = evaluation.manifest.model
    model = ModelIdentity.named(as_model) if as_model else ModelIdentity.of(named)
    findings = [f for f in evaluation.findings if not suites or f.suite in suites]
    figures = [e for f in findings for e in f.estimates if f.why_not(e) is None]
    checks = []
    for e in figures:
        name = (e.suite, e.table, e.condition, e.metric)
        direction = wanted.get(name)
        printed = published.figure(*name, model, evaluation.spec.language)
        if direction is not None and printed is not None and printed.bound is None:
            checks.append(_of_estimate(e, direction, printed, rules.margin))
    if not checks:
        compared = dict.fromkeys(e.suite for e in figures)
        raise SpecError(_nothing_printed(as_model or evaluation.model, list(compared)))
    return decided(checks, rules)


def _of_estimate(estimate: Estimate, direction: str, figure: PrintedFigure, margin: float) -> Check:
    printed = figure.value
    blank = Check(
        "published", estimate.suite, name_of_figure(estimate), False, "", estimate.value, printed,
        unit=estimate.unit, n=estimate.n, method=estimate.method, against_as=figure.shown,
    )  # fmt: skip
    if estimate.value is None:
        return replace(blank, n=0)
    low, high = (None if b is None else b - printed for b in (estimate.low, estimate.high))
    loss, low, high = _as_loss(estimate.value - printed, low, high, direction)
    found = figure_of(estimate)
    if found is None or low is None or high is None:
        return replace(blank, loss=loss)
    p = implied_p(BoundedFigure(loss, low, high, found.degrees), margin)
    return replace(blank, loss=loss, low=low, high=high, p=p)


def _nothing_printed(model: str, suites: Sequence[str]) -> str:
    names = {
        name
        for suite in suites
        for row in published.papers().get(suite, {}).get("row", ())
        for name in row["values"]
    }
    text = f"no paper prints a figure of {model} that this run has"
    if not names:
        return f"{text}: none of its suites and items is one that a paper has figures for."
    return f"{text}. Choose the paper's model with --as: {', '.join(sorted(names))}."


def decided(checks: Sequence[Check], rules: Rules) -> list[Check]:
    """The checks with their outcomes; one that fails is added where none is applicable.

    Under `inferior` any check can stop a build, so their p-values are adjusted together (Holm
    1979). Under `non-inferior` all must hold, which needs no adjustment.
    """
    if rules.rule == INFERIOR:
        adjusted = holm([check.p for check in checks])
        checks = [replace(c, p_holm=p) for c, p in zip(checks, adjusted, strict=True)]
    found = [_decided(check, rules) for check in checks]
    if not any(check.applicable for check in found):
        reason = "no check is applicable: the baseline has no item of a figure that can be lost"
        found.append(Check("baseline", "", "any figure", False, reason))
    return found


def _decided(check: Check, rules: Rules) -> Check:
    if check.n_baseline == 0 and check.kind == "baseline":
        reason = "not applicable: the baseline has no item of this figure"
        return replace(check, passed=True, applicable=False, reason=reason)
    if reason := _too_few(check, rules):
        return replace(check, passed=False, reason=reason)
    assert check.loss is not None and check.high is not None
    if rules.rule == INFERIOR:
        passed = not (_adjusted(check) or _collapsed(check, rules))
    else:
        passed = check.high < rules.margin
    reason = _shown(check, rules)
    if (check.against_as or "").startswith(APPROXIMATE):
        reason += f"; the paper's figure is {check.against_as}"
    return replace(check, passed=passed, reason=reason)


def _adjusted(check: Check) -> bool:
    """Whether a loss beyond the margin is shown, with regard to the number of checks."""
    return check.p_holm is not None and check.p_holm < LEVEL


def _collapsed(check: Check, rules: Rules) -> bool:
    """Whether a large loss is shown by its own interval: no number of checks excuses that."""
    scale = 1.0 if check.unit == "score" else 100.0
    return (check.loss or 0.0) >= COLLAPSE * scale and (check.low or 0.0) > rules.margin


def _too_few(check: Check, rules: Rules) -> str:
    """Why the items that are compared cannot show anything; empty if they can."""
    share = check.coverage
    if share is not None and share < rules.coverage:
        return f"{_covered(check, rules.coverage)}. {_why_few(check, rules.coverage)}"
    if not check.n:
        return "the run has no item of this figure, so nothing can be compared"
    if check.n < FEWEST:
        what = "a single item is compared, which shows" if check.n == 1 else f"{check.n} items show"
        return f"{what} nothing: run with a higher --limit"
    if check.low is None or check.high is None:
        return (
            f"no interval can be made from {_items(check.n)}, which are in one cluster or do not "
            "vary, so nothing is shown: run with a higher --limit"
        )
    return ""


def _covered(check: Check, least: float) -> str:
    """How many of the baseline's items are compared, and how many should be."""
    share = f"({check.coverage:.1f} %, at least {least:g} % required)"
    if check.unpaired:
        return f"the run shares too few of the baseline's {_items(check.n_baseline)} {share}"
    return f"{check.n:,} of the baseline's {_items(check.n_baseline)} compared {share}"


def _why_few(check: Check, least: float) -> str:
    """What it may mean that few items are compared, and how to allow it."""
    change = "Set another minimum with --coverage."
    if check.unpaired:
        change = "--coverage 0 compares the figures of such runs unpaired."
    if check.n_run < least / 100 * check.n_baseline:
        own = f"has {_items(check.n_run)}" if check.n_run else "has none"
        return (
            f"The run {own}: the model may no longer give the answers that items are selected by, "
            f"as a checkpoint that has stopped repeating the verb; or --limit is lower. {change}"
        )
    return (
        f"The run has {_items(check.n_run)}, mostly others: the model gives other answers where "
        f"items are selected by them, or --seed, --limit or word list differ. {change}"
    )


def _items(count: int) -> str:
    return f"{count:,} item{'' if count == 1 else 's'}"


def _shown(check: Check, rules: Rules) -> str:
    """The loss with its interval, and what it rests on."""
    loss = check.loss or 0.0
    word = "worse" if loss > 0 else "better"
    change = f"{abs(loss):.1f} {word}" if round(loss, 1) else "as good"
    parts = [f"loss {check.low:+.1f} to {check.high:+.1f}", f"margin {rules.margin:g}"]
    if check.p_holm is not None:
        parts.append("p < 0.001" if check.p_holm < 0.001 else f"p = {check.p_holm:.3f}")
    parts.append(_items(check.n or 0))
    if check.coverage is not None:
        parts.append(f"{check.coverage:.1f} % of the baseline's")
    if check.unpaired:
        parts.append("unpaired")
    return f"{change} ({', '.join(parts)})"


def name_of_figure(figure: Change | Estimate) -> str:
    """The name of a check on a figure, with its metric after `METRIC`."""
    return f"{figure.table}.{figure.condition}{METRIC}{figure.metric}"
