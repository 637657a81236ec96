"""Measures: the single definition of each figure.

A `Measure` says which rows count, the value of each, how they are clustered, and which direction is
better. Tables, verdicts, comparisons, gates and calibration are derived from it. Its estimate and
its items are computed lazily: a comparison needs no intervals of individual runs, and a table needs
no item keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, ParamSpec, TypeVar

from naysay.core.records import FAILS, NO_EFFECT, Appendix, Difference, Estimate, Finding

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from naysay.core.protocols import Table

    Floats = npt.NDArray[np.float64]
    Codes = npt.NDArray[np.signedinteger[Any]]

P = ParamSpec("P")
T = TypeVar("T")
Wanted = Literal["high", "low"]
Strings = Any
"""A pyarrow array of strings, plain or dictionary-encoded."""
BY_LIKELIHOOD = ", by likelihood"
"""Suffix of the tables of runs that were read out by likelihood."""
_NOT_BY_LIKELIHOOD = Difference(
    "readout", "The paper counts the model's first word, not the likeliest of a list."
)


@dataclass(frozen=True, eq=False)
class Items:
    """The items behind a figure; their mean is the figure.

    An item's key identifies the question, so that it can be matched with another run.
    Values are 0 and 1, or scores.
    """

    keys: Strings
    values: Floats
    clusters: Mapping[str, Strings]
    """The items' clusters: of one kind, or of two crossed kinds."""
    balanced: bool = False
    """Whether each cluster counts once, whatever its number of items (a macro mean)."""
    rows: Codes | None = None
    """Row numbers of the items over all shards of the suite; None if an item spans several rows."""
    sentence: str = "text"
    """The column that holds the sentence."""
    answers: Strings | None = None
    """The model's answer to each item."""

    def __len__(self) -> int:
        return len(self.values)

    def weights(self) -> Floats | None:
        """Return the weight of each item; None if all weights are equal."""
        if not self.balanced:
            return None
        [labels] = self.clusters.values()
        return balanced_weights(codes_of(labels))


@dataclass(frozen=True, eq=False)
class Measure:
    """One figure: its name, the better direction, its estimator and its items.

    Percentages, ρ and differences in points are 100 times the mean of the items' values.
    """

    suite: str
    table: str
    condition: str
    metric: str
    estimator: Callable[[], Estimate] = field(repr=False)
    """Computes the figure; the names, unit and note of its result are replaced by those below."""
    unit: str = "%"
    wanted: Wanted | None = None
    """The direction expected of a model that understands *not*; None if neither."""
    note: str | None = None
    title: str = ""
    """The title of its table."""
    listed: Callable[[], Items] | None = field(default=None, repr=False)
    """Collects the items; None if runs cannot be compared item by item."""

    @classmethod
    def given(cls, estimate: Estimate) -> Measure:
        """Wrap a figure that was computed elsewhere: a count, a p-value, an area under a curve."""
        e = estimate
        names = (e.suite, e.table, e.condition, e.metric)
        return cls(*names, lambda: e, unit=e.unit, note=e.note)

    @cached_property
    def estimate(self) -> Estimate:
        """The figure with its interval."""
        found = self.estimator()
        note = found.note if self.note is None else self.note
        return replace(
            found, suite=self.suite, table=self.table, condition=self.condition,
            metric=self.metric, unit=self.unit, note=note,
        )  # fmt: skip

    @property
    def comparable(self) -> bool:
        """Whether runs can be compared on its items."""
        return self.listed is not None

    @cached_property
    def items(self) -> Items:
        """The items."""
        if self.listed is None:
            raise ValueError(f"{self.name} has no items to compare")
        return self.listed()

    @property
    def name(self) -> tuple[str, str, str, str]:
        """The name that identifies it in every run."""
        return self.suite, self.table, self.condition, self.metric

    @property
    def scale(self) -> float:
        """The factor by which the mean is multiplied for display."""
        return 1.0 if self.unit == "score" else 100.0

    @property
    def bound(self) -> float:
        """The largest possible difference of an item's value between two runs."""
        return 1.0 if self.unit == "%" else 2.0

    def mean(self) -> float | None:
        """Compute the figure from its items, on the scale of the estimate; None without items."""
        import numpy as np

        items = self.items
        if not len(items):
            return None
        return self.scale * float(np.average(items.values, weights=items.weights()))

    def by_likelihood(self) -> Measure:
        """Return the measure under its name for the likelihood readout."""
        title = f"{self.title}{BY_LIKELIHOOD}" if self.title else ""
        return replace(self, table=f"{self.table}{BY_LIKELIHOOD}", title=title)


