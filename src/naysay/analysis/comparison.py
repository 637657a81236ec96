"""Runs compared on the items they have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from naysay.analysis.items import Match, match, measures_of
from naysay.analysis.runs import (
    ComparedRun,
    check_same_questions,
    find_all,
    shared_suites,
    warnings,
)
from naysay.core.errors import RunError
from naysay.core.measures import Strings
from naysay.run.manifest import Manifest
from naysay.stats.difference import holm, mcnemar, paired_difference
from naysay.suites.protocol import Suite

SHOWN = 0.05
"""The significance level of adjusted p-values."""
_UNITS = {"%": "points", "points": "points", "rho": "(ρ times 100)", "score": ""}


def verdict(label: str, changes: Sequence[Change]) -> str:
    """Where the other run is better or worse, or the minimum detectable difference."""
    known = [change for change in changes if change.difference is not None]
    if not known:
        return "No item in common: not comparable."
    parts = []
    for word, chosen in (
        ("better", [c for c in known if c.shown and (c.gain or 0) > 0]),
        ("worse", [c for c in known if c.shown and (c.gain or 0) < 0]),
        ("higher", [c for c in known if c.shown and c.gain is None and (c.difference or 0) > 0]),
        ("lower", [c for c in known if c.shown and c.gain is None and (c.difference or 0) < 0]),
    ):
        if chosen:
            parts.append(f"is {word} in {_listed([_by(c, known) for c in chosen])}")
    nearly = [c for c in known if not c.shown and c.p is not None and c.p < SHOWN]
    if parts:
        text = f"{label} {', and '.join(parts)}."
    elif all(not c.difference and not c.up and not c.down for c in known):
        text = f"{label} answers all of these items alike."
        return f"{text}{_unseen(known)}"
    else:
        text = f"No significant difference{_detectable(known)}."
    if nearly:
        named = _listed([_by(c, known) for c in nearly])
        text += f" Not significant after Holm's correction: {named}."
    return text


def name_of(change: Change, among: Sequence[Change]) -> str:
    """The name of a change within its table: its condition, its metric, or both."""
    conditions = {c.condition for c in among}
    metrics = {c.metric for c in among}
    if len(among) > 1 and len(metrics) == 1:
        return change.condition
    return change.metric if len(conditions) == 1 else f"{change.condition}: {change.metric}"


def _by(change: Change, among: Sequence[Change]) -> str:
    """The absolute difference with its interval."""
    assert change.difference is not None
    unit = _UNITS[change.unit]
    text = f"{name_of(change, among)} by {abs(change.difference):.1f} {unit}".rstrip()
    if change.low is None or change.high is None:
        return text
    bounds = (change.low, change.high) if change.difference >= 0 else (-change.high, -change.low)
    return f"{text} ({bounds[0]:.1f} to {bounds[1]:.1f})"


def _detectable(changes: Sequence[Change]) -> str:
    found = sorted(c.detectable for c in changes if c.detectable is not None)
    if not found:
        return "; too few clusters for a test"
    low, high = f"{found[0]:.1f}", f"{found[-1]:.1f}"
    units = {_UNITS[change.unit] for change in changes}
    unit = f" {units.pop()}" if len(units) == 1 else ""
    if low == high:
        return f"; the minimum detectable difference is {low}{unit}"
    return f"; the minimum detectable difference is {low} to {high}{unit}, depending on the figure"


def _unseen(changes: Sequence[Change]) -> str:
    text = _detectable(changes)
    return f" {text[2:3].upper()}{text[3:]}." if text else ""


def _listed(parts: Sequence[str]) -> str:
    """The parts with commas, and “and” before the last."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


