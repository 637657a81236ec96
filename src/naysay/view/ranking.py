"""The leaderboard: models, tests, the figure that decides each, and ranks that intervals allow.

A model's rank in a test is one more than the number of models that are better beyond doubt: their
whole interval lies on the better side of its own. Models that the intervals cannot separate
therefore share a rank. A printed figure has no interval and stands for itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from naysay.analysis.leaderboard import Board, boards_of
from naysay.core.measures import BY_LIKELIHOOD
from naysay.core.records import Finding
from naysay.reports.models import ReportedModel, reported_models
from naysay.reports.tables import NONE, deciding, interval, number, with_unit
from naysay.run.evaluation import Evaluation
from naysay.suites import SUITES, in_order
from naysay.suites.base import languages_of
from naysay.suites.published import papers, printed_model
from naysay.suites.report import report_of

PUBLISHED = "published"
_SIZES = ((100e6, "under 100 M"), (1e9, "100 M to 1 B"), (10e9, "1 B to 10 B"))
_LARGEST, UNKNOWN = "10 B and more", "not known"


@dataclass(frozen=True)
class Standing:
    """How a model stands in one test."""

    value: float
    shown: str
    """The figure with its unit."""
    interval: str = ""
    low: float | None = None
    high: float | None = None
    name: str = ""
    """What the figure is, in short and in words."""
    outcome: str = ""
    why: str = ""
    run: str = ""
    """The key of the run; empty for a printed figure."""
    wanted: str = ""
    """Whether `high` or `low` is better; empty if neither is, and there are no ranks."""
    group: str = ""
    """Those that are ranked together: of one language, on the paper's items or not."""
    rank: int | None = None
    shared: bool = False


@dataclass(frozen=True)
class RankedModel:
    """A row of the leaderboard."""

    name: str
    kind: str
    languages: tuple[str, ...]
    size: str
    standings: Mapping[str, Standing] = field(default_factory=dict)
    """By test."""
    model: str = ""
    """Its full name in the runs; empty for a model of a paper."""

    @property
    def published(self) -> bool:
        """Whether it is a model of a paper."""
        return not self.model


@dataclass(frozen=True)
class Leaderboard:
    """All models and tests."""

    suites: tuple[str, ...]
    models: tuple[RankedModel, ...]
    wanted: Mapping[str, str] = field(default_factory=dict)
    """By test, whether `high` or `low` is better; empty if neither is."""

    def values(self, name: str) -> list[str]:
        """Return what there is to choose from: kinds, languages or sizes."""
        if name == "size":
            every = [label for _, label in _SIZES] + [_LARGEST, UNKNOWN]
            return [label for label in every if any(one.size == label for one in self.models)]
        if name == "language":
            return sorted({code for one in self.models for code in one.languages})
        return sorted({one.kind for one in self.models}, key=lambda kind: (kind == UNKNOWN, kind))


def leaderboard(evaluations: Sequence[Evaluation]) -> Leaderboard:
    """Rank the newest runs of each model, with the models of the papers."""
    own = [_ranked(model) for model in reported_models(evaluations).models] if evaluations else []
    rows = _with_ranks([*own, *_printed()])
    suites = in_order({suite for row in rows for suite in row.standings})

    def place(row: RankedModel) -> tuple[object, ...]:
        """Runs come first, as in a report; the papers' models by test and rank."""
        if not row.published:
            return (0,)
        first = next(suite for suite in suites if suite in row.standings)
        return 1, suites.index(first), row.standings[first].rank or 0, row.name

    directions = {suite: _direction(rows, suite) for suite in suites}
    return Leaderboard(tuple(suites), tuple(sorted(rows, key=place)), directions)


def _ranked(model: ReportedModel) -> RankedModel:
    facts = model.evaluations[0].manifest.model
    languages = dict.fromkeys(str(one.spec.language) for one in model.evaluations)
    found = {
        suite: standing
        for suite, (evaluation, finding) in model.findings.items()
        if (standing := _standing(evaluation, finding)) is not None
    }
    size = size_label(facts.get("parameters"))
    return RankedModel(
        model.name, str(facts["kind"]), tuple(languages), size, found, str(facts["name"])
    )