class Ruling(NamedTuple):
    """What a suite decides: an outcome, the reason in a sentence, and the figures behind it."""

    outcome: str
    why: str
    figures: str = ""
    needed: float | None = None
    """How many times as large a sample would settle what is open; None if nothing is."""


Decide = Callable[[Sequence[Estimate]], Ruling]
"""Maps all estimates to a ruling."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """All measures of a suite in one run, and its decision rule."""

    measures: Sequence[Measure]
    titles: Mapping[str, str]
    """The title of each table, in display order."""
    decide: Decide
    notes: tuple[str, ...] = ()
    details: frozenset[str] = frozenset()
    """Tables too long for a terminal."""
    appendix: tuple[Appendix, ...] = ()
    differences: tuple[Difference, ...] = ()
    """What differs from the paper, as far as the run's items and rows show it."""
    incomparable: tuple[Difference, ...] = ()
    """Where the published figures are about something else than the run's."""

    def finding(self, suite: str, *, whole: bool = False) -> Finding:
        """Compute the estimates and the verdict; `whole` says that nothing is left to ask."""
        estimates = tuple(measure.estimate for measure in self.measures)
        ruling = self.decide(estimates)
        if whole and ruling.needed is not None:
            ruling = self._settled(estimates, ruling)
        return Finding(
            suite, estimates, dict(self.titles), ruling.outcome, ruling.why, self.notes,
            self.details, self.appendix, self.differences, self.incomparable, needed=ruling.needed,
            evidence=ruling.figures,
            directions=tuple((*m.name[1:], m.wanted) for m in self.measures if m.wanted),
        )  # fmt: skip

    def _settled(self, estimates: Sequence[Estimate], ruling: Ruling) -> Ruling:
        """Decide by the figures themselves, where no larger sample could.

        That shows that a model does not pass, but a pass needs the interval.
        """
        exact = [replace(e, low=e.value, high=e.value) for e in estimates]
        found = self.decide(exact)
        if found.outcome in (FAILS, NO_EFFECT):
            figures = f"{ruling.figures} Nothing is left to ask, so the figures themselves decide."
            return found._replace(figures=figures, needed=None)
        return ruling

    def within(self, context: Callable[[], AbstractContextManager[None]]) -> Analysis:
        """Return the analysis with all that it computes later computed within a context."""
        return replace(
            self,
            measures=[
                replace(
                    measure,
                    estimator=_entered(context, _finite(measure.estimator)),
                    listed=measure.listed and _entered(context, measure.listed),
                )
                for measure in self.measures
            ],
            decide=_entered(context, self.decide),
        )

    def compared(self) -> list[Measure]:
        """Return the measures that runs can be compared on, with the titles of their tables."""
        return [
            replace(measure, title=measure.title or self.titles.get(measure.table, ""))
            for measure in self.measures
            if measure.comparable
        ]

    def by_likelihood(self) -> Analysis:
        """Return the analysis under separate names, so that no table mixes the two readouts."""
        decide, marked = self.decide, self.measures

        def decided(estimates: Sequence[Estimate]) -> Ruling:
            plain = [replace(e, table=m.table) for e, m in zip(estimates, marked, strict=True)]
            ruling = decide(plain)
            return ruling._replace(why=f"by likelihood, {ruling.why}")

        return replace(
            self,
            measures=[measure.by_likelihood() for measure in self.measures],
            titles={f"{n}{BY_LIKELIHOOD}": f"{t}{BY_LIKELIHOOD}" for n, t in self.titles.items()},
            decide=decided,
            details=frozenset(f"{name}{BY_LIKELIHOOD}" for name in self.details),
            differences=(),
            incomparable=(_NOT_BY_LIKELIHOOD,),
        )


