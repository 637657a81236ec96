"""The runs of a report at a glance: verdicts, how each run was made, and what to cite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from naysay.core import VERSION
from naysay.core.records import Estimate, Finding
from naysay.reports.sections import Code, FactList, Mark, Part, Prose, Scoreboard, Section
from naysay.reports.tables import number, sizes
from naysay.run.evaluation import Evaluation
from naysay.run.store import run_labels
from naysay.suites import SUITES
from naysay.suites.report import report_of

Labelled = tuple[str, Evaluation]
"""The label of a run in the page, and its evaluation."""


def labelled(evaluations: Sequence[Evaluation]) -> list[Labelled]:
    """The evaluations with their labels."""
    manifests, specs = [e.manifest for e in evaluations], [e.spec for e in evaluations]
    return list(zip(run_labels(manifests, specs), evaluations, strict=True))


def scoreboard(runs: Sequence[Labelled], suites: Sequence[str]) -> Scoreboard:
    """The outcome of each test for each model, linked to the tests' sections."""
    rows = []
    for name, evaluation in runs:
        by_suite = {finding.suite: finding for finding in evaluation.findings}
        marks = tuple(_mark(by_suite.get(suite), suite) for suite in suites)
        rows.append((name, _headline(evaluation), marks))
    return Scoreboard(
        "Verdicts by model and test",
        tuple((suite, SUITES.get(suite).card.title) for suite in suites),
        tuple(rows),
    )


def _headline(evaluation: Evaluation) -> str:
    """The number of tests by outcome."""
    counts = Counter(finding.outcome for finding in evaluation.findings)
    tests = len(evaluation.findings)
    every = "its one test" if tests == 1 else f"all {tests} tests"
    words = {
        "passes": "passes {}", "passes in part": "passes {} in part", "fails": "fails {}",
        "no effect": "no effect in {}", "undecided": "undecided in {}",
        "not measured": "not measured in {}",
    }  # fmt: skip
    if len(counts) == 1:
        return words[next(iter(counts))].format(every)
    parts = [form.format(counts[outcome]) for outcome, form in words.items() if counts[outcome]]
    return f"of {tests} tests: {', '.join(parts)}"


def _mark(finding: Finding | None, suite: str) -> Mark:
    if finding is None:
        return Mark("")
    figures = tuple(_key_figures(finding))
    return Mark(finding.outcome, figures, anchor(suite))


def _key_figures(finding: Finding) -> Iterator[tuple[str, str]]:
    """The figures that decide; the first one if the suite names none."""
    names = {figure.key: figure.name for figure in report_of(finding.suite).figure}
    measured = [e for e in finding.estimates if e.value is not None]
    keyed = [(_key(e), e) for e in measured]
    found = [(names[key], e) for key, e in keyed if key in names]
    for name, e in found or [(e.condition, e) for e in measured[:1]]:
        yield name, number(e.value, e.unit)


def _key(estimate: Estimate) -> tuple[str, str, str]:
    return estimate.table.partition(", by")[0], estimate.condition, estimate.metric


def anchor(suite: str) -> str:
    """The anchor of a suite's section."""
    return f"suite-{suite}"


def making(runs: Sequence[Labelled]) -> Iterator[Part]:
    """A section for each run: its command, its model, its machine and its versions."""
    for name, evaluation in runs:
        manifest = evaluation.manifest
        facts = manifest.model
        on = {name: str(value) for name, value in manifest.machine.items()}
        machine = f"{on.get('system')} {on.get('processor')}, {on.get('cores')} cores"
        pairs = [
            ("run key", manifest.key),
            ("model", f"{facts['name']} ({facts['kind']})"),
            ("precision and device", f"{facts.get('precision')}, {facts.get('device')}"),
            ("revision", str(facts.get("revision") or "not recorded")),
            ("weights and tokenizer", str(facts.get("digest", ""))[:16]),
            ("questions", f"{manifest.counts['questions']:,} on {sizes(manifest)}"),
            ("time", f"{manifest.seconds:,.1f} s"),
            ("finished", manifest.finished or "not finished"),
            ("seed", str(evaluation.spec.seed)),
            ("machine", machine),
        ]
        used = {"Python": on.get("python", "?"), **manifest.versions}
        versions = ", ".join(f"{library} {number}" for library, number in used.items())
        pairs.append(("versions", f"naysay {manifest.naysay}, {versions}"))
        yield Section(
            name,
            (
                Code("Command", evaluation.spec.command()),
                FactList("The run", tuple(pairs)),
            ),
        )


def citations(suites: Sequence[str]) -> Iterator[Part]:
    """Entries for a bibliography: of naysay, and of each paper once."""
    yield Prose(("Please cite naysay, and the paper of each test you use.",))
    entries = dict.fromkeys(SUITES.get(suite).card.citation.strip() for suite in suites)
    entry = (
        "@software{naysay,\n"
        '  title = "naysay: does a language model understand not?",\n'
        '  author = "{The naysay authors}",\n'
        f'  version = "{VERSION}",\n'
        '  license = "Apache-2.0",\n'
        "}"
    )
    yield Code("BibTeX", "\n\n".join([entry, *entries]))
