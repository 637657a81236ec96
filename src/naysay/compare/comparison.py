"""Runs compared on the items they have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from naysay.compare.items import Match, match, outcomes_of
from naysay.compare.runs import (
    ComparedRun,
    check_same_questions,
    find_all,
    shared_suites,
    warnings,
)
from naysay.compare.words import SHOWN, verdict
from naysay.errors import RunError
from naysay.outcomes import Strings
from naysay.protocols import Suite
from naysay.run.manifest import Manifest
from naysay.stats.difference import paired_difference
from naysay.stats.paired import holm, mcnemar


@dataclass(frozen=True, slots=True)
class Change:
    """One figure in the first run and in another, on the items that all runs have.

    Percentages and ρ are times 100, and so are differences; None means that it cannot be told.
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
    """The same for all figures of the table together (Holm 1979)."""
    p_mcnemar: float | None = None
    """McNemar's exact test, which takes every item for independent."""
    detectable: float | None = None
    """The smallest true difference that would have been shown in 80 % of such samples."""
    n: int = 0
    clusters: int | None = None
    clusters_by: dict[str, int] = field(default_factory=dict)
    method: str | None = None
    up: int | None = None
    """How many items went from 0 to 1."""
    down: int | None = None

    @property
    def shown(self) -> bool:
        """Whether a difference is shown, all figures of its table taken together."""
        return self.p_holm is not None and self.p_holm < SHOWN

    @property
    def gain(self) -> float | None:
        """How much better the other run is; negative where it is worse."""
        if self.wanted is None or self.difference is None:
            return None
        return self.difference if self.wanted == "high" else -self.difference

    @property
    def newly_right(self) -> int | None:
        """How many items the other run has as wanted and the first has not."""
        return self.down if self.wanted == "low" else self.up

    @property
    def newly_wrong(self) -> int | None:
        """How many items the first run has as wanted and the other has not."""
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
    repetition: str | None = None,
) -> Comparison:
    """Compare runs with the first of them, on the items that all of them have.

    Runs are manifests, folders, names or keys; the latter two are looked for in `out`. `suites` are
    all that the runs share if not given. `repetition` is the rule to judge by, the runs' own if not
    given. Raises a `RunError` where there is nothing to compare.
    """
    found = find_all(runs, out, repetition)
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
        {outcome.name: outcome for outcome in outcomes_of(run.manifest, suite, run.spec)}
        for run in runs
    ]
    names = [name for name in of_runs[0] if all(name in others for others in of_runs)]
    matches: list[Match] = []
    for name in names:
        last = matches[-1] if matches else None
        matches.append(match([outcomes[name] for outcomes in of_runs], last))
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
            _distinct([one.outcomes[run].keys for one in matches]) for run in range(len(labels))
        ),
        common=_distinct([one.keys for one in matches]),
        changes=tuple(changes),
        verdict=verdict(labels[other], changes),
        matches=tuple(matches),
    )


def _distinct(keys: Sequence[Strings]) -> int:
    """How many items these have; one that stands in several conditions counts once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return int(pc.count_distinct(pa.chunked_array(keys, type=pa.string())).as_py())


def _change(match: Match, other: int) -> Change:
    outcome = match.first
    blank = Change(*outcome.name, outcome.unit, outcome.wanted, other, None, None, None)
    if not len(match):
        return blank
    one, two = match.values(0), match.values(other)
    found = paired_difference(two - one, match.clusters, weights=match.weights, bound=outcome.bound)

    def scaled(value: float | None) -> float | None:
        return None if value is None else outcome.scale * value

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
