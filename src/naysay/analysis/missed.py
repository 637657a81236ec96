"""The items that several runs miss: too hard for all of them, or faulty.

An item is known by its sentences. So runs of different suites can be compared, whether these asked
for vectors, likelihoods or letters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import RunError
from naysay.data.items import AntonymItem
from naysay.run.manifest import Manifest
from naysay.run.rows import stored_by, whole_rows
from naysay.suites import SUITES
from naysay.suites.protocol import ParaphraseSuite, Suite


@dataclass(frozen=True)
class JudgedRun:
    """One run and its judged items."""

    run: str
    suite: str
    rows: dict[str, dict[str, Any]]
    """The judged rows by unit."""
    items: ParaphraseSuite

    def misses(self, units: Sequence[str]) -> int:
        """How many of these it misses."""
        return sum(not self.rows[unit]["right"] for unit in units)

    def choice(self, unit: str) -> str:
        """What it chose as the paraphrase."""
        return self.items.choice_of(self.rows[unit])


@dataclass(frozen=True)
class Missed:
    """The items that all runs miss, among those that all of them asked."""

    runs: tuple[JudgedRun, ...]
    common: tuple[str, ...]
    units: tuple[str, ...]

    def items(self) -> list[AntonymItem]:
        """The missed items, ready to be asked again."""
        first = self.runs[0]
        found = [first.items.item_of(first.rows[unit]) for unit in self.units]
        return sorted(found, key=lambda item: item.idx)

    def pairs(self) -> list[tuple[str, int, int]]:
        """The pairs of antonyms with most misses: pair, items missed by all, items in common."""
        rows = self.runs[0].rows
        every = Counter(str(rows[unit]["pair"]) for unit in self.common)
        lost = Counter(str(rows[unit]["pair"]) for unit in self.units)
        return [(pair, count, every[pair]) for pair, count in lost.most_common()]


def paraphrase_suites() -> list[str]:
    """The suites that ask for a paraphrase."""
    return [suite.name for suite in SUITES.all() if isinstance(suite, ParaphraseSuite)]


def missed_by_all(manifests: Sequence[Manifest]) -> Missed:
    """What all the runs miss of the items that they have in common."""
    runs = tuple(
        _judged(manifest, suite, suite)
        for manifest in manifests
        for suite in map(SUITES.get, manifest.planned)
        if isinstance(suite, ParaphraseSuite)
    )
    if not runs:
        raise RunError(
            "none of these runs has items with a paraphrase to find: run one of "
            f"{', '.join(paraphrase_suites())} with -t"
        )
    common = tuple(unit for unit in runs[0].rows if all(unit in one.rows for one in runs))
    if not common:
        raise RunError("these runs have no item in common")
    lost = tuple(unit for unit in common if not any(one.rows[unit]["right"] for one in runs))
    return Missed(runs, common, lost)


def _judged(manifest: Manifest, suite: Suite, items: ParaphraseSuite) -> JudgedRun:
    import pyarrow as pa

    with stored_by(manifest, suite):
        judged = pa.concat_tables([suite.judge(rows) for rows in whole_rows(manifest, suite)])
        rows = {row["unit"]: row for row in items.by_item(judged).to_pylist()}
    return JudgedRun(str(manifest.model["name"]), suite.name, rows, items)
