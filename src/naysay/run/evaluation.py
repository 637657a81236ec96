"""Evaluating a model, as `naysay run` does, and judging a run without the model."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from naysay.core import VERSION
from naysay.core.console import Progress, Silent
from naysay.core.errors import RunError, SpecError
from naysay.core.measures import Analysis
from naysay.core.options import JUDGED, declarations
from naysay.core.protocols import Model, Table
from naysay.core.records import Estimate, Finding
from naysay.core.spec import RAY, RunSpec
from naysay.run.differences import with_published
from naysay.run.executors import Executor, executor_of
from naysay.run.judgement import keep_judgement, read_judgement
from naysay.run.lookup import find_run
from naysay.run.manifest import Manifest
from naysay.run.opening import model_name, opened
from naysay.run.options import Tables, judged_by, spec_of
from naysay.run.plan import settings_of, suites_for, why_not
from naysay.run.rows import read_fit, shard_files, stored_by, whole_rows
from naysay.run.runner import run
from naysay.run.sample import Extent, with_advice
from naysay.suites import SUITES, in_order
from naysay.suites.protocol import Setting, Suite
from naysay.suites.report import report_of

_JUDGED_AT_ONCE = 200_000  # rows
DEFAULT_MODEL, WITHOUT_LIBRARIES = "mini-aware", "known:aware"
"""The default models; the second needs neither torch nor transformers."""


@dataclass(frozen=True)
class Evaluation:
    """A finished run with its findings; iterates over its estimates."""

    run: str
    folder: Path
    model: str
    findings: tuple[Finding, ...]
    manifest: Manifest
    spec: RunSpec
    """The options of the run, and of the judging."""

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All figures of all suites."""
        return tuple(estimate for finding in self.findings for estimate in finding.estimates)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{f.suite} {f.outcome}" for f in self.findings)
        return f"<Evaluation {self.model}: {verdicts}; run {self.run}>"

    def _repr_html_(self) -> str:
        """Render the verdicts as a table, for notebooks."""
        rows = "".join(
            f"<tr><td>{escape(f.suite)}</td><td>{escape(f.outcome)}</td>"
            f"<td>{escape(f.verdict)}</td></tr>"
            for f in self.findings
        )
        head = "<tr><th>test</th><th>outcome</th><th>why</th></tr>"
        title = f"<caption>{escape(self.model)}, run {escape(self.run)}</caption>"
        return f"<table>{title}<thead>{head}</thead><tbody>{rows}</tbody></table>"

    def to_arrow(self) -> Table:
        """Return all estimates as a pyarrow table."""
        return estimates_table([self])

    def to_pandas(self) -> Any:
        """Return all estimates as a data frame; needs pandas."""
        return self.to_arrow().to_pandas()

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints and `estimates.json` holds: figures and provenance."""
        return {
            "naysay": VERSION,
            "run": self.run,
            "folder": str(self.folder),
            "model": self.model,
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "verdicts": {
                finding.suite: {"outcome": finding.outcome, "verdict": finding.verdict}
                for finding in self.findings
            },
            "judged": {
                name: {"version": SUITES.get(name).version, **judging_of(self.spec, name)}
                for name in self.manifest.planned
            },
        }


def evaluate(
    model: Any = None,
    suites: str | Sequence[str] | None = None,
    *,
    tokenizer: Any = None,
    progress: Progress | None = None,
    tables: Tables | None = None,
    placed_by: Executor | None = None,
    **options: Any,
) -> Evaluation:
    """Run suites on a model and measure; `naysay.evaluate` is the same with all options named.

    `options` are those of `RunSpec` and of any suite or adapter, by name; `tables` holds options
    for one suite or adapter only. `placed_by` is an executor that several runs share.
    """
    progress = progress or Silent()
    model = default_model() if model is None else model
    names = [suites] if isinstance(suites, str) else list(suites or [])
    name = model if isinstance(model, str) else model_name(model)
    spec = spec_of(name, names or default_suites(), options, tables)
    if spec.executor == RAY and not isinstance(model, str):
        raise SpecError("workers open the model themselves: with --executor ray, name it")
    # Cheap checks come before a model is downloaded or loaded.
    settings = settings_of(spec)
    for setting in settings.values():
        if setting.suite.speaks(setting.language):
            setting.suite.check(setting)
    spec = next(iter(settings.values())).spec
    with contextlib.ExitStack() as ending:
        ending.callback(progress.stop)
        executor = placed_by or ending.enter_context(executor_of(spec))
        asked = opened(model, spec, tokenizer)
        ending.callback(asked.close)
        if not names:
            settings = fitting(settings, asked)
        manifest = run(settings, asked, progress, executor)
    # A run that was already finished may have been made with other options of judging.
    judged = {name: spec.options[name] for name in manifest.planned}
    spec = replace(manifest.run_spec, options=judged)
    if (findings := read_judgement(manifest, spec)) is not None:
        return _evaluation(manifest, spec, findings)
    evaluation = _judged(manifest, spec)
    keep_judgement(manifest, spec, evaluation.findings)
    return evaluation


def judging_of(spec: RunSpec, suite: str) -> dict[str, Any]:
    """Return the options by which a suite's rows are judged."""
    options = spec.options[suite]
    return {
        name: value
        for name, value in options.as_dict().items()
        if declarations(type(options))[name].role == JUDGED
    }


def default_model() -> str:
    """Return the default model: one that should pass every suite."""
    from importlib.util import find_spec

    there = all(find_spec(library) for library in ("torch", "transformers"))
    return DEFAULT_MODEL if there else WITHOUT_LIBRARIES


