"""The items that several runs miss: too hard for all of them, or faulty.

An item is known by its sentences, so runs of any suite over such items go together, whether they
asked for vectors, likelihoods or letters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import RunError
from naysay.data.items import ROLES, AntonymItem
from naysay.run.manifest import Manifest
from naysay.run.runner import whole_rows
from naysay.suites import SUITES
from naysay.suites.semantoneg.rows import OPTIONS, TIE
from naysay.suites.semantoneg.suite import ItemSuite


@dataclass(frozen=True)
class Told:
    """What one run says of its items."""

    run: str
    suite: str
    rows: dict[str, dict[str, Any]]
    """The judged rows by unit."""

    def misses(self, units: Sequence[str]) -> int:
        """How many of these it misses."""
        return sum(not self.rows[unit]["right"] for unit in units)

    def took(self, unit: str) -> str:
        """What it took for the paraphrase."""
        choice = int(self.rows[unit]["choice"])
        return "tie" if choice == TIE else ROLES[choice]


@dataclass(frozen=True)
class Missed:
    """The items that all runs miss, among those that all of them asked."""

    told: tuple[Told, ...]
    common: tuple[str, ...]
    units: tuple[str, ...]

    def items(self) -> list[AntonymItem]:
        """The missed items, ready to be asked again."""
        rows = [self.told[0].rows[unit] for unit in self.units]
        found = []
        for row in rows:
            first, _, second = row["pair"].partition("/")
            about = (first, second), row["word_class"], row["negator"]
            antonym_only, polarity_only, paraphrase = (row[option] for option in OPTIONS)
            options = antonym_only, polarity_only, paraphrase
            found.append(AntonymItem(row["idx"], row["text"], options, *about))
        return sorted(found, key=lambda item: item.idx)

    def pairs(self) -> list[tuple[str, int, int]]:
        """The pairs of antonyms with most misses: pair, items missed by all, items in common."""
        rows = self.told[0].rows
        every = Counter(str(rows[unit]["pair"]) for unit in self.common)
        lost = Counter(str(rows[unit]["pair"]) for unit in self.units)
        return [(pair, count, every[pair]) for pair, count in lost.most_common()]


def missed_by_all(manifests: Sequence[Manifest]) -> Missed:
    """What all the runs miss of the items that they have in common."""
    told = tuple(
        _told(manifest, suite)
        for manifest in manifests
        for suite in map(SUITES.get, manifest.planned)
        if isinstance(suite, ItemSuite)
    )
    if not told:
        raise RunError("none of these runs has items with a paraphrase to find (-t semantoneg)")
    common = tuple(unit for unit in told[0].rows if all(unit in one.rows for one in told))
    if not common:
        raise RunError("these runs have no item in common")
    lost = tuple(unit for unit in common if not any(one.rows[unit]["right"] for one in told))
    return Missed(told, common, lost)


def _told(manifest: Manifest, suite: Any) -> Told:
    import pyarrow as pa

    judged = pa.concat_tables([suite.judge(rows) for rows in whole_rows(manifest, suite)])
    rows = {row["unit"]: row for row in suite.by_item(judged).to_pylist()}
    return Told(str(manifest.model["name"]), suite.name, rows)
