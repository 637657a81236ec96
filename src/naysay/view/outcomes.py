"""How the model fared in each row, by the suite's own measures.

A measure says which rows count, what each counts, and which direction is wanted of a model that
understands negation. A row is wrong if it counts against the model in any of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from naysay.core.errors import UnknownNameError
from naysay.core.measures import Measure
from naysay.run.evaluation import analysis_of
from naysay.run.manifest import Manifest
from naysay.suites.protocol import Suite

NONE, WRONG, RIGHT = 0, 1, 2
Marks = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """For each figure, which rows are right, wrong, or not part of it."""

    count: int
    marks: Mapping[str, Marks]

    @classmethod
    def of(cls, manifest: Manifest, suite: Suite) -> Outcomes:
        """Take them from the measures of a finished run."""
        shards = (one for one in manifest.shards.values() if one["suite"] == suite.name)
        count = sum(int(one["rows"]) for one in shards)
        measures = analysis_of(manifest, suite, manifest.run_spec).compared()
        marks = {}
        for measure in measures:
            if (own := _marks(measure, count)) is not None:
                marks[_label(measure, measures)] = own
        return cls(count, marks)

    @cached_property
    def overall(self) -> Marks:
        """Wrong in any figure, right in all that a row is part of, or in none."""
        found = np.zeros(self.count, np.uint8)
        for own in self.marks.values():
            found = np.where(
                (found == WRONG) | (own == WRONG), WRONG, np.maximum(found, own)
            ).astype(np.uint8)
        return found

    def codes(self, measure: str = "") -> Marks:
        """Return the marks of one figure, or over all of them."""
        if not measure:
            return self.overall
        if measure not in self.marks:
            raise UnknownNameError("figure", measure, self.marks)
        return self.marks[measure]

    def right(self, row: int) -> bool | None:
        """Return whether a row is right; None if no figure counts it."""
        return {RIGHT: True, WRONG: False}.get(int(self.overall[row]))


def _marks(measure: Measure, count: int) -> Marks | None:
    """The rows of a measure; None if its items are no single rows, or neither right nor wrong."""
    if measure.wanted is None or measure.unit != "%":
        return None
    items = measure.items
    values: Any = items.values
    if items.rows is None or not bool(np.isin(values, (0.0, 1.0)).all()):
        return None
    found = np.zeros(count, np.uint8)
    good = values == (1.0 if measure.wanted == "high" else 0.0)
    found[items.rows] = np.where(good, RIGHT, WRONG)
    return found


def _label(measure: Measure, measures: list[Measure]) -> str:
    """A short name for a figure, and its table's if others have the same."""
    same = [one for one in measures if (one.condition, one.metric) == _place(measure)]
    name = f"{measure.condition}: {measure.metric}"
    return name if len(same) == 1 else f"{measure.table}, {name}"


def _place(measure: Measure) -> tuple[str, str]:
    return measure.condition, measure.metric
