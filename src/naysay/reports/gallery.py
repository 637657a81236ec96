"""Which charts a suite gets: its own, or one for each of its tables with intervals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from naysay.core.records import Estimate, Finding
from naysay.reports.charts import Plot, Point
from naysay.reports.sections import Chart
from naysay.suites import SUITES

Labelled = tuple[str, Finding]
"""A model's name in the page, and what a suite found of it."""
Place = tuple[str, str, float | None]
"""What a point is about, its kind of line, and its place along the axis."""
_BY_LIKELIHOOD = ", by likelihood"
_SHORT_NOTE = 22
_MOST_ROWS = 40


def _plain(estimate: Estimate) -> Place:
    return estimate.condition, "", None


def _by_rank(estimate: Estimate) -> Place:
    series, _, rank = estimate.condition.partition(" rank ")
    return estimate.condition, series, float(rank)


def _by_threshold(estimate: Estimate) -> Place:
    row = f"{estimate.condition}: {estimate.metric}"
    return row, estimate.metric, float(estimate.condition.removeprefix("≥ "))


def _by_distance(estimate: Estimate) -> Place:
    return estimate.condition, "", float(estimate.condition.split()[0])


_PRIMES = {
    "A": "a random word", "B": "an answer to another question",
    "C": "its own best wrong answer", "D": "C, 20 sentences away",
}  # fmt: skip


def _by_prime(estimate: Estimate) -> Place:
    kind = estimate.metric.rpartition(" ")[2]
    return f"{kind}: {_PRIMES.get(kind, 'a prime')}", "", None


def _by_metric(estimate: Estimate) -> Place:
    return estimate.metric, "", None


@dataclass(frozen=True)
class Recipe:
    """How one table of a suite becomes a chart."""

    table: str
    said: str
    """What the figures are."""
    about: str = ""
    metrics: tuple[str, ...] = ()
    """Which of them; all if none is named."""
    conditions: tuple[str, ...] = ()
    place: Callable[[Estimate], Place] = _plain
    bars: bool = False
    along: str = ""
    title: str = ""
    """What the chart is called; like its table if nothing is said."""

    def takes(self, estimate: Estimate) -> bool:
        """Whether an estimate of the table stands in the chart."""
        return (not self.metrics or estimate.metric in self.metrics) and (
            not self.conditions or estimate.condition in self.conditions
        )


_SCNT = (
    Recipe("drops", "verbs given up", "Contradictions should be high, controls low."),
    Recipe("adjusted", "difference", "Above zero: negation does more than the control."),
)
RECIPES: Mapping[str, tuple[Recipe, ...]] = {
    "scnt": _SCNT,
    "scin": _SCNT,
    "scnt_controls": (
        Recipe("coreference", "verbs given up"),
        Recipe("person", "difference", "Above zero: it matters that the same person is meant."),
    ),
    "scnt_table2": (
        Recipe("table2", "repetition", bars=True),
        Recipe("delta", "difference", "Above zero: negation takes repetition away."),
    ),
    "gh22": (
        Recipe("polarity", "repetition", bars=True),
        Recipe("rank", "repetition", place=_by_rank, along="rank of the verb among its guesses"),
        Recipe("misprime", "repetition", bars=True),
        Recipe("marking", "repetition"),
    ),
    "semantoneg": (
        Recipe("accuracy", "accuracy"),
        Recipe("choices", "share of the items", bars=True),
        Recipe(
            "sweep", "share of the pairs", "A gap between the lines is what a threshold can use.",
            place=_by_threshold, along="threshold",
        ),
        Recipe("kinds", "accuracy"),
    ),
    "lama": (
        Recipe(
            "negated", "ρ", "High: a fact and its negation get the same answers.",
            metrics=("rho",), title="Rank correlation of a fact and its negation",
        ),
        Recipe(
            "negated", "same first answer", metrics=("top1_agreement",),
            title="The same first answer to a fact and its negation",
        ),
        Recipe(
            "precision", "share", place=_by_metric, conditions=("all",), bars=True,
            title="Right answers, and what is left of them under negation",
        ),
        Recipe("sweep", "share of the questions", place=_by_threshold, along="probability"),
    ),
    "lama_misprimed": (
        Recipe(
            "misprimed", "right answers lost", place=_by_prime, conditions=("all",), bars=True,
            title="Right answers lost after a misprime",
        ),
        Recipe(
            "distance", "right answers lost", place=_by_distance,
            along="neutral sentences between prime and question",
        ),
        Recipe("says_prime", "the misprime is the answer", place=_by_prime, bars=True),
    ),
}  # fmt: skip