def _entered(
    context: Callable[[], AbstractContextManager[None]], function: Callable[P, T]
) -> Callable[P, T]:
    """The function, called within the context."""

    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        with context():
            return function(*args, **kwargs)

    return called


def _finite(estimator: Callable[[], Estimate]) -> Callable[[], Estimate]:
    """The estimator, which refuses figures that are none."""

    def checked() -> Estimate:
        found = estimator()
        for figure in (found.value, found.low, found.high):
            if figure is not None and not math.isfinite(figure):
                raise ValueError(f"a figure is {figure}")
        return found

    return checked


class ItemColumns:
    """Extracts the items of judged rows: their keys, clusters and answers."""

    def __init__(
        self,
        table: Table,
        *,
        keys: Sequence[str],
        clusters: Mapping[str, str | Strings] | Callable[[], Mapping[str, str | Strings]],
        answers: Sequence[str] | Strings,
        sentence: str = "text",
        balanced: bool = False,
        rows: Codes | None = None,
    ) -> None:
        """Take the judged table and the names of its columns.

        Several key or answer columns are joined. Clusters and answers may also be arrays, and
        clusters may be made when they are needed. `rows` maps the table's rows to stored rows, if
        they differ.
        """
        self._table, self._keys, self._given = table, tuple(keys), clusters
        self._answers, self._sentence = answers, sentence
        self._balanced, self._rows = balanced, rows

    @cached_property
    def _unified(self) -> Table:
        return self._table.unify_dictionaries()

    @cached_property
    def _clusters(self) -> Mapping[str, str | Strings]:
        return self._given() if callable(self._given) else self._given

    def of(self, places: Codes, values: Floats) -> Items:
        """Return the items at these rows of the table, with these values."""
        here = self._unified.take(places)
        clusters = {
            kind: strings(here, found) if isinstance(found, str) else found.take(places)
            for kind, found in self._clusters.items()
        }
        answers = self._answers
        if isinstance(answers, Sequence):
            answers = joined(here, *answers, by=" / ")
        else:
            answers = answers.take(places)
        return Items(
            keys=joined(here, *self._keys, by="/"),
            values=values,
            clusters=clusters,
            balanced=self._balanced,
            rows=places if self._rows is None else self._rows[places],
            sentence=self._sentence,
            answers=answers,
        )


def balanced_weights(code: Codes) -> Floats:
    """Return weights that make each cluster count once.

    >>> import numpy as np
    >>> balanced_weights(np.array([0, 0, 1])).tolist()
    [0.5, 0.5, 1.0]
    """
    import numpy as np

    return 1.0 / np.bincount(code)[code]


def codes_of(labels: Strings) -> Codes:
    """Encode the labels as numbers from 0, in order of first appearance."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = labels.combine_chunks() if isinstance(labels, pa.ChunkedArray) else labels
    if pa.types.is_dictionary(plain.type):
        plain = plain.dictionary.take(plain.indices)  # its own codes may have gaps
    return np.asarray(pc.dictionary_encode(plain).indices, dtype=np.int64)


def joined(table: Table, *columns: str, by: str = " · ") -> Strings:
    """Join several columns into one string per row."""
    import pyarrow.compute as pc

    if len(columns) == 1:
        return strings(table, columns[0])
    return pc.binary_join_element_wise(*(strings(table, column) for column in columns), by)


def strings(table: Table, column: str) -> Strings:
    """Return a column as one array of plain strings."""
    found = table[column].cast("string")
    return found.combine_chunks()
