"""A gate for models under training: has a run lost more than it may?

A figure with an expected direction is compared with a baseline run, on the items that both have, or
with the figure that a paper prints. Two rules say which loss is too large. `inferior` fails
where a loss beyond the margin is shown, so that chance alone seldom stops a build. `non-inferior`
fails unless a loss beyond the margin is ruled out, so that a small sample stops it, too. Under both
a check fails where too few of the baseline's items can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from naysay.analysis.comparison import compare_found
from naysay.analysis.items import measures_of
from naysay.analysis.losses import (
    COVERAGE,
    INFERIOR,
    MARGIN,
    METRIC,
    Rules,
    against_published,
    against_run,
)
from naysay.analysis.runs import ComparedRun, find_all
from naysay.analysis.thresholds import Check, Floor, floor_checks, hard_checks, read_hard
from naysay.core.errors import RunError, SpecError
from naysay.core.measures import Measure
from naysay.run.evaluation import judge, meanings_of
from naysay.run.lookup import NamedRun, find_named
from naysay.run.manifest import Manifest
from naysay.suites import SUITES

PUBLISHED = "published"


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
    coverage: float = COVERAGE
    label: str = ""
    """The run's name beside that of the baseline."""
    notes: tuple[str, ...] = ()
    """Which runs were taken where a name fits several."""
    meanings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By suite: what the labels of its conditions mean in words."""

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
        kept = ("run", "model", "against", "rule", "margin", "coverage", "passed")
        return {
            **{name: getattr(self, name) for name in kept},
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "checks": [check.as_dict() for check in self.checks],
        }


def gate(
    run: Manifest | str | Path,
    baseline: Manifest | str | Path | None = None,
    out: Path = Path("runs"),
    *,
    rule: str = INFERIOR,
    margin: float = MARGIN,
    coverage: float = COVERAGE,
    suites: Sequence[str] | None = None,
    floors: Sequence[Floor] = (),
    hard: Path | None = None,
    as_model: str | None = None,
) -> Gate:
    """Check a run against a baseline run or `published` figures, floors, and hard items.

    A model's name stands for its newest run, apart from the baseline. `coverage` is the percentage
    of the baseline's items that must be compared for a check to pass.
    """
    rules = Rules(rule, margin, coverage)
    if baseline is None and not floors and hard is None:
        raise SpecError("nothing to check: give --baseline, --min, --max or --hard")
    if as_model is not None and baseline != PUBLISHED:
        raise SpecError("--as names a model of a paper; it goes with --baseline published")
    wanted_items = read_hard(hard) if hard is not None else []
    pair = () if baseline in (None, PUBLISHED) else find_all([baseline, run], out, {}, suites)
    [named] = find_named([run], out, suites or ()) if not pair else [NamedRun(pair[1].manifest)]
    manifest = named.manifest
    _check_suites(manifest, suites)
    evaluation = judge(manifest) if floors or baseline == PUBLISHED else None
    model = str(manifest.model["name"])
    found = Gate(manifest.key, model, None, rule, margin, (), (), coverage, model)
    if pair:
        found = _beside_run(found, pair, suites, rules)
    elif evaluation is not None and baseline == PUBLISHED:
        wanted = {m.name: m.wanted for m in _measures(manifest, suites)}
        beside = as_model or model
        checks = against_published(evaluation, wanted, suites, as_model, rules)
        found = replace(found, against=f"the figures of {beside} in print", checks=tuple(checks))
    more: list[Check] = []
    if evaluation is not None:
        more += floor_checks(evaluation, floors, suites)
    if wanted_items:
        more += hard_checks(_measures(manifest, suites), wanted_items)
    notes = found.notes or tuple(filter(None, [named.note]))
    spec = manifest.run_spec
    meanings = {name: meanings_of(SUITES.get(name), spec) for name in manifest.planned}
    every = _shortly((*found.checks, *more))
    return replace(found, checks=every, notes=notes, meanings=meanings)


def _beside_run(
    blank: Gate, pair: Sequence[ComparedRun], suites: Sequence[str] | None, rules: Rules
) -> Gate:
    """The gate with the checks against a baseline run, which is the first of the two."""
    baseline, run = pair
    comparison = compare_found(pair, suites)
    lacking = [name for name in baseline.manifest.planned if name not in run.manifest.planned]
    missing = [
        Check("baseline", name, "the suite", False, f"the run has no {name}: name suites with -t")
        for name in ([] if suites else lacking)
    ]
    return replace(
        blank,
        against=baseline.label,
        label=run.label,
        checks=(*against_run(comparison, rules), *missing),
        warnings=comparison.warnings,
        notes=comparison.notes,
    )


def _check_suites(manifest: Manifest, suites: Sequence[str] | None) -> None:
    for name in suites or ():
        if name not in manifest.planned:
            SUITES.get(name)
            raise RunError(f"{manifest.folder} has no {name}: it has {', '.join(manifest.planned)}")


def _measures(manifest: Manifest, suites: Sequence[str] | None) -> Iterator[Measure]:
    for name in manifest.planned:
        if not suites or name in suites:
            yield from measures_of(manifest, SUITES.get(name), manifest.run_spec)


def _shortly(checks: Sequence[Check]) -> tuple[Check, ...]:
    """The checks with the metric in their names only where it distinguishes two of them."""
    short = [c.name.partition(METRIC)[0] for c in checks]
    shared = Counter(zip((c.suite for c in checks), short, (c.kind for c in checks), strict=True))
    return tuple(
        replace(c, name=name if shared[c.suite, name, c.kind] == 1 else c.name.replace(METRIC, "."))
        for c, name in zip(checks, short, strict=True)
    )