def charts_of(suite: str, found: Sequence[Labelled], models: Sequence[str]) -> list[Chart]:
    """The charts of one suite over all models that have it."""
    titles: dict[str, str] = {}
    for _, finding in found:
        titles = titles | {k: v for k, v in finding.titles.items() if k not in titles}
    plots = list(_special(suite, found, titles, tuple(models)))
    if not plots:
        plots = list(_general(suite, found, titles, tuple(models)))
    context = SUITES.get(suite).card.title
    return [
        replace(plot, points=_with_notes(plot.points), context=context).chart() for plot in plots
    ]


def _with_notes(points: Sequence[Point]) -> list[Point]:
    """The points with what is wanted under their names, where it is the same for all models."""
    notes: dict[str, set[str]] = {}
    for point in points:
        notes.setdefault(point.row, set()).add(point.estimate.note or "")
    told = {row: found.pop() for row, found in notes.items() if len(found) == 1}
    if len(told) < len(notes) or not all(
        note and len(note) <= _SHORT_NOTE and not re.search(r"\d", note) for note in told.values()
    ):
        return list(points)
    return [replace(point, row=f"{point.row}\n{told[point.row]}") for point in points]


def _special(
    suite: str, found: Sequence[Labelled], titles: Mapping[str, str], models: tuple[str, ...]
) -> Iterator[Plot]:
    for k, recipe in enumerate(RECIPES.get(suite, ())):
        for table in titles:
            if table.removesuffix(_BY_LIKELIHOOD) != recipe.table:
                continue
            points = [
                _point(model, estimate, recipe.place(estimate))
                for model, finding in found
                for estimate in finding.estimates
                if estimate.table == table and recipe.takes(estimate)
            ]
            if any(point.estimate.value is not None for point in points):
                title = titles[table]
                if recipe.title:
                    title = recipe.title + table.removeprefix(recipe.table)
                yield Plot(
                    name=_slug(f"{suite}-{table}-{k}"), title=_without_source(title),
                    points=points, models=models, bars=recipe.bars, along=recipe.along,
                    said=recipe.said, about=recipe.about,
                )  # fmt: skip


def _general(
    suite: str, found: Sequence[Labelled], titles: Mapping[str, str], models: tuple[str, ...]
) -> Iterator[Plot]:
    """Dots for every table that has intervals, unless it is too long to be looked at."""
    details = frozenset[str]().union(*(finding.details for _, finding in found))
    for table, title in titles.items():
        here = [
            (model, e)
            for model, finding in found
            for e in finding.estimates
            if e.table == table and e.value is not None
        ]
        for unit in dict.fromkeys(e.unit for _, e in here if e.low is not None):
            chosen = [(model, e) for model, e in here if e.unit == unit]
            metrics = {e.metric for _, e in chosen}
            rows = {(e.condition, e.metric) for _, e in chosen}
            if table in details or len(rows) > _MOST_ROWS:
                continue
            yield Plot(
                name=_slug(f"{suite}-{table}-{unit}"), title=_without_source(title),
                points=[_point(model, e, _labelled(e, metrics)) for model, e in chosen],
                models=models, said=metrics.pop() if len(metrics) == 1 else "",
            )  # fmt: skip


def _labelled(estimate: Estimate, metrics: set[str]) -> Place:
    if len(metrics) == 1:
        return _plain(estimate)
    return f"{estimate.condition}: {estimate.metric}", "", None


def _point(model: str, estimate: Estimate, place: Place) -> Point:
    row, series, x = place
    return Point(model, row, estimate, series, x)


def _without_source(title: str) -> str:
    """The title without the number of the paper's table, which the tables tell.

    >>> _without_source("Drop of repetition (Table 6)")
    'Drop of repetition'
    """
    return re.sub(r" \([^()]*Tables? [^()]*\)", "", title)


def _slug(name: str) -> str:
    """A name that can be a file's and an element's.

    >>> _slug("scnt-drops, by likelihood-%")
    'scnt-drops-by-likelihood'
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")
