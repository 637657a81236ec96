"""The runs of a report at a glance: verdicts, how each run was made, and what to cite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from naysay.core import VERSION
from naysay.core.records import Finding
from naysay.reports.headline import headline_of
from naysay.reports.models import CONTROLS, OlderRun, ReportedModel
from naysay.reports.sections import (
    Code,
    Details,
    FactList,
    Mark,
    MarkFigure,
    Part,
    Prose,
    Scoreboard,
    ScoreboardRow,
    Section,
)
from naysay.reports.tables import (
    NONE,
    DecidingFigure,
    TextTable,
    deciding,
    interval,
    lead_in,
    number,
    sizes,
    tally,
)
from naysay.run.evaluation import Evaluation
from naysay.run.store import run_labels
from naysay.suites import SUITES

Labelled = tuple[str, Evaluation]
"""The label of a run in the page, and its evaluation."""


def labelled(evaluations: Sequence[Evaluation]) -> list[Labelled]:
    """The evaluations with their labels."""
    manifests, specs = [e.manifest for e in evaluations], [e.spec for e in evaluations]
    return list(zip(run_labels(manifests, specs), evaluations, strict=True))


def scoreboard(models: Sequence[ReportedModel], suites: Sequence[str]) -> Scoreboard:
    """Each model's outcome in each test and its worst example; controls apart, if there are others.

    The outcomes are linked to the tests' sections.
    """
    rows = {model.name: _row(model, suites) for model in models}
    real = tuple(rows[model.name] for model in models if not model.control)
    controls = tuple(rows[model.name] for model in models if model.control)
    return Scoreboard(
        "Verdicts by model and test",
        tuple((suite, SUITES.get(suite).card.title) for suite in suites),
        real or controls,
        controls if real else (),
        CONTROLS if controls else "",
    )


def _row(model: ReportedModel, suites: Sequence[str]) -> ScoreboardRow:
    found = {suite: finding for suite, (_, finding) in model.findings.items()}
    marks = tuple(_mark(model.findings.get(suite), suite) for suite in suites)
    test, example = headline_of(model) or ("", None)
    return ScoreboardRow(model.name, tally(list(found.values())), marks, example, test)


def _mark(found: tuple[Evaluation, Finding] | None, suite: str) -> Mark:
    if found is None:
        return Mark("")
    evaluation, finding = found
    figures = tuple(_figure(one) for one in deciding(finding))
    counted = lead_in(evaluation, finding)
    return Mark(finding.outcome, figures, anchor(suite), finding.why, counted)


def _figure(one: DecidingFigure) -> MarkFigure:
    bounds = interval(one.estimate)
    value = number(one.estimate.value, one.estimate.unit)
    return MarkFigure(one.name, one.words, value, "" if bounds == NONE else bounds)


def anchor(suite: str) -> str:
    """The anchor of a suite's section."""
    return f"suite-{suite}"


def _weights(facts: Mapping[str, Any]) -> str:
    """The beginning of their digest, or that nobody but a server vouches for them."""
    if facts.get("verified", True):
        return str(facts.get("digest", ""))[:16]
    return f"not verified; the server's fingerprint: {facts.get('fingerprint') or 'none'}"


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
            ("weights and tokenizer", _weights(facts)),
            ("questions", f"{manifest.counts['questions']:,} on {sizes(manifest)}"),
            ("time", f"{manifest.seconds:,.1f} s"),
            ("finished", manifest.finished or "not finished"),
            ("seed", str(evaluation.spec.seed)),
            ("machine", machine),
        ]
        used = {"Python": on.get("python", "?"), **manifest.versions}
        versions = ", ".join(f"{library} {number}" for library, number in used.items())
        pairs.append(("versions", f"naysay {manifest.naysay}, {versions}"))
        code = Code("Command", evaluation.spec.command())
        yield Section(name, (code, FactList("The run", tuple(pairs))))


def older_runs(older: Sequence[OlderRun]) -> Iterator[Part]:
    """The runs of which the page shows newer ones, so that none is left out silently."""
    if not older:
        return
    rows = tuple(
        (
            f"{one.model} {one.evaluation.run}",
            ", ".join(one.suites),
            one.evaluation.manifest.finished or "not finished",
            one.evaluation.spec.command(),
        )
        for one in older
    )
    columns = ("run", "tests with a newer run", "finished", "command")
    count = f"{len(rows)} older run{'s' if len(rows) > 1 else ''}"
    table = TextTable(f"{count} of the same models, not shown", columns, rows, words=True)
    yield Details(f"{count}, not shown: there is a newer one of the same test", (table,))


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
