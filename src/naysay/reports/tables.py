"""Findings as tables of text, whatever they are written to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from naysay.core.measures import BY_LIKELIHOOD
from naysay.core.numbers import amount, plain_number
from naysay.core.records import Estimate, Finding
from naysay.run.evaluation import Evaluation
from naysay.run.manifest import Manifest
from naysay.suites import SUITES
from naysay.suites.report import report_of

NONE = "–"
MEANING = "in words"
"""The heading of what a paper's labels mean."""


@dataclass(frozen=True)
class TextTable:
    """A titled table of cells; all columns but the first and the note hold figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: bool = False
    """Whether it holds no figures at all."""
    worded: frozenset[int] = frozenset()
    """Columns that hold words, beside the first and the note."""
    notes: tuple[str, ...] = ()
    """What must be said of its figures; shown below it."""

    def is_figure(self, column: int) -> bool:
        """Whether a column holds figures."""
        if self.words or column in self.worded:
            return False
        return column > 0 and self.columns[column] not in ("note", MEANING)


class DecidingFigure(NamedTuple):
    """A figure that decides, with its short name and what it is in words."""

    name: str
    words: str
    estimate: Estimate


def deciding(finding: Finding) -> list[DecidingFigure]:
    """The figures that decide, as the suite names them; the first one if it names none."""
    measured = [e for e in finding.estimates if e.value is not None]
    keyed = {(e.table.removesuffix(BY_LIKELIHOOD), e.condition, e.metric): e for e in measured}
    found = [
        DecidingFigure(one.name, one.words or finding.meaning(one.name), keyed[one.key])
        for one in report_of(finding.suite).figure
        if one.key in keyed
    ]
    return found or [
        DecidingFigure(e.condition, finding.meaning(e.condition), e) for e in measured[:1]
    ]


def lead_in(evaluation: Evaluation, finding: Finding) -> str:
    """What the figures that decide count, and of which items where the suite has several sets."""
    items = _items(evaluation, finding.suite)
    parts = [report_of(finding.suite).counted, f"items: {items}" if items else ""]
    text = "; ".join(filter(None, parts))
    return text[:1].upper() + text[1:]


def _items(evaluation: Evaluation, suite: str) -> str:
    """The set of items, and whose it is; nothing where a suite has no sets."""
    chosen = getattr(evaluation.spec.options.get(suite), "items", None)
    if not (sets := SUITES.get(suite).item_sets) or not chosen:
        return ""
    owners = dict(zip(sets, ("as released", "naysay's own"), strict=True))
    return f"{chosen}, {owners[chosen]}" if chosen in owners else str(chosen)


def tables_of(finding: Finding, *, details: bool = True) -> list[TextTable]:
    """One table for each of the finding's titles, without empty columns."""
    by_table = {
        name: [estimate for estimate in finding.estimates if estimate.table == name]
        for name in finding.titles
        if details or name not in finding.details
    }
    tables = [_table(finding, name, rows) for name, rows in by_table.items() if rows]
    if details:
        tables += [TextTable(a.title, a.columns, a.rows, words=True) for a in finding.appendix]
    return tables


def _table(finding: Finding, name: str, estimates: Sequence[Estimate]) -> TextTable:
    title, notes = finding.titles[name], finding.published_notes.get(name, ())
    metrics = {estimate.metric for estimate in estimates}
    samples = {_sample(estimate) for estimate in estimates} - {""}
    kinds = {tuple(estimate.clusters_by) for estimate in estimates if estimate.clusters_by}
    value = metrics.pop() if len(metrics) == 1 else "value"
    sample = f"n in {' × '.join(kinds.pop())}" if len(kinds) == 1 else "sample"
    labels = row_labels(estimates)
    cells = {
        "": labels,
        MEANING: [finding.meaning(label) for label in labels],
        value: [number(e.value, e.unit) for e in estimates],
        "95 % interval": [interval(e) for e in estimates],
        "published": [printed(e) for e in estimates],
        sample: [_sample(e, short=sample != "sample") for e in estimates],
        "note": [e.note or "" for e in estimates],
    }
    if len(samples) < 2:
        del cells[sample]
    kept = {
        heading: column
        for heading, column in cells.items()
        if heading in ("", value) or any(cell not in ("", NONE) for cell in column)
    }
    if len(samples) == 1:
        title = f"{title}: {samples.pop()}"
    return TextTable(title, tuple(kept), tuple(zip(*kept.values(), strict=True)), notes=notes)


