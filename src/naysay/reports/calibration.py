"""The separations as a table, and as a page with charts."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.analysis.calibration import PAIRS, FigurePair, Separation
from naysay.reports.charts import charts_of
from naysay.reports.html import summary_of
from naysay.reports.page import page
from naysay.reports.sections import Part, Prose, Section, Verdict
from naysay.reports.tables import NONE, TextTable, number

_FIGURES = ("aware", "blind", "difference", "95 % interval")
_FORMS = {"score": "+.3f"}


def summary(separations: Sequence[Separation]) -> str:
    """The result in one sentence."""
    asked = [one for one in separations if one.evaluations]
    count = sum(one.separates for one in asked)
    text = (
        f"{count} of {len(asked)} tests separate a model sensitive to negation from one that is not"
    )
    others = [f"{one.suite} ({PAIRS[one.pair][0]})" for one in asked if not one.separates]
    return text + (f"; not separated by {', '.join(others)}." if others else ".")


def overview(separations: Sequence[Separation]) -> TextTable:
    """A row for each suite and pair of models, with the figure that separates them."""
    rows = []
    for one in separations:
        if one.evaluations and (clearest := one.clearest) is not None:
            by, aware, blind, _, interval = _cells(clearest)
            models = PAIRS[one.pair][0].removesuffix("aware").rstrip(":-")
            separated = "yes" if one.separates else "no"
            rows.append((f"{one.suite}, {models}", separated, by, aware, blind, interval))
    columns = ("", "separated", "by", "aware", "blind", "difference")
    return TextTable(
        "Does each test separate the models?", columns, tuple(rows), worded=frozenset({1, 2})
    )


def table(separation: Separation) -> TextTable:
    """All figures of a suite in both models of a pair."""
    rows = tuple((*_cells(one), "separated" if one.separates else "") for one in separation.figures)
    pair = zip(PAIRS[separation.pair], separation.findings, strict=True)
    outcomes = " and ".join(f"{model} {finding.outcome}" for model, finding in pair)
    title = f"{separation.suite}: {outcomes}"
    return TextTable(title, ("", *_FIGURES, ""), rows, worded=frozenset({5}))


def _cells(one: FigurePair) -> tuple[str, ...]:
    """The figure, its value in both models, and the difference."""
    unit = one.aware.unit
    form = _FORMS.get(unit, "+.1f")
    bounds = one.interval
    return (
        f"{one.aware.condition} {one.aware.metric} ({one.wanted})",
        number(one.aware.value, unit),
        number(one.blind.value, unit),
        NONE if one.difference is None else f"{one.difference:{form}}",
        NONE if bounds is None else f"{bounds[0]:{form}} to {bounds[1]:{form}}",
    )


def calibration_page(separations: Sequence[Separation]) -> str:
    """The page: for each suite both pairs, their figures and charts."""
    lead = f"{summary(separations)} Intervals are 95 %."
    sections = [
        Section("At a glance", (Prose(_ABOUT), overview(separations)), "glance"),
        *(_section(suite, separations) for suite in dict.fromkeys(s.suite for s in separations)),
    ]
    return page("Are the tests sensitive to negation?", sections, lead=lead)


_ABOUT = (
    "A test is only useful if it separates models that are known to differ. So every test is run "
    "on two pairs of models; in each pair one model is sensitive to negation and the other is not.",
    "known:aware and known:blind follow rules. mini-aware and mini-blind are small BERTs of the "
    "same size, trained on the same sentences; in those of mini-aware negation decides what "
    "follows, in those of mini-blind it does not. These sentences have "
    "no profession of the tests beside a verb.",
    "“High” and “low” are the expected directions. “Separated” means that the interval of the "
    "difference lies on that side of zero. Controls should be low in both models.",
)


def _section(suite: str, separations: Sequence[Separation]) -> Section:
    own = [one for one in separations if one.suite == suite]
    models = [model for one in own if one.evaluations for model in PAIRS[one.pair]]
    findings = [finding for one in own for finding in one.findings]
    parts: list[Part] = [summary_of(suite)]
    for one in own:
        if not one.evaluations:
            parts.append(Prose((f"Not asked: {one.reason}.",), quiet=True))
            continue
        for model, finding in zip(PAIRS[one.pair], one.findings, strict=True):
            parts.append(Verdict(model, finding.outcome, finding.verdict))
        parts.append(table(one))
    parts += charts_of(suite, list(zip(models, findings, strict=True)), models)[:1]
    return Section(suite, tuple(parts), suite)
