"""A gate for models under training: has a run lost more than it may?

A figure with an expected direction is compared with a baseline run, on the items that both have, or
with the figure that a paper prints. Two rules say which loss is too large. `inferior` fails
where a loss beyond the margin is shown, so that chance alone seldom stops a build. `non-inferior`
fails unless a loss beyond the margin is ruled out, so that a small sample stops it, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from naysay.analysis.comparison import Change, compare
from naysay.analysis.items import measures_of
from naysay.analysis.runs import find_named
from naysay.analysis.thresholds import Check, Floor, floor_checks, hard_checks, read_hard
from naysay.core.errors import RunError, SpecError, UnknownNameError
from naysay.core.measures import Measure
from naysay.core.records import Estimate
from naysay.run.evaluation import Evaluation, judge
from naysay.run.manifest import Manifest
from naysay.suites import SUITES, published
from naysay.suites.identity import ModelIdentity
from naysay.suites.published import PrintedFigure

PUBLISHED = "published"
_METRIC = "\x1f"  # before a metric; cannot occur in a name
INFERIOR, NON_INFERIOR = RULES = ("inferior", "non-inferior")


@dataclass(frozen=True)
class Gate:
    """All checks of one run."""

    run: str
    model: str
    against: str | None
    rule: str
    margin: float
    checks: tuple[Check, ...]
    warnings: tuple[str, ...] = ()

    @property
    def failed(self) -> list[Check]:
        """The checks that do not hold."""
        return [check for check in self.checks if not check.passed]

    @property
    def passed(self) -> bool:
        """Whether all hold."""
        return not self.failed

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        kept = ("run", "model", "against", "rule", "margin", "passed")
        return {
            **{name: getattr(self, name) for name in kept},
            "warnings": list(self.warnings),
            "checks": [check.as_dict() for check in self.checks],
        }


def gate(
    run: Manifest | str | Path,
    baseline: Manifest | str | Path | None = None,
    out: Path = Path("runs"),
    *,
    rule: str = INFERIOR,
    margin: float = 2.0,
    suites: Sequence[str] | None = None,
    floors: Sequence[Floor] = (),
    hard: Path | None = None,
    as_model: str | None = None,
) -> Gate:
    """Check a run against a baseline run or `published` figures, floors, and hard items."""
    if rule not in RULES:
        raise UnknownNameError("rule", rule, RULES)
    if margin < 0:
        raise SpecError(f"--margin must be 0 or more, not {margin:g}")
    if baseline is None and not floors and hard is None:
        raise SpecError("nothing to check: give --baseline, --min, --max or --hard")
    if as_model is not None and baseline != PUBLISHED:
        raise SpecError("--as names a model of a paper; it goes with --baseline published")
    wanted_items = read_hard(hard) if hard is not None else []
    manifest = find_named(run, out)
    _check_suites(manifest, suites)
    evaluation = judge(manifest) if floors or baseline == PUBLISHED else None
    checks: list[Check] = []
    warnings: tuple[str, ...] = ()
    against = None
    if baseline == PUBLISHED:
        assert evaluation is not None
        against = f"the figures of {as_model or evaluation.model} in print"
        checks += _against_published(evaluation, suites, rule, margin, as_model)
    elif baseline is not None:
        comparison = compare([baseline, manifest], out, suites=suites)
        against, warnings = comparison.runs[0].label, comparison.warnings
        checks += [_against_run(c, rule, margin) for c in comparison if c.wanted is not None]
    if evaluation is not None:
        checks += floor_checks(evaluation, floors, suites)
    if wanted_items:
        checks += hard_checks(_measures(manifest, suites), wanted_items)
    model = str(manifest.model["name"])
    return Gate(manifest.key, model, against, rule, margin, _shortly(checks), warnings)


def _check_suites(manifest: Manifest, suites: Sequence[str] | None) -> None:
    for name in suites or ():
        if name not in manifest.planned:
            SUITES.get(name)
            raise RunError(f"{manifest.folder} has no {name}: it has {', '.join(manifest.planned)}")


def _measures(manifest: Manifest, suites: Sequence[str] | None) -> Iterator[Measure]:
    for name in manifest.planned:
        if not suites or name in suites:
            yield from measures_of(manifest, SUITES.get(name), manifest.run_spec)


def _against_run(change: Change, rule: str, margin: float) -> Check:
    """Whether a figure has lost too much against a run, on the items of both."""
    blank = Check(
        "baseline", change.suite, _name(change), True, "", change.second, change.first,
        unit=change.unit,
    )  # fmt: skip
    if change.difference is None:
        return _undecided(blank, rule, "no item in common")
    high = change.wanted == "high"
    bounds = (change.low, change.high)
    if high:
        bounds = _negative(change.high), _negative(change.low)
    loss = 0.0 - change.difference if high else change.difference  # never -0.0
    return _judged(blank, rule, margin, loss, bounds)


def _against_published(
    evaluation: Evaluation,
    suites: Sequence[str] | None,
    rule: str,
    margin: float,
    as_model: str | None,
) -> list[Check]:
    """The same against what a paper prints; its figure counts as exact, and bounds do not count."""
    manifest, spec = evaluation.manifest, evaluation.spec
    wanted = {m.name: m.wanted for m in _measures(manifest, suites) if m.wanted}
    model = ModelIdentity.named(as_model) if as_model else ModelIdentity.of(manifest.model)
    findings = [f for f in evaluation.findings if not suites or f.suite in suites]
    figures = [(f.suite, e) for f in findings for e in f.estimates if f.why_not(e) is None]
    checks = []
    for _, estimate in figures:
        direction = wanted.get(
            (estimate.suite, estimate.table, estimate.condition, estimate.metric)
        )
        printed = published.figure(
            estimate.suite, estimate.table, estimate.condition, estimate.metric, model,
            spec.language,
        )  # fmt: skip
        if direction is not None and printed is not None and printed.bound is None:
            checks.append(_printed(estimate, direction, printed, rule, margin))
    if not checks:
        compared = dict.fromkeys(suite for suite, _ in figures)
        raise SpecError(_nothing_printed(as_model or evaluation.model, list(compared)))
    return checks


def _printed(
    estimate: Estimate, direction: str, figure: PrintedFigure, rule: str, margin: float
) -> Check:
    printed = figure.value
    blank = Check(
        "published", estimate.suite, _name(estimate), True, "", estimate.value, printed,
        unit=estimate.unit, against_as=figure.shown,
    )  # fmt: skip
    if estimate.value is None:
        return _undecided(blank, rule, "not measured in this run")
    sign = -1 if direction == "high" else 1
    bounds = [None if b is None else sign * (b - printed) for b in (estimate.low, estimate.high)]
    low, high = bounds if direction == "low" else bounds[::-1]
    check = _judged(blank, rule, margin, sign * (estimate.value - printed), (low, high))
    if figure.approximate:
        return replace(check, reason=f"{check.reason}; the paper's figure is {figure.shown}")
    return check


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


def _judged(
    blank: Check,
    rule: str,
    margin: float,
    loss: float,
    bounds: tuple[float | None, float | None],
) -> Check:
    low, high = bounds
    check = replace(blank, loss=loss, low=low, high=high)
    if low is None or high is None:
        return _undecided(check, rule, "too few clusters for an interval")
    worse = "worse" if loss > 0 else "better"
    change = f"{abs(loss):.1f} {worse}" if round(loss, 1) else "as good"
    shown = f"{change} (loss {low:+.1f} to {high:+.1f}, margin {margin:g})"
    if rule == INFERIOR:
        return replace(check, passed=low <= margin, reason=shown)
    return replace(check, passed=high < margin, reason=shown)


def _undecided(check: Check, rule: str, why: str) -> Check:
    """A check without a result: no loss is shown, and none is ruled out."""
    return replace(check, passed=rule == INFERIOR, reason=f"not applicable: {why}")


def _negative(bound: float | None) -> float | None:
    return None if bound is None else -bound


def _shortly(checks: Sequence[Check]) -> tuple[Check, ...]:
    """The checks with the metric in their names only where it distinguishes two of them."""
    short = [c.name.partition(_METRIC)[0] for c in checks]
    shared = Counter(zip((c.suite for c in checks), short, (c.kind for c in checks), strict=True))
    return tuple(
        replace(
            c, name=name if shared[c.suite, name, c.kind] == 1 else c.name.replace(_METRIC, ".")
        )
        for c, name in zip(checks, short, strict=True)
    )


def _name(figure: Change | Estimate) -> str:
    return f"{figure.table}.{figure.condition}{_METRIC}{figure.metric}"