def row_labels(estimates: Sequence[Estimate]) -> list[str]:
    """What distinguishes the rows: their condition, their metric, or both."""
    conditions, metrics = ({getattr(e, f) for e in estimates} for f in ("condition", "metric"))
    if len(metrics) == 1:
        return [e.condition for e in estimates]
    if len(conditions) == 1:
        return [e.metric for e in estimates]
    return [f"{e.condition}: {e.metric}" for e in estimates]


def _sample(estimate: Estimate, *, short: bool = False) -> str:
    """The sample behind the figure."""
    if not estimate.clusters_by:
        return ""
    if short:
        return f"{estimate.n:,} in {' × '.join(f'{k:,}' for k in estimate.clusters_by.values())}"
    clusters = " × ".join(amount(count, kind) for kind, count in estimate.clusters_by.items())
    return f"n = {estimate.n:,} in {clusters}"


def number(value: float | None, unit: str) -> str:
    """A figure as it is shown.

    >>> number(58.43, "%"), number(-3.0, "points"), number(18200.0, "count"), number(0.00001, "p")
    ('58.4 %', '-3.0', '18,200', '< 0.0001')
    >>> number(0.8731, "score"), number(0.0317, "%"), number(99.968, "%")
    ('0.873', '0.03 %', '99.97 %')
    """
    if value is None:
        return NONE
    if unit == "count":
        return f"{value:,.0f}"
    if unit == "p":
        return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
    return with_unit(plain_number(value, unit), unit)


def with_unit(text: str, unit: str) -> str:
    """A figure's digits with its unit, where one is shown."""
    return f"{text} %" if unit == "%" else text


def interval(estimate: Estimate) -> str:
    """The bounds, without repeating the unit."""
    if estimate.low is None or estimate.high is None:
        return NONE
    low, high = (plain_number(bound, estimate.unit) for bound in (estimate.low, estimate.high))
    return f"{low} to {high}"


def printed(estimate: Estimate) -> str:
    """The published figure with the digits that the paper prints, and its sign, if any.

    >>> printed(Estimate("s", "t", "c", "m", 7.1, published=8.0, published_as="≈ 8"))
    '≈ 8 %'
    """
    e = estimate
    if e.published is None or e.published_as is None:
        return number(e.published, e.unit)
    signed = e.unit == "points" and e.published_as[0].isdigit()
    return with_unit(f"+{e.published_as}" if signed else e.published_as, e.unit)


def heading(evaluation: Evaluation, finding: Finding) -> str:
    """Suite, model and language."""
    return f"{finding.suite} · {evaluation.model} · {evaluation.spec.language}"


def sizes(manifest: Manifest) -> str:
    """How many units of each kind a run has; suites of one kind share theirs."""
    kinds: dict[str, int] = {}
    for suite, count in manifest.units.items():
        kind = SUITES.get(suite).unit_name
        kinds[kind] = max(count, kinds.get(kind, 0))
    *most, last = [amount(count, kind) for kind, count in kinds.items()] or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


def tally(findings: Sequence[Finding]) -> str:
    """The number of tests by outcome.

    >>> tally([])
    'no tests'
    """
    counts = Counter(finding.outcome for finding in findings)
    tests = len(findings)
    if not tests:
        return "no tests"
    every = {1: "its one test", 2: "both tests"}.get(tests, f"all {tests} tests")
    if len(counts) == 1:
        return _TALLY[next(iter(counts))].format(every)
    parts = [form.format(counts[outcome]) for outcome, form in _TALLY.items() if counts[outcome]]
    return f"of {tests} tests: {', '.join(parts)}"


_TALLY = {
    "passes": "passes {}", "passes in part": "passes {} in part", "fails": "fails {}",
    "no effect": "no effect in {}", "undecided": "undecided in {}",
    "not measured": "not measured in {}",
}  # fmt: skip


def provenance(evaluation: Evaluation) -> list[str]:
    """How the run was made, where it is, and the command that makes it again."""
    manifest = evaluation.manifest
    counts, facts = manifest.counts, manifest.model
    shown = ("kind", "device", "precision") if facts.get("parameters") else ("kind",)
    about = ", ".join(str(facts[key]) for key in shown)
    return [
        f"{amount(counts['questions'], 'questions')} on {sizes(manifest)} in "
        f"{manifest.seconds:,.1f} s ({about}); seed {evaluation.spec.seed}.",
        f"Run {manifest.key} in {manifest.folder}.",
        evaluation.spec.command(),
    ]