def default_suites() -> list[str]:
    """Return the suites that are run by default."""
    return [suite.name for suite in SUITES.all() if suite.default]


def fitting(settings: Mapping[str, Setting], model: Model) -> dict[str, Setting]:
    """Return the settings of the suites that fit this model and language."""
    reasons = {name: why_not(setting, model) for name, setting in settings.items()}
    found = {name: settings[name] for name, reason in reasons.items() if reason is None}
    if not found:
        language = next(iter(settings.values())).language
        if named := [s.name for s in suites_for(model) if s.speaks(language)]:
            raise SpecError(
                f"no suite fits {model.name} by default; name some of these with -t: "
                f"{', '.join(named)}"
            )
        listed = "; ".join(str(reason) for reason in reasons.values())
        raise SpecError(f"no suite fits {model.name}: {listed}")
    spec = next(iter(found.values())).spec
    kept = {name: own for name, own in spec.options.items() if name in found}
    spec = replace(spec, suites=tuple(found), options=kept)
    return {name: replace(setting, spec=spec) for name, setting in found.items()}


def judge(run_or_name: Manifest | str, out: Path = Path("runs"), **judging: Any) -> Evaluation:
    """Judge and measure a finished run's rows; needs no model and writes nothing.

    `judging` are the suites' judging options, such as gh22's `repetition`; they default to those
    of the run.
    """
    manifest = find_run(run_or_name, out) if isinstance(run_or_name, str) else run_or_name
    given = {name: value for name, value in judging.items() if value is not None}
    return _judged(manifest, judged_by(manifest.run_spec, **given))


def _judged(manifest: Manifest, spec: RunSpec) -> Evaluation:
    suites = map(SUITES.get, in_order(manifest.planned))
    return _evaluation(manifest, spec, tuple(_measure(manifest, suite, spec) for suite in suites))


def _evaluation(manifest: Manifest, spec: RunSpec, findings: tuple[Finding, ...]) -> Evaluation:
    model = str(manifest.model["name"])
    return Evaluation(manifest.key, manifest.folder, model, findings, manifest, spec)


def analysis_of(manifest: Manifest, suite: Suite, spec: RunSpec) -> Analysis:
    """Judge a suite's rows of a finished run as the spec says, and return its measures."""
    import pyarrow as pa

    from naysay.run.stacking import stacked  # a finished run is shown without numpy

    columns = list(suite.judged)
    with stored_by(manifest, suite):
        count = sum(manifest.shards[file]["rows"] for file in shard_files(manifest, suite))
        rows = stacked(whole_rows(manifest, suite, columns), count)
        # Judging makes columns of its own for a while; for a part of the rows these are small.
        parts = range(0, max(len(rows), 1), _JUDGED_AT_ONCE)
        judged = [suite.judge(rows.slice(start, _JUDGED_AT_ONCE)) for start in parts]
        analysis = suite.analyse(pa.concat_tables(judged), spec, read_fit(manifest, suite))
        by_likelihood = spec.value("readout", suite.name) == "likelihood"
        analysis = analysis.by_likelihood() if by_likelihood else analysis
    return analysis.within(lambda: stored_by(manifest, suite))


def _measure(manifest: Manifest, suite: Suite, spec: RunSpec) -> Finding:
    fit = read_fit(manifest, suite)
    extent = Extent.of_run(manifest, suite, fit)
    if (lost := manifest.unmeasured(suite.name)) and lost == extent.asked:
        raise RunError(
            f"none of the {lost:,} {suite.unit_name} of {suite.name} could be measured: the server "
            "tells the probabilities of few tokens, and an option was never among them"
        )
    finding = analysis_of(manifest, suite, spec).finding(suite.name, whole=extent.whole)
    if lost:
        note = (
            f"{lost:,} of {extent.asked:,} {suite.unit_name} were not measured: the server does "
            "not tell the probability of one of their options."
        )
        finding = replace(finding, notes=(*finding.notes, note))
    with stored_by(manifest, suite):
        finding = replace(with_advice(finding, suite, extent), meanings=meanings_of(suite, spec))
        return with_published(finding, manifest, spec, fit)


def meanings_of(suite: Suite, spec: RunSpec) -> dict[str, str]:
    """Return what the labels of a suite's conditions mean in words, in a run with these options."""
    return report_of(suite.name).meanings(lambda option: spec.value(option, suite.name))


_TEXT = ("run", "model", "language", "suite", "table", "condition", "metric", "unit")
_FIGURES = ("value", "low", "high", "published", "design_effect")


def estimates_table(evaluations: Sequence[Evaluation]) -> Table:
    """Return a table with a row for each estimate: its run, its name and its figures."""
    import pyarrow as pa

    schema = pa.schema(
        [
            *((name, pa.string()) for name in _TEXT),
            *((name, pa.float64()) for name in _FIGURES),
            ("n", pa.int64()),
            ("clusters", pa.int64()),
            ("clusters_by", pa.string()),
            ("method", pa.string()),
            ("note", pa.string()),
            ("published_as", pa.string()),
        ]
    )
    rows = [
        {
            **estimate.as_dict(),
            "run": evaluation.run,
            "model": evaluation.model,
            "language": evaluation.spec.language,
            "clusters_by": json.dumps(estimate.clusters_by, ensure_ascii=False),
        }
        for evaluation in evaluations
        for estimate in evaluation.estimates
    ]
    return pa.Table.from_pylist(
        [{name: row[name] for name in schema.names} for row in rows], schema=schema
    )
