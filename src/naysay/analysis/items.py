"""The items of a run, read from its rows, and the items that several runs share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from naysay.core.errors import RunError
from naysay.core.measures import Measure, Strings, balanced_weights, codes_of
from naysay.core.spec import RunSpec
from naysay.run.evaluation import analysis_of
from naysay.run.manifest import Manifest
from naysay.run.rows import rows_in, shard_files, stored_by
from naysay.stats.clusters import Codes, Floats
from naysay.suites.protocol import Suite

Places = npt.NDArray[np.int64]


def measures_of(manifest: Manifest, suite: Suite, spec: RunSpec) -> list[Measure]:
    """The measures of a finished run that another run can be compared on."""
    return analysis_of(manifest, suite, spec).compared()


def sentences(manifest: Manifest, suite: Suite, column: str, rows: Places) -> Iterator[str]:
    """The texts of some rows, in their order; only the shards that hold one are read."""
    files = shard_files(manifest, suite)
    starts = np.cumsum([0, *(int(manifest.shards[file]["rows"]) for file in files)])
    order = np.argsort(rows, kind="stable")
    texts = [""] * len(rows)
    bounds = np.searchsorted(rows[order], starts)
    for file, start, begin, end in zip(files, starts, bounds, bounds[1:], strict=False):
        if begin == end:
            continue
        with stored_by(manifest, suite):
            texts_here = rows_in(manifest, file, suite, [column])[column]
            taken = texts_here.take(rows[order[begin:end]] - start)
        for place, text in zip(order[begin:end].tolist(), taken.to_pylist(), strict=True):
            texts[place] = str(text)
    yield from texts


@dataclass(frozen=True, eq=False)
class Match:
    """The items of one measure that all runs have, in an order that is the same for all."""

    measures: tuple[Measure, ...]
    """One for each run."""
    places: tuple[Places, ...]
    """Where the common items stand in each run's measure."""

    @property
    def first(self) -> Measure:
        """The baseline's measure."""
        return self.measures[0]

    def __len__(self) -> int:
        return len(self.places[0])

    @cached_property
    def keys(self) -> Strings:
        """The common items."""
        return self.first.items.keys.take(self.places[0])

    def values(self, run: int) -> Floats:
        """The values of the common items in one of the runs."""
        return self.measures[run].items.values[self.places[run]]

    @cached_property
    def clusters(self) -> Mapping[str, Codes]:
        """The clusters of the common items; where runs disagree, what is together in any.

        Items of a single cluster are clusters themselves where each cluster counts once.
        """
        found = {
            kind: _joined(
                [
                    codes_of(measure.items.clusters[kind].take(places))
                    for measure, places in zip(self.measures, self.places, strict=True)
                ]
            )
            for kind in self.first.items.clusters
        }
        if self.first.items.balanced and all(code.max(initial=0) == 0 for code in found.values()):
            return {"facts": np.arange(len(self))}
        return found

    @cached_property
    def weights(self) -> Floats | None:
        """How much each common item counts; None if all count the same."""
        if not self.first.items.balanced:
            return None
        [code] = self.clusters.values()
        return balanced_weights(code)

    def mean(self, run: int) -> float:
        """The figure of one of the runs on the common items."""
        return self.first.scale * float(np.average(self.values(run), weights=self.weights))

    @property
    def binary(self) -> bool:
        """Whether every item is 0 or 1."""
        runs = range(len(self.measures))
        return self.first.unit == "%" and all(
            bool(np.isin(self.values(run), (0.0, 1.0)).all()) for run in runs
        )


def match(measures: Sequence[Measure], like: Match | None = None) -> Match:
    """The items that all of these have, in the order of their keys.

    Conditions often have the same items: what was found for those of `like` is taken if so.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if like is not None and all(
        one.items.keys.equals(other.items.keys)
        for one, other in zip(measures, like.measures, strict=True)
    ):
        return Match(tuple(measures), like.places)
    for measure in measures:
        if pc.count_distinct(measure.items.keys).as_py() < len(measure.items):
            named = f"{measure.suite} {measure.table} {measure.condition}"
            raise RunError(f"an item occurs twice in {named}: the rows are damaged; run again")
    common = measures[0].items.keys
    for measure in measures[1:]:
        common = common.filter(pc.is_in(common, value_set=measure.items.keys))
    # By key, so that the order of the runs changes nothing, not even the last digit.
    common = common.take(pc.sort_indices(common))
    places = tuple(
        np.asarray(
            pc.index_in(common, value_set=measure.items.keys).cast(pa.int64()), dtype=np.int64
        )
        for measure in measures
    )
    return Match(tuple(measures), places)


def _joined(partitions: Sequence[Codes]) -> Codes:
    """Clusters such that what is together in any of the partitions is together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first = partitions[0]
    if all(np.array_equal(first, other) for other in partitions[1:]):
        return first
    sizes = [int(code.max(initial=-1)) + 1 for code in partitions]
    starts = np.cumsum([0, *sizes])
    later = zip(starts[1:], partitions[1:], strict=False)
    links = np.concatenate([np.stack([first, start + code]) for start, code in later], axis=1)
    graph = coo_array((np.ones(links.shape[1]), links), shape=(starts[-1], starts[-1]))
    component: Codes = connected_components(graph, directed=False)[1].astype(np.int64)[first]
    # Numbered by first appearance, whichever run was named first.
    _, places, code = np.unique(component, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(places))[code].astype(np.int64)