def _standing(evaluation: Evaluation, finding: Finding) -> Standing | None:
    figures = deciding(finding)
    bare = Standing(
        0.0, NONE, outcome=finding.outcome, why=f"{finding.why} {finding.evidence}".strip(),
        run=evaluation.run,
    )  # fmt: skip
    if not figures:
        return bare
    name, words, estimate = figures[0]
    assert estimate.value is not None
    bounds = interval(estimate)
    alike = finding.why_not(estimate) is None and not estimate.table.endswith(BY_LIKELIHOOD)
    language = str(evaluation.spec.language)
    return replace(
        bare,
        value=estimate.value,
        shown=number(estimate.value, estimate.unit),
        interval="" if bounds == NONE else bounds,
        low=estimate.low,
        high=estimate.high,
        name=f"{name}: {words}" if words else name,
        wanted=finding.direction(estimate),
        group=PUBLISHED if alike else language,
    )


def size_label(parameters: Any) -> str:
    """Return the class of size of a model with so many parameters.

    >>> size_label(22_000_000), size_label(None)
    ('under 100 M', 'not known')
    """
    if not isinstance(parameters, int | float) or isinstance(parameters, bool) or parameters <= 0:
        return UNKNOWN
    return next((label for below, label in _SIZES if parameters < below), _LARGEST)


def _printed() -> list[RankedModel]:
    """The models of the papers that print the figure which decides a test."""
    found: dict[str, dict[str, Standing]] = {}
    languages: dict[str, dict[str, None]] = {}
    for suite, paper in papers().items():
        figures = report_of(suite).figure
        if not figures:
            continue
        key = figures[0]
        boards = [b for b in boards_of(suite, paper) if b.table == key.table and not b.selected]
        for board in boards:
            for entry in board.entries:
                figure = entry.figures.get((key.condition, key.metric))
                if figure is None:
                    continue
                spoken = languages_of([SUITES.get(suite)])[:1]  # the paper's comes first
                languages.setdefault(entry.model, {}).update(dict.fromkeys(spoken))
                found.setdefault(entry.model, {})[suite] = Standing(
                    figure.value,
                    with_unit(figure.shown, figure.unit),
                    name=f"{key.name}: {key.words}" if key.words else key.name,
                    why=_source(board),
                    group=PUBLISHED,
                )
    facts = {name: printed_model(name) for name in found}
    return [
        RankedModel(
            name, facts[name].kind or UNKNOWN, tuple(languages[name]),
            size_label(facts[name].parameters), standings,
        )
        for name, standings in found.items()
    ]  # fmt: skip


def _source(board: Board) -> str:
    return f"{board.source}: {board.title}"


def _with_ranks(rows: Iterable[RankedModel]) -> list[RankedModel]:
    rows = list(rows)
    ranks: dict[tuple[int, str], tuple[int, bool]] = {}
    suites = {suite for row in rows for suite in row.standings}
    for suite in suites:
        groups: dict[str, list[tuple[int, Standing]]] = {}
        for k, row in enumerate(rows):
            if (own := row.standings.get(suite)) is not None and own.shown != NONE:
                groups.setdefault(own.group, []).append((k, own))
        wanted = _direction(rows, suite)
        if not wanted:
            continue
        for group in groups.values():
            if len(group) == 1:
                continue
            found = ranks_of([_bounds(own, wanted) for _, own in group])
            for (k, _), rank in zip(group, found, strict=True):
                ranks[k, suite] = rank, found.count(rank) > 1
    return [
        replace(
            row,
            standings={
                suite: replace(own, rank=ranks[k, suite][0], shared=ranks[k, suite][1])
                if (k, suite) in ranks
                else own
                for suite, own in row.standings.items()
            },
        )
        for k, row in enumerate(rows)
    ]


def _direction(rows: Iterable[RankedModel], suite: str) -> str:
    """The direction that the runs want; `high` if there are only printed figures."""
    standings = [row.standings[suite] for row in rows if suite in row.standings]
    found = {own.wanted for own in standings if own.run and own.shown != NONE}
    if not found:
        return "high"
    return found.pop() if len(found) == 1 else ""


def _bounds(own: Standing, wanted: str) -> tuple[float, float]:
    low = own.value if own.low is None else own.low
    high = own.value if own.high is None else own.high
    return (low, high) if wanted == "high" else (-high, -low)


def ranks_of(bounds: Sequence[tuple[float, float]]) -> list[int]:
    """Return the rank of each interval: one more than the number that lie wholly above it.

    >>> ranks_of([(80, 90), (85, 95), (60, 70), (70.5, 71)])
    [1, 1, 4, 3]
    """
    lows = sorted(low for low, _ in bounds)
    return [len(lows) - bisect_right(lows, high) + 1 for _, high in bounds]
