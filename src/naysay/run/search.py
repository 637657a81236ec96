"""Searching the items of a run by text, condition and outcome, shard by shard."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from naysay.core.errors import RunError, UnknownNameError
from naysay.core.examples import Example, ExampleSide
from naysay.core.protocols import Table
from naysay.run.examples import read_examples, units_of
from naysay.run.manifest import Manifest
from naysay.run.rows import read_fit, rows_in, stored_by
from naysay.suites.protocol import Suite


@dataclass(frozen=True)
class Wish:
    """The search criteria."""

    text: str = ""
    """Text in the title, key or sentences, ignoring case; parts separated by `·` or `/`."""
    condition: str | None = None
    right: bool | None = None
    """Right or wrong in the condition; without a condition, right in all or wrong in some."""

    @property
    def parts(self) -> list[str]:
        """The parts of the search text."""
        return [part.strip() for part in re.split(r"[·/]", self.text) if part.strip()]

    def takes(self, item: Example) -> bool:
        """Return whether the item matches."""
        texts = "\n".join([item.key, item.title, *(side.text for side in item.sides)])
        if not all(begins_a_word(part, texts) for part in self.parts):
            return False
        sides = [s for s in item.sides if self.condition is None or same(s.label, self.condition)]
        if not sides or self.right is None:
            return bool(sides)
        verdicts = [side.right for side in sides if side.right is not None]
        return bool(verdicts) and all(verdicts) == self.right

    def points_at(self, side: ExampleSide) -> bool:
        """Return whether the side is in the requested condition."""
        return self.condition is not None and same(side.label, self.condition)


def begins_a_word(part: str, text: str) -> bool:
    """Return whether a word of the text begins with the part, ignoring case.

    >>> begins_a_word("Run", "likes to run."), begins_a_word("run", "likes to prune.")
    (True, False)
    """
    return re.search(rf"(?<!\w){re.escape(part)}", text, re.IGNORECASE) is not None


def same(one: str, other: str) -> bool:
    """Return whether two labels are equal, ignoring case."""
    return one.casefold() == other.casefold()


def search_all(
    manifest: Manifest, suites: Sequence[Suite], wish: Wish, count: int
) -> dict[str, list[Example]]:
    """Search each suite; suites without the condition are skipped."""
    found: dict[str, list[Example]] = {}
    for suite in suites:
        try:
            found[suite.name] = search(manifest, suite, wish, count)
        except UnknownNameError:
            if suite is suites[-1] and not found:
                raise
    return found


def search(manifest: Manifest, suite: Suite, wish: Wish, count: int) -> list[Example]:
    """Return the first matching items of a run.

    Those with probabilities come first, in the order of the examples, and spare ones last.
    """
    if suite.name not in manifest.planned:
        raise UnknownNameError("suite", suite.name, manifest.planned, f"({manifest.folder})")
    kept = read_examples(manifest, suite.name)
    known = {str(example["item"]): example for example in kept.examples} if kept else {}
    units = frozenset(str(example["unit"]) for example in known.values())
    labels: set[str] = set()

    def every(among: frozenset[str] | None) -> Iterator[Example]:
        for item in _items(manifest, suite, wish, among):
            labels.update(side.label for side in item.sides)
            if wish.takes(item) and (among is not None) == (item.key in known):
                yield item

    order = {key: place for place, key in enumerate(known)}
    first = sorted(every(units) if units else (), key=lambda item: order[item.key])
    others = (item for spare in (False, True) for item in every(None) if item.spare == spare)
    found = [scored(item, known.get(item.key)) for item in islice(chain(first, others), count)]
    if not found and wish.condition and not any(same(wish.condition, one) for one in labels):
        # The other criteria may have excluded all items with the condition.
        for item in _items(manifest, suite, Wish(), None):
            labels.update(side.label for side in item.sides)
        if not any(same(wish.condition, one) for one in labels):
            raise UnknownNameError("condition", wish.condition, labels)
    return found


def _items(
    manifest: Manifest, suite: Suite, wish: Wish, among: frozenset[str] | None
) -> Iterator[Example]:
    """Yield the items of the run's finished shards, optionally of some units only."""
    fit, spec = read_fit(manifest, suite), manifest.run_spec
    files = sorted(file for file, one in manifest.shards.items() if one["suite"] == suite.name)
    files = [file for file in files if manifest.path(file).is_file()]
    if not files:
        raise RunError(f"{manifest.folder} has no rows of {suite.name} yet")
    for file in files:
        if among is not None and not len(units_of(rows_in(manifest, file, suite, ["unit"]), among)):
            continue
        rows = rows_in(manifest, file, suite)
        for units in (among, _units_with(rows, wish.parts)):
            rows = rows if units is None else units_of(rows, units)
        if len(rows):
            with stored_by(manifest, suite):
                yield from suite.examples(suite.judge(rows), spec, fit)


def _units_with(rows: Table, parts: Sequence[str]) -> frozenset[str] | None:
    """Return the units whose rows contain every part; None without parts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    units = None
    texts = [c.cast("string") for c in rows.columns if pa.types.is_dictionary(c.type)]
    for part in parts:
        here = None
        for text in texts:
            has = pc.match_substring(text, part, ignore_case=True)
            here = has if here is None else pc.or_(here, has)
        found = frozenset(rows.filter(here)["unit"].cast("string").to_pylist())
        units = found if units is None else units & found
    return units


def scored(item: Example, example: Mapping[str, Any] | None) -> Example:
    """Add the top words and scores of the run's examples to the item."""
    if example is None:
        return item
    found = {side["label"]: side for side in example["sides"]}
    return replace(
        item,
        sides=tuple(
            replace(
                side,
                top=tuple((str(word), float(score)) for word, score in found[side.label]["top"]),
                scores=dict(found[side.label]["scores"]),
            )
            if side.label in found
            else side
            for side in item.sides
        ),
    )
