"""Runs compared: on the items they have in common, or unpaired where these are too few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from naysay.analysis.changes import Change, unpaired_note, verdict
from naysay.analysis.items import Match, match, measures_of
from naysay.analysis.runs import (
    ComparedRun,
    check_same_questions,
    find_all,
    shared_suites,
    warnings,
)
from naysay.analysis.unpaired import unpaired_change
from naysay.core.errors import RunError
from naysay.core.measures import Measure, Strings
from naysay.run.manifest import Manifest
from naysay.stats.difference import holm, mcnemar, paired_difference


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
    note: str
    """What to know of unpaired figures; empty if all are paired."""
    matches: tuple[Match, ...] = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        """The table as plain values, ready for JSON."""
        plain = {name: getattr(self, name) for name in ("suite", "table", "title", "run")}
        return {
            **plain,
            "items": list(self.items),
            "common": self.common,
            "verdict": self.verdict,
            "note": self.note,
            "changes": [change.as_dict() for change in self.changes],
        }


@dataclass(frozen=True)
class Comparison:
    """What the runs have in common, and how they differ there; iterates over the changes."""

    runs: tuple[ComparedRun, ...]
    tables: tuple[ComparedTable, ...]
    warnings: tuple[str, ...] = ()
    missing: tuple[Change, ...] = ()
    """Figures that the first run has and another lacks, without values."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Which run was taken where a name fits several."""
        return tuple(run.note for run in self.runs if run.note)

    def __iter__(self) -> Iterator[Change]:
        return (change for table in self.tables for change in table.changes)

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "runs": [run.as_dict() for run in self.runs],
            "warnings": list(self.warnings),
            "notes": list(self.notes),
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

    Figures with too few common items for an interval are compared on each run's own items; their
    `method` is `unpaired`. Runs are manifests, folders, names or keys; the latter two are looked
    for in `out`. `suites` are all that the runs share if not given. `judging` are options of
    judging, such as `repetition`; the runs' own if not given. Raises a `RunError` where there is
    nothing to compare.
    """
    found = find_all(runs, out, judging, suites)
    comparison = compare_found(found, suites)
    if not any(table.common for table in comparison.tables) and all(
        change.low is None for change in comparison
    ):
        labels = " and ".join(run.label for run in found)
        names = ", ".join(dict.fromkeys(table.suite for table in comparison.tables))
        raise RunError(
            f"{labels} have no item of {names} in common, and too few of their own for intervals. "
            "Items are drawn by --seed and --limit, and some depend on what the model itself says: "
            "run with the same seed and more items."
        )
    return comparison


def compare_found(runs: Sequence[ComparedRun], suites: Sequence[str] | None) -> Comparison:
    """Compare runs that were found, also where there is nothing to compare."""
    chosen = shared_suites(runs, suites)
    check_same_questions(runs, chosen)
    tables: list[ComparedTable] = []
    missing: list[Change] = []
    for suite in chosen:
        of_runs = [
            {measure.name: measure for measure in measures_of(run.manifest, suite, run.spec)}
            for run in runs
        ]
        tables += _tables(of_runs, [run.label for run in runs])
        missing += _missing(of_runs)
    return Comparison(tuple(runs), tuple(tables), tuple(warnings(runs, chosen)), tuple(missing))


_Measures = dict[tuple[str, str, str, str], Measure]


def _tables(of_runs: Sequence[_Measures], labels: Sequence[str]) -> list[ComparedTable]:
    """The tables of a suite, each once for each of the other runs."""
    names = [name for name in of_runs[0] if all(name in others for others in of_runs)]
    matches: list[Match] = []
    for name in names:
        last = matches[-1] if matches else None
        matches.append(match([measures[name] for measures in of_runs], last))
    return [
        _table([one for one in matches if one.first.table == table], other, labels)
        for other in range(1, len(labels))
        for table in dict.fromkeys(one.first.table for one in matches)
    ]


def _missing(of_runs: Sequence[_Measures]) -> list[Change]:
    """The first run's figures that another run lacks, as where no answer was left to measure."""
    return [
        replace(_blank(measure, other), n_first=len(measure.items))
        for other, measures in enumerate(of_runs)
        for name, measure in of_runs[0].items()
        if name not in measures
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
        note=unpaired_note(changes),
        matches=tuple(matches),
    )


def _distinct(keys: Sequence[Strings]) -> int:
    """How many items these have; an item in several conditions counts once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return int(pc.count_distinct(pa.chunked_array(keys, type=pa.string())).as_py())


def _blank(measure: Measure, other: int) -> Change:
    return Change(*measure.name, measure.unit, measure.wanted, other, None, None, None)


def _change(match: Match, other: int) -> Change:
    """The change on the common items, or on each run's own if these have no interval."""
    first, second = match.first, match.measures[other]
    blank = replace(_blank(first, other), n_first=len(first.items), n_second=len(second.items))
    paired = _paired_change(blank, match, other) if len(match) else blank
    if paired.low is not None:
        return paired
    own = unpaired_change(blank, first.estimate, second.estimate)
    return paired if len(match) and own.low is None else own


def _paired_change(blank: Change, match: Match, other: int) -> Change:
    measure = match.first
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
        error=scaled(found.error),
        degrees=found.degrees,
        n=found.n,
        clusters=min(found.clusters.values()),
        clusters_by=found.clusters,
        method=found.method,
        up=up,
        down=down,
    )
