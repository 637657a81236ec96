"""Evaluating a model, as `naysay run` does, and judging a run without the model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from naysay.core import VERSION
from naysay.core.console import Progress, Silent
from naysay.core.errors import SpecError
from naysay.core.measures import Analysis
from naysay.core.options import JUDGED, declarations
from naysay.core.protocols import Model, ModelRequest, Table
from naysay.core.records import Estimate, Finding
from naysay.core.spec import RunSpec
from naysay.models import open_model
from naysay.run.differences import with_published
from naysay.run.manifest import Manifest
from naysay.run.options import Tables, judged_by, spec_of
from naysay.run.plan import settings_of, why_not
from naysay.run.runner import read_fit, run, whole_rows
from naysay.run.sample import Extent, with_advice
from naysay.run.store import find_run
from naysay.suites import SUITES
from naysay.suites.protocol import Setting, Suite

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
    **options: Any,
) -> Evaluation:
    """Run suites on a model and measure; `naysay.evaluate` is the same with all options named.

    `options` are those of `RunSpec` and of any suite or adapter, by name; `tables` holds options
    for one suite or adapter only.
    """
    progress = progress or Silent()
    model = default_model() if model is None else model
    names = [suites] if isinstance(suites, str) else list(suites or [])
    name = model if isinstance(model, str) else model_name(model)
    spec = spec_of(name, names or default_suites(), options, tables)
    # Cheap checks come before a model is downloaded or loaded.
    settings = settings_of(spec)
    for setting in settings.values():
        if setting.suite.speaks(setting.language):
            setting.suite.check(setting)
    spec = next(iter(settings.values())).spec
    opened = _open(model, spec, tokenizer)
    try:
        if not names:
            settings = fitting(settings, opened)
        manifest = run(settings, opened, progress)
    finally:
        opened.close()
        progress.stop()
    # A run that was already finished may have been made with other options of judging.
    asked = {name: spec.options[name] for name in manifest.planned}
    return _judged(manifest, replace(manifest.run_spec, options=asked))


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


def _open(model: Any, spec: RunSpec, tokenizer: Any) -> Model:
    request = ModelRequest(
        precision=spec.precision,
        device=spec.device,
        token_budget=spec.token_budget,
        language=str(spec.language),
        options={k: v for own in spec.adapters.values() for k, v in own.given().items()},
    )
    if isinstance(model, str):
        return open_model(model, request)
    if hasattr(model, "ask") and hasattr(model, "digest"):
        given: Model = model
        return given
    from naysay.models._in_memory import wrap

    return wrap(model, spec.model, tokenizer, request)


def model_name(model: Any) -> str:
    """Return a name for a model object."""
    inner = getattr(model, "transformers_model", None)  # of a sentence-transformers model
    for one, attribute in ((model, "name"), (model, "name_or_path"), (inner, "name_or_path")):
        if isinstance(value := getattr(one, attribute, None), str) and value:
            return value
    return type(model).__name__


def fitting(settings: Mapping[str, Setting], model: Model) -> dict[str, Setting]:
    """Return the settings of the suites that fit this model and language."""
    reasons = {name: why_not(setting, model) for name, setting in settings.items()}
    found = {name: settings[name] for name, reason in reasons.items() if reason is None}
    if not found:
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
    model = str(manifest.model["name"])
    findings = tuple(_measure(manifest, SUITES.get(name), spec) for name in manifest.planned)
    return Evaluation(manifest.key, manifest.folder, model, findings, manifest, spec)


def analysis_of(manifest: Manifest, suite: Suite, spec: RunSpec) -> Analysis:
    """Judge a suite's rows of a finished run as the spec says, and return its measures."""
    import pyarrow as pa

    judged = [suite.judge(rows) for rows in whole_rows(manifest, suite, list(suite.judged))]
    analysis = suite.analyse(pa.concat_tables(judged), spec, read_fit(manifest, suite))
    by_likelihood = spec.value("readout", suite.name) == "likelihood"
    return analysis.by_likelihood() if by_likelihood else analysis


def _measure(manifest: Manifest, suite: Suite, spec: RunSpec) -> Finding:
    fit = read_fit(manifest, suite)
    extent = Extent.of_run(manifest, suite, fit)
    finding = analysis_of(manifest, suite, spec).finding(suite.name, whole=extent.whole)
    finding = with_advice(finding, suite, extent)
    return with_published(finding, manifest, spec, fit)


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