@dataclass(frozen=True, slots=True)
class Change:
    """One figure in the first run and in another, on the items that all runs have.

    Percentages and ρ are times 100, and so are differences; None means not applicable.
    """

    suite: str
    table: str
    condition: str
    metric: str
    unit: str
    wanted: str | None
    run: int
    """Which of the runs it is about; 1 is the second."""
    first: float | None
    second: float | None
    difference: float | None
    """How much higher the other run's figure is than the first one's."""
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    """Adjusted for all figures of the table (Holm 1979)."""
    p_mcnemar: float | None = None
    """McNemar's exact test, which treats items as independent."""
    detectable: float | None = None
    """The minimum detectable difference at 80 % power."""
    n: int = 0
    clusters: int | None = None
    clusters_by: dict[str, int] = field(default_factory=dict)
    method: str | None = None
    up: int | None = None
    """How many items went from 0 to 1."""
    down: int | None = None

    @property
    def shown(self) -> bool:
        """Whether the difference is significant after correction for the figures of its table."""
        return self.p_holm is not None and self.p_holm < SHOWN

    @property
    def gain(self) -> float | None:
        """How much better the other run is; negative where it is worse."""
        if self.wanted is None or self.difference is None:
            return None
        return self.difference if self.wanted == "high" else -self.difference

    @property
    def newly_right(self) -> int | None:
        """How many items are right in the other run and wrong in the first."""
        return self.down if self.wanted == "low" else self.up

    @property
    def newly_wrong(self) -> int | None:
        """How many items are right in the first run and wrong in the other."""
        return self.up if self.wanted == "low" else self.down

    def as_dict(self) -> dict[str, Any]:
        """The change as plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class ComparedTable:
    """All figures of one table for one of the other runs."""

    suite: str
    table: str
    title: str
    run: int
    items: tuple[int, ...]
    """How many items each of the runs has."""
    common: int
    """How many all of them have."""
    changes: tuple[Change, ...]
    verdict: str
    matches: tuple[Match, ...] = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        """The table as plain values, ready for JSON."""
        plain = {name: getattr(self, name) for name in ("suite", "table", "title", "run")}
        return {
            **plain,
            "items": list(self.items),
            "common": self.common,
            "verdict": self.verdict,
            "changes": [change.as_dict() for change in self.changes],
        }


@dataclass(frozen=True)
class Comparison:
    """What the runs have in common, and how they differ there; iterates over the changes."""

    runs: tuple[ComparedRun, ...]
    tables: tuple[ComparedTable, ...]
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Change]:
        return (change for table in self.tables for change in table.changes)

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "runs": [run.as_dict() for run in self.runs],
            "warnings": list(self.warnings),
            "tables": [table.as_dict() for table in self.tables],
        }


def compare(
    runs: Sequence[Manifest | str | Path],
    out: Path = Path("runs"),
    *,
    suites: Sequence[str] | None = None,
    **judging: Any,
) -> Comparison:
    """Compare runs with the first of them, on the items that all of them have.

    Runs are manifests, folders, names or keys; the latter two are looked for in `out`. `suites` are
    all that the runs share if not given. `judging` are options of judging, such as
    `repetition`; the runs' own if not given. Raises a `RunError` where there is nothing to compare.
    """
    found = find_all(runs, out, judging)
    chosen = shared_suites(found, suites)
    check_same_questions(found, chosen)
    tables = [table for suite in chosen for table in _tables(found, suite)]
    if not any(table.common for table in tables):
        labels = " and ".join(run.label for run in found)
        names = ", ".join(suite.name for suite in chosen)
        raise RunError(
            f"{labels} have no item of {names} in common. Items are drawn by --seed and --limit, "
            "and some depend on what the model itself says: run with the same seed and more items."
        )
    return Comparison(found, tuple(tables), tuple(warnings(found, chosen)))


def _tables(runs: Sequence[ComparedRun], suite: Suite) -> list[ComparedTable]:
    """The suite's tables, each once for each of the other runs."""
    of_runs = [
        {measure.name: measure for measure in measures_of(run.manifest, suite, run.spec)}
        for run in runs
    ]
    names = [name for name in of_runs[0] if all(name in others for others in of_runs)]
    matches: list[Match] = []
    for name in names:
        last = matches[-1] if matches else None
        matches.append(match([measures[name] for measures in of_runs], last))
    labels = [run.label for run in runs]
    return [
        _table([one for one in matches if one.first.table == table], other, labels)
        for other in range(1, len(runs))
        for table in dict.fromkeys(one.first.table for one in matches)
    ]


def _table(matches: Sequence[Match], other: int, labels: Sequence[str]) -> ComparedTable:
    changes = [_change(one, other) for one in matches]
    adjusted = holm([change.p for change in changes])
    changes = [replace(c, p_holm=p) for c, p in zip(changes, adjusted, strict=True)]
    first = matches[0].first
    return ComparedTable(
        suite=first.suite,
        table=first.table,
        title=first.title,
        run=other,
        items=tuple(
            _distinct([one.measures[run].items.keys for one in matches])
            for run in range(len(labels))
        ),
        common=_distinct([one.keys for one in matches]),
        changes=tuple(changes),
        verdict=verdict(labels[other], changes),
        matches=tuple(matches),
    )


def _distinct(keys: Sequence[Strings]) -> int:
    """How many items these have; an item in several conditions counts once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return int(pc.count_distinct(pa.chunked_array(keys, type=pa.string())).as_py())


def _change(match: Match, other: int) -> Change:
    measure = match.first
    blank = Change(*measure.name, measure.unit, measure.wanted, other, None, None, None)
    if not len(match):
        return blank
    one, two = match.values(0), match.values(other)
    found = paired_difference(two - one, match.clusters, weights=match.weights, bound=measure.bound)

    def scaled(value: float | None) -> float | None:
        return None if value is None else measure.scale * value

    up = down = p_mcnemar = None
    if match.binary:
        up, down = int(np.count_nonzero(two > one)), int(np.count_nonzero(two < one))
        p_mcnemar = mcnemar(up, down)
    return replace(
        blank,
        first=match.mean(0),
        second=match.mean(other),
        difference=scaled(found.value),
        low=scaled(found.low),
        high=scaled(found.high),
        p=found.p,
        p_mcnemar=p_mcnemar,
        detectable=scaled(found.detectable),
        n=found.n,
        clusters=min(found.clusters.values()),
        clusters_by=found.clusters,
        method=found.method,
        up=up,
        down=down,
    )
