"""What the suites over facts share: judged facts, their conditions, tables by condition, notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from naysay.core.measures import Analysis, Decide, ItemColumns, Measure, Wanted
from naysay.core.protocols import Table
from naysay.core.records import Appendix, Estimate, Fit
from naysay.core.spec import RunSpec
from naysay.stats.clusters import Floats
from naysay.stats.nested_shares import NestedShares
from naysay.stats.shares import Mask, codes
from naysay.suites.lama.rows import ASKED
from naysay.suites.lama.source import OWN_FACTS, UPSTREAM_FACTS

Words = npt.NDArray[Any]
Conditions = Mapping[str, Sequence[str]]
"""The relations of each condition."""
ALL = "all"
HALF = 50.0
"""The percentage on which the verdicts turn."""
FAULTS_TITLE = "What was read, left out or found wrong in the data"
_DETAILS = frozenset({"sweep", "relations", "faults"})
_PRINTED = {
    "google_re/place_of_birth": "google_re.birth_place",
    "google_re/date_of_birth": "google_re.birth_date",
    "google_re/place_of_death": "google_re.death_place",
}
"""How the paper calls a relation that it prints by itself."""


@dataclass(frozen=True)
class Metric:
    """A column of a table: a mean over relations, in each condition.

    One with a wanted direction can be compared between runs, over whole corpora and all facts.
    """

    name: str
    means: NestedShares
    column: str
    unit: str = "%"
    wanted: Wanted | None = None


class JudgedFacts:
    """The judged facts of one run, as arrays."""

    def __init__(self, suite: str, verdicts: Table, spec: RunSpec, fit: Fit) -> None:
        self.suite = suite
        self._table, self._fit = verdicts, fit
        self.relation = codes(verdicts, "relation")

    def __len__(self) -> int:
        return len(self._table)

    def true(self, column: str) -> Mask:
        """A column of yes and no."""
        return np.asarray(self._table[column].to_numpy(zero_copy_only=False), dtype=bool)

    def numbers(self, column: str) -> Floats:
        """A column of numbers, or of yes and no as 1 and 0."""
        return np.asarray(self._table[column].to_numpy(zero_copy_only=False), dtype=float)

    def words(self, column: str) -> Words:
        """A column of words."""
        return np.array(self._table[column].to_pylist(), dtype=object)

    @cached_property
    def asked(self) -> Mask:
        """Which rows were asked."""
        return np.asarray(self.words("asked") == ASKED, dtype=bool)

    @cached_property
    def conditions(self) -> dict[str, list[str]]:
        """The relations of each row of the paper's tables, of each corpus, and of all facts."""
        found: dict[str, list[str]] = {}
        whole: dict[str, list[str]] = {}
        columns = (self.words(column).tolist() for column in ("relation", "corpus", "kind"))
        for relation, corpus, kind in dict.fromkeys(zip(*columns, strict=True)):
            name = _PRINTED.get(relation, f"{corpus}.{kind}" if kind else corpus)
            found.setdefault(name, []).append(relation)
            whole.setdefault(corpus, []).append(relation)
        every = list(dict.fromkeys(self.words("relation").tolist()))
        corpora = {
            corpus: relations
            for corpus, relations in whole.items()
            if relations not in (*found.values(), every)
        }
        return {**found, **corpora, ALL: every}

    @cached_property
    def each_relation(self) -> dict[str, list[str]]:
        """Each relation as a condition of its own."""
        return {name: [name] for name in self.conditions[ALL]}

    @cached_property
    def _whole(self) -> set[str]:
        """The conditions that two runs are compared on: parts of a corpus would repeat it."""
        return {ALL, *self.words("corpus").tolist()}

    def items(self, *answers: str, sentence: str, keys: Sequence[str] = ("unit",)) -> ItemColumns:
        """Where the items of judged facts are found; their clusters are the relations."""
        columns = list(dict.fromkeys((*keys, *answers, "relation")))
        return ItemColumns(
            self._table.select(columns), keys=keys, clusters={"relations": "relation"},
            answers=answers, sentence=sentence,
        )  # fmt: skip

    def means(
        self, columns: Mapping[str, Floats], chosen: Mask, items: ItemColumns | None = None
    ) -> NestedShares:
        """Means over the relations of the chosen facts."""
        return NestedShares(
            self.suite, columns, self.relation, chosen, kind="relations",
            sizes=self._fit.about["sizes"], items=items,
        )  # fmt: skip

    def measures(
        self, table: str, metrics: Sequence[Metric], conditions: Conditions, *,
        by_size: bool = False,
    ) -> list[Measure]:  # fmt: skip
        """The metrics in each condition that has facts for them."""
        return [
            metric.means.mean(
                table, condition, metric.name, metric.column, relations, unit=metric.unit,
                by_size=by_size, wanted=metric.wanted,
                compared=metric.wanted is not None and condition in self._whole,
            )
            for condition, relations in conditions.items()
            for metric in metrics
            if metric.means.has(relations)
        ]  # fmt: skip


def analysis_of(
    measures: Sequence[Measure],
    titles: Mapping[str, str],
    decide: Decide,
    notes: Sequence[str],
    fit: Fit,
) -> Analysis:
    """The analysis with the tables that have a measure, and the templates for review."""
    filled = {measure.table for measure in measures}
    columns = ("relation", "template", "negated", "negation from")
    templates = tuple(tuple(map(str, row)) for row in fit.about["templates"])
    return Analysis(
        measures,
        {name: title for name, title in titles.items() if name in filled},
        decide,
        tuple(notes),
        _DETAILS & filled,
        (Appendix("Templates, for review", columns, templates),),
        comparable=fit.about["items"] == UPSTREAM_FACTS,
    )


def faults(suite: str, fit: Fit) -> list[Measure]:
    """What was read, left out or found wrong, as counts."""
    read = [
        (name.replace("/", " "), "rows read", count, None)
        for name, count in fit.about["read"].items()
    ]
    wrong = [
        (f"{corpus} {relation}", what, count, example)
        for corpus, relation, what, count, example in fit.about["faults"]
    ]
    return [
        Measure.given(
            Estimate(
                suite, "faults", where.strip(), what, float(count), n=int(count), unit="count",
                note=note,
            )
        )
        for where, what, count, note in (*read, *wrong)
    ]  # fmt: skip


def source_notes(fit: Fit, here: int) -> list[str]:
    """Which facts these are, which words can be answers, and whether the data have faults."""
    name, sizes = fit.about["items"], fit.about["sizes"]
    title = {
        UPSTREAM_FACTS: "LAMA",
        OWN_FACTS: "naysay's own; `naysay data get lama` downloads LAMA",
    }.get(name, name)
    every, words = sum(sizes.values()), len(fit.used) + len(fit.left_out)
    notes = [
        f"Facts: {title} ({every:,} in {len(sizes)} relations; {here:,} in this run).",
        f"{len(fit.used):,} of {words:,} words of the vocabulary can be answers of this model.",
    ]
    if found := fit.about["faults"]:
        count = sum(int(row[3]) for row in found)
        notes.append(f"The data have {count:,} faults or gaps; the report lists them.")
    return notes
