"""Evaluate a model: the one function behind `naysay run`, and judging again without the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from naysay.core.console import Progress, Silent
from naysay.core.errors import SpecError
from naysay.core.protocols import Model, ModelRequest
from naysay.core.records import Estimate, Finding
from naysay.core.spec import RunSpec, flag
from naysay.models import open_model
from naysay.run.manifest import Manifest
from naysay.run.plan import setting_of, why_not
from naysay.run.runner import check_whole, read_fit, run
from naysay.run.store import find_run, read_rows
from naysay.suites import SUITES
from naysay.suites import _published as published
from naysay.suites._protocol import Suite

DEFAULT_MODEL, WITHOUT_LIBRARIES = "mini-aware", "known:aware"
"""What is tested where no model is named; the second needs neither torch nor transformers."""


@dataclass(frozen=True)
class Evaluation:
    """A finished run and what it says; iterates over its estimates."""

    run: str
    folder: Path
    model: str
    findings: tuple[Finding, ...]
    manifest: Manifest
    spec: RunSpec
    """What was asked, and how it was judged."""

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All figures of all suites."""
        return tuple(estimate for finding in self.findings for estimate in finding.estimates)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "run": self.run,
            "folder": str(self.folder),
            "model": self.model,
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "verdicts": {
                finding.suite: {"outcome": finding.outcome, "verdict": finding.verdict}
                for finding in self.findings
            },
        }


def evaluate(
    model: Any = None,
    suites: str | Sequence[str] | None = None,
    *,
    tokenizer: Any = None,
    progress: Progress | None = None,
    **options: Any,
) -> Evaluation:
    """Run suites on a model and measure; the same as `naysay run`.

    `model` is a name, a folder, a loaded transformers model (with its `tokenizer`), a
    SentenceTransformer, a CrossEncoder, anything with `encode(sentences)`, or anything that offers
    what `naysay.core.protocols.Model` asks for; `default_model()` if not given. `suites` are all
    that fit if not given. `options` are the fields of `RunSpec`.
    """
    progress = progress or Silent()
    model = default_model() if model is None else model
    names = [suites] if isinstance(suites, str) else list(suites or [])
    name = model if isinstance(model, str) else model_name(model)
    spec = _spec(model=name, suites=tuple(names or default_suites()), **options)
    # What is cheap to find wrong is found before a model is fetched or read.
    setting = setting_of(spec)
    spec = setting.spec
    for suite in map(SUITES.get, spec.suites):
        if suite.speaks(setting.language):
            suite.check(setting)
    check_read(spec)
    opened = _open(model, spec, tokenizer)
    try:
        if not names:
            spec = replace(spec, suites=fitting_suites(opened, spec))
        manifest = run(spec, opened, progress)
    finally:
        opened.close()
        progress.stop()
    return judge(manifest, repetition=spec.repetition)


def default_model() -> str:
    """The model that is tested where none is named: one that every suite should let pass."""
    from importlib.util import find_spec

    there = all(find_spec(library) for library in ("torch", "transformers"))
    return DEFAULT_MODEL if there else WITHOUT_LIBRARIES


def default_suites() -> list[str]:
    """The suites that are run where none is named."""
    return [suite.name for suite in SUITES.all() if suite.default]


def check_read(spec: RunSpec) -> None:
    """Refuse an option that none of the chosen suites reads: it would change nothing, silently."""
    readers: dict[str, list[str]] = {}
    for suite in SUITES.all():
        for option in (*suite.options, *suite.sources, *suite.judging):
            readers.setdefault(option, []).append(suite.name)
    for option in spec.given():
        if option in readers and not set(readers[option]) & set(spec.suites):
            raise SpecError(
                f"{flag(option)} is read by {', '.join(readers[option])}, not by "
                f"{', '.join(spec.suites)}: leave it out, or name one of these suites with -t"
            )


def _spec(**options: Any) -> RunSpec:
    for option in ("out", "data_dir"):
        if isinstance(options.get(option), str):
            options[option] = Path(options[option])
    for option in ("ranks", "style", "corpora"):
        if isinstance(value := options.get(option), str | int):
            options[option] = (value,)
        elif isinstance(value, list):
            options[option] = tuple(value)
    try:
        return RunSpec(**options)
    except TypeError as error:
        raise SpecError(f"unknown option: {error}") from None


def _open(model: Any, spec: RunSpec, tokenizer: Any) -> Model:
    request = ModelRequest(
        precision=spec.precision,
        device=spec.device,
        token_budget=spec.token_budget,
        language=str(spec.language),
        pooling=spec.pooling,
        prompt=spec.prompt,
        label=spec.label,
        allow_pickle=spec.allow_pickle,
        trust_remote_code=spec.trust_remote_code,
    )
    if isinstance(model, str):
        return open_model(model, request)
    if hasattr(model, "ask") and hasattr(model, "digest"):
        given: Model = model
        return given
    from naysay.models._in_memory import wrap

    return wrap(model, spec.model, tokenizer, request)


def model_name(model: Any) -> str:
    """What to call a model that was given as an object."""
    inner = getattr(model, "transformers_model", None)  # of a sentence-transformers model
    for one, attribute in ((model, "name"), (model, "name_or_path"), (inner, "name_or_path")):
        if isinstance(value := getattr(one, attribute, None), str) and value:
            return value
    return type(model).__name__


def fitting_suites(model: Model, spec: RunSpec) -> tuple[str, ...]:
    """The suites run by default that this model can be asked in this language."""
    setting = setting_of(spec)
    suites = [SUITES.get(name) for name in default_suites()]
    fitting = tuple(s.name for s in suites if why_not(s, model, setting) is None)
    if not fitting:
        reasons = "; ".join(str(why_not(suite, model, setting)) for suite in suites)
        raise SpecError(f"no suite fits {model.name}: {reasons}")
    return fitting


def judge(
    run_or_name: Manifest | str, out: Path = Path("runs"), *, repetition: str | None = None
) -> Evaluation:
    """Judge and measure a finished run's rows; needs no model and writes nothing.

    `repetition` is the rule to judge by; the one that the run was made with if not given.
    """
    manifest = find_run(run_or_name, out) if isinstance(run_or_name, str) else run_or_name
    spec = manifest.run_spec
    if repetition is not None:
        spec = replace(spec, repetition=repetition)
    model = str(manifest.model["name"])
    findings = tuple(_measure(manifest, SUITES.get(name), spec) for name in manifest.planned)
    return Evaluation(manifest.key, manifest.folder, model, findings, manifest, spec)


def _measure(manifest: Manifest, suite: Suite, spec: RunSpec) -> Finding:
    import pyarrow as pa

    model = str(manifest.model["name"])
    files = check_whole(manifest, suite)
    judged = [suite.judge(read_rows(manifest.path(file), list(suite.judged))) for file in files]
    analysis = suite.analyse(pa.concat_tables(judged), spec, read_fit(manifest, suite))
    if spec.readout == "likelihood":
        analysis = analysis.by_likelihood()
    finding = analysis.finding(suite.name)
    if not finding.comparable:
        return finding
    beside = tuple(
        replace(
            e,
            published=published.figure(
                e.suite, e.table, e.condition, e.metric, model, spec.language
            ),
        )
        for e in finding.estimates
    )
    told = published.contradictions(suite.name, finding.titles, model, spec.language)
    notes = (*finding.notes, *told)
    return replace(finding, estimates=beside, notes=notes)
