"""The report of several runs as one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from naysay.core.console import counted
from naysay.core.records import Finding
from naysay.reports.charts import charts_of
from naysay.reports.examples import examples_of
from naysay.reports.leaderboard import among_published
from naysay.reports.literature import PublishedComparison, against, comparisons
from naysay.reports.models import ReportedModels, reported_models
from naysay.reports.overview import Labelled, anchor, citations, making, older_runs, scoreboard
from naysay.reports.page import page
from naysay.reports.sections import Chart, ChartGrid, Details, Part, Prose, Section, Verdict
from naysay.reports.tables import TextTable, tables_of
from naysay.run.evaluation import Evaluation
from naysay.run.rows import read_fit
from naysay.suites import SUITES, in_order

_SEVERAL = 4  # comparisons that make a picture
_FEW = 16  # comparisons that need not be folded
_SIGNS = {"inside": "✓ inside", "above": "▲ above", "below": "▼ below"}


def html(evaluations: Sequence[Evaluation]) -> str:
    """The report as one string of HTML."""
    reported = reported_models(evaluations)
    return page("Does the model understand “not”?", _sections(reported), lead=_lead(reported))


def sections_of(evaluations: Sequence[Evaluation]) -> list[Section]:
    """All sections of the report."""
    return _sections(reported_models(evaluations))


def _lead(reported: ReportedModels) -> str:
    """How much was asked, and what the page leaves out."""
    controls = len(reported.controls)
    real = len(reported.models) - controls
    asked = [_count(real, "model")] if real else []
    asked += [_count(controls, "control")] if controls else []
    questions = sum(one.manifest.counts["questions"] for _, one in reported.runs)
    parts = [
        f"{' and '.join(asked)} in {_count(len(_suites(reported.runs)), 'test')}, "
        f"{questions:,} questions. Intervals are 95 %."
    ]
    if reported.older:
        older = _count(len(reported.older), "older run")
        parts.append(f"{older} of the same tests: see “How it was made”.")
    return " ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _sections(reported: ReportedModels) -> list[Section]:
    runs, names = reported.runs, reported.names
    suites = _suites(runs)
    glance = scoreboard(reported.models, suites)
    sections = [Section("At a glance", (glance,), "glance", headed=False)]
    if beside := comparisons(runs):
        sections.append(_literature(beside, names))
    for suite in counted(suites, "writing sections"):
        sections.append(_suite(suite, _having(runs, suite), reported))
    made = (*making(runs), *older_runs(reported.older))
    sections.append(Section("How it was made", made, "making", printed=False))
    sections.append(Section("Citation", tuple(citations(suites)), "citation", printed=False))
    return sections


def _suites(runs: Sequence[Labelled]) -> list[str]:
    found = (finding.suite for _, evaluation in runs for finding in evaluation.findings)
    return in_order(set(found))


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
    suite: str,
    having: Sequence[tuple[str, Evaluation, Finding]],
    reported: ReportedModels,
) -> Section:
    card = SUITES.get(suite).card
    models, controls = reported.names, reported.controls
    parts: list[Part] = [summary_of(suite)]
    parts += _verdicts(having, controls)
    placed = [(name, evaluation) for name, evaluation, _ in having]
    charts, boards = among_published(suite, placed, models)
    parts.append(ChartGrid((*_charts(suite, having, models), *charts)))
    if boards:
        parts.append(Details("Among the published models", tuple(boards)))
    kept = {m.name: m.examples[suite] for m in reported.models if suite in m.findings}
    examples = examples_of(kept, controls)
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


def _verdicts(
    having: Sequence[tuple[str, Evaluation, Finding]], controls: Set[str]
) -> Iterator[Part]:
    """The verdicts on real models; those on controls are folded, if there are others."""
    known: list[Verdict] = []
    real: list[Verdict] = []
    for name, _, finding in having:
        verdict = Verdict(name, finding.outcome, finding.verdict, finding.meanings)
        (known if name in controls else real).append(verdict)
    yield from real or known
    if real and known:
        outcomes = ", ".join(f"{one.model} {one.outcome}" for one in known)
        yield Details(f"Controls: {outcomes}", tuple(known))


def _charts(
    suite: str, having: Sequence[tuple[str, Evaluation, Finding]], models: Sequence[str]
) -> Iterator[Chart]:
    """The charts of a suite; each language has its own, since its items are others."""
    languages = list(dict.fromkeys(evaluation.spec.language for _, evaluation, _ in having))
    for language in languages:
        found = [
            (name, f) for name, evaluation, f in having if evaluation.spec.language == language
        ]
        yield from charts_of(suite, found, models, language if len(languages) > 1 else None)


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
