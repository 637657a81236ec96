"""The report of several runs as one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from naysay.core.records import Finding
from naysay.reports.charts import charts_of
from naysay.reports.examples import examples_of
from naysay.reports.literature import PublishedComparison, against, comparisons
from naysay.reports.overview import Labelled, anchor, citations, labelled, making, scoreboard
from naysay.reports.page import page
from naysay.reports.sections import (
    Details,
    Part,
    Prose,
    Section,
    Verdict,
)
from naysay.reports.tables import TextTable, tables_of
from naysay.run.evaluation import Evaluation
from naysay.run.runner import read_fit
from naysay.suites import SUITES

_SEVERAL = 4  # comparisons that make a picture
_FEW = 16  # comparisons that need not be folded
_SIGNS = {"inside": "✓ inside", "above": "▲ above", "below": "▼ below"}


def html(evaluations: Sequence[Evaluation]) -> str:
    """The report as one string of HTML."""
    runs = labelled(evaluations)
    models = len(runs)
    tests = len(_suites(runs))
    lead = (
        f"{models} model{'s' if models > 1 else ''} in {tests} test{'s' if tests > 1 else ''}, "
        f"{sum(e.manifest.counts['questions'] for e in evaluations):,} questions. "
        "Every figure has a 95 % interval."
    )
    return page("Does the model understand “not”?", sections_of(runs), lead=lead)


def sections_of(runs: Sequence[Labelled]) -> list[Section]:
    """All sections of the report."""
    names = [name for name, _ in runs]
    suites = _suites(runs)
    sections = [Section("At a glance", (scoreboard(runs, suites),), "glance")]
    if beside := comparisons(runs):
        sections.append(_literature(beside, names))
    for suite in suites:
        sections.append(_suite(suite, _having(runs, suite), names))
    sections.append(Section("How it was made", tuple(making(runs)), "making"))
    sections.append(Section("Citation", tuple(citations(suites)), "citation"))
    return sections


def _suites(runs: Sequence[Labelled]) -> list[str]:
    found = (finding.suite for _, evaluation in runs for finding in evaluation.findings)
    return list(dict.fromkeys(found))


def _having(runs: Sequence[Labelled], suite: str) -> list[tuple[str, Evaluation, Finding]]:
    return [
        (name, evaluation, finding)
        for name, evaluation in runs
        for finding in evaluation.findings
        if finding.suite == suite
    ]


def _literature(beside: Sequence[PublishedComparison], names: Sequence[str]) -> Section:
    inside = sum(one.where == "inside" for one in beside)
    parts: list[Part] = [
        Prose(
            (
                f"Of {len(beside)} published figure{'s' if len(beside) > 1 else ''}, {inside} "
                f"lie{'' if inside != 1 else 's'} inside the interval of ours. "
                "Below each table stands how the run differs from the paper; where a figure lies "
                "outside, each of these may explain it, and none is shown to.",
            )
        ),
    ]
    if len(beside) >= _SEVERAL:
        parts.append(against(beside, names))
    groups: dict[tuple[str, str], list[PublishedComparison]] = {}
    for one in beside:
        groups.setdefault((one.model, one.suite), []).append(one)
    for (model, suite), group in groups.items():
        within = _beside(group, f"{model}, {suite}: ours and published")
        if len(beside) <= _FEW:
            parts += within
        else:
            lying = sum(one.where == "inside" for one in group)
            parts.append(Details(f"{model}, {suite}: {lying} of {len(group)} inside", within))
    return Section("Comparison with the papers", tuple(parts), "papers")


def _beside(group: Sequence[PublishedComparison], title: str) -> tuple[Part, ...]:
    """A table of comparisons, and the reasons that it names, in full."""
    rows = tuple(
        (
            f"{one.estimate.condition}: {one.estimate.metric}",
            *one.shown,
            _SIGNS.get(one.where, one.where),
            ", ".join(dict.fromkeys(reason.tag for reason in one.reasons)),
        )
        for one in group
    )
    columns = (
        "", "ours", "95 % interval", "published", "Δ", "published lies", "likely reasons",
    )  # fmt: skip
    table = TextTable(title, columns, rows, worded=frozenset({5, 6}))
    said = (d for one in group for d in (*one.differences, *one.contradictions))
    reasons = dict.fromkeys(f"{one.tag}: {one.text}" for one in said)
    return (table, Prose((), tuple(reasons), quiet=True)) if reasons else (table,)


def summary_of(suite: str) -> Prose:
    """What a suite asks; written large unless it begins with a suite's name."""
    summary = SUITES.get(suite).summary
    if summary.partition(" ")[0] not in SUITES.names():
        summary = summary[0].upper() + summary[1:]
    return Prose((summary,))


def _suite(
    suite: str, having: Sequence[tuple[str, Evaluation, Finding]], models: Sequence[str]
) -> Section:
    card = SUITES.get(suite).card
    parts: list[Part] = [summary_of(suite)]
    parts += [Verdict(name, finding.outcome, finding.verdict) for name, _, finding in having]
    parts += charts_of(suite, [(name, finding) for name, _, finding in having], models)
    examples = examples_of(suite, [(name, evaluation) for name, evaluation, _ in having])
    if examples is not None:
        parts.append(examples)
    tables = {
        name: tuple(t for t in tables_of(finding) if t.rows and not t.words)
        for name, _, finding in having
    }
    folded: tuple[Part, ...] = next(iter(tables.values()))
    if len(having) > 1:
        folded = tuple(Details(name, own) for name, own in tables.items())
    parts.append(Details("All tables", folded))
    parts += _faults(suite, having)
    parts.append(
        Details(
            "Method",
            (
                Prose((f"{card.paper}.", card.data_licence)),
                Prose(("Where naysay departs from the paper:",), card.departures),
            ),
        )
    )
    return Section(card.title, tuple(parts), anchor(suite), suite)


def _faults(suite: str, having: Sequence[tuple[str, Evaluation, Finding]]) -> Iterator[Part]:
    """Notes, warnings, excluded words and appendices."""
    parts: list[Part] = []
    for name, evaluation, finding in having:
        if len(having) > 1:
            parts.append(Prose((f"{name}:",), finding.notes))
        else:
            parts.append(Prose((), finding.notes))
        complaints = tuple(evaluation.manifest.complaints)
        if complaints:
            parts.append(Prose(("Warnings during the run:",), complaints))
    parts += _left_out(suite, having)
    seen = set()
    for name, _, finding in having:
        for appendix in finding.appendix:
            if appendix in seen:
                continue  # the same for every model
            seen.add(appendix)
            about = f"{appendix.title}" if len(having) == 1 else f"{appendix.title} ({name})"
            parts.append(TextTable(about, appendix.columns, appendix.rows, words=True))
    if parts:
        yield Details("Notes: tokenizer, data, excluded items", tuple(parts))


def _left_out(suite: str, having: Sequence[tuple[str, Evaluation, Finding]]) -> Iterator[TextTable]:
    counts: dict[str, Counter[str]] = {}
    for name, evaluation, _ in having:
        fit = read_fit(evaluation.manifest, SUITES.get(suite))
        counts[name] = Counter(reason.partition(":")[0] for _, reason in fit.left_out)
    reasons = list(dict.fromkeys(reason for found in counts.values() for reason in found))
    if reasons:
        rows = tuple(
            (reason, *(f"{counts[name][reason]:,}" for name in counts)) for reason in reasons
        )
        yield TextTable("Excluded words, by reason", ("reason", *counts), rows)
