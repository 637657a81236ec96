"""Outcomes: what two runs can be compared on, item by item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from naysay.core.protocols import Table

    Floats = npt.NDArray[np.float64]

Wanted = Literal["high", "low"]
Strings = Any
"""A pyarrow array of strings, plain or dictionary-encoded."""
BY_LIKELIHOOD = ", by likelihood"
"""How the tables of runs that were read out by likelihood are marked."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """One figure as the items it is made of; its mean is the estimate of the same name.

    An item's key says what was asked, so that the same question is found again in another run.
    Values are 0 and 1, or scores. Percentages, ρ and differences in points are 100 times their
    mean.
    """

    suite: str
    table: str
    condition: str
    metric: str
    title: str
    """What its table shows."""
    keys: Strings
    values: Floats
    clusters: Mapping[str, Strings]
    """The items' clusters, of one kind or of two that cross."""
    unit: str = "%"
    wanted: Wanted | None = None
    """What a model that understands *not* has, None where neither is wanted."""
    balanced: bool = False
    """Whether each cluster counts once, whatever its number of items (a macro mean)."""
    rows: npt.NDArray[np.int64] | None = None
    """The rows that hold the items, counted over all shards of the suite; None if several do."""
    sentence: str = "text"
    """The column of these rows that has the sentence."""
    answers: Strings | None = field(default=None)
    """What the model said to each item."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def name(self) -> tuple[str, str, str, str]:
        """What it is called in every run."""
        return self.suite, self.table, self.condition, self.metric

    @property
    def scale(self) -> float:
        """What the mean is multiplied with where it is shown."""
        return 1.0 if self.unit == "score" else 100.0

    @property
    def bound(self) -> float:
        """How much an item's value can differ between two runs."""
        return 1.0 if self.unit == "%" else 2.0

    def weights(self) -> Floats | None:
        """How much each item counts; None if all count the same."""
        if not self.balanced:
            return None
        [labels] = self.clusters.values()
        return balanced_weights(codes_of(labels))

    def mean(self) -> float | None:
        """The figure, as the estimate has it; None without items."""
        import numpy as np

        if not len(self):
            return None
        return self.scale * float(np.average(self.values, weights=self.weights()))

    def by_likelihood(self) -> Outcome:
        """The same under the name that it has where the readout is by likelihood."""
        return replace(
            self, table=f"{self.table}{BY_LIKELIHOOD}", title=f"{self.title}, by likelihood"
        )


def balanced_weights(code: npt.NDArray[np.int64]) -> Floats:
    """Weights by which each cluster counts once.

    >>> import numpy as np
    >>> balanced_weights(np.array([0, 0, 1])).tolist()
    [0.5, 0.5, 1.0]
    """
    import numpy as np

    return 1.0 / np.bincount(code)[code]


def codes_of(labels: Strings) -> npt.NDArray[np.int64]:
    """The labels as numbers from 0, in the order of their first appearance."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = labels.combine_chunks() if isinstance(labels, pa.ChunkedArray) else labels
    if pa.types.is_dictionary(plain.type):
        plain = plain.dictionary.take(plain.indices)  # its own numbers may have gaps
    return np.asarray(pc.dictionary_encode(plain).indices, dtype=np.int64)


def joined(table: Table, *columns: str, by: str = " · ") -> Strings:
    """Several columns as one text for each row."""
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(*(strings(table, column) for column in columns), by)


def strings(table: Table, column: str) -> Strings:
    """A column of words or numbers as one array of plain strings."""
    found = table[column].cast("string")
    return found.combine_chunks()
