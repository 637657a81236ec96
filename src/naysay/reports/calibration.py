"""The separations as a table, and as a page with charts."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.analysis.calibration import PAIRS, Apart, Separation
from naysay.reports.gallery import charts_of
from naysay.reports.html import summary_of
from naysay.reports.page import page
from naysay.reports.sections import Part, Prose, Section, Verdict
from naysay.reports.tables import NONE, TextTable, number

_FIGURES = ("aware", "blind", "apart by", "95 % interval")
_FORMS = {"score": "+.3f"}


def summary(separations: Sequence[Separation]) -> str:
    """What was found, in one or two sentences."""
    asked = [one for one in separations if one.evaluations]
    telling = [one for one in asked if one.separates]
    told = f"{len(telling)} of {len(asked)} tests tell the model that minds negation from the other"
    others = [f"{one.suite} ({PAIRS[one.pair][0]})" for one in asked if not one.separates]
    return told + (f"; not {', '.join(others)}." if others else ".")


def overview(separations: Sequence[Separation]) -> TextTable:
    """A line for each suite and pair of models, with the figure that tells them apart first."""
    rows = []
    for one in separations:
        if one.evaluations and (clearest := one.clearest) is not None:
            by, aware, blind, _, interval = _cells(clearest)
            models = PAIRS[one.pair][0].removesuffix("aware").rstrip(":-")
            told = "yes" if one.separates else "no"
            rows.append((f"{one.suite}, {models}", told, by, aware, blind, interval))
    columns = ("", "told", "by", "aware", "blind", "apart by")
    return TextTable("Told apart?", columns, tuple(rows), worded=frozenset({1, 2}))


def table(separation: Separation) -> TextTable:
    """All figures of a suite in both models of a pair."""
    rows = tuple((*_cells(one), "apart" if one.separates else "") for one in separation.figures)
    pair = zip(PAIRS[separation.pair], separation.findings, strict=True)
    said = " and ".join(f"{model} {finding.outcome}" for model, finding in pair)
    title = f"{separation.suite}: {said}"
    return TextTable(title, ("", *_FIGURES, ""), rows, worded=frozenset({5}))


def _cells(one: Apart) -> tuple[str, ...]:
    """What is measured, in both models, and how far these are apart."""
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
    lead = f"{summary(separations)} Every figure has a 95 % interval."
    sections = [
        Section("At a glance", (Prose(_ABOUT), overview(separations)), "glance"),
        *(_section(suite, separations) for suite in dict.fromkeys(s.suite for s in separations)),
    ]
    return page("Can the tests tell who minds “not”?", sections, lead=lead)


_ABOUT = (
    "An instrument that has never been held against a known quantity measures nothing. So every "
    "test is given to two pairs of which it is known which one minds negation.",
    "known:aware and known:blind follow rules. mini-aware and mini-blind are small BERTs of the "
    "same size, trained on the same sentences; in those of mini-aware negation decides what "
    "follows, in those of mini-blind it does not. No profession of the tests stands beside a verb "
    "in these sentences.",
    "“High” and “low” are what is wanted of a figure. “Apart” says that the interval of the "
    "difference lies on that side of zero; controls are to be low in both, and need not be apart.",
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
