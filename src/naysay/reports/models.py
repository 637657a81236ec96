"""The models of a report: one row for each, with its newest run of each suite.

Runs of one model share its row and its colour. A run of other items (another language, other
options) gets a row of its own only where the model already has a run of the same suite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from naysay.core.records import Finding
from naysay.core.spec import DEFAULT_LANGUAGE
from naysay.models.files.weights import SHIPPED
from naysay.models.known import KnownModel
from naysay.reports.examples import ShownExamples, shown_examples
from naysay.run.evaluation import Evaluation
from naysay.run.store import run_labels

CONTROLS = "controls: models whose answers are known"


@dataclass(frozen=True)
class OlderRun:
    """What a newer run of the same model stands for in the page."""

    model: str
    evaluation: Evaluation
    suites: tuple[str, ...]
    """The suites of which there is a newer run."""


@dataclass(frozen=True)
class ReportedModel:
    """A model with the newest evaluation of each of its suites."""

    name: str
    """Its label in the page."""
    evaluations: tuple[Evaluation, ...]
    """Its runs, each with only the findings that are the newest of their suite."""

    @property
    def control(self) -> bool:
        """Whether its answers are known before it is asked."""
        return any(is_control(evaluation) for evaluation in self.evaluations)

    @cached_property
    def findings(self) -> dict[str, tuple[Evaluation, Finding]]:
        """The finding of each suite, and the evaluation that it is from."""
        return {f.suite: (one, f) for one in self.evaluations for f in one.findings}

    @cached_property
    def examples(self) -> dict[str, ShownExamples]:
        """The examples of each suite, read once."""
        found = self.findings.items()
        return {suite: shown_examples(f, one, self.name) for suite, (one, f) in found}


@dataclass(frozen=True)
class ReportedModels:
    """The models of a page, real ones first, and the runs that are not shown."""

    models: tuple[ReportedModel, ...]
    older: tuple[OlderRun, ...]

    @property
    def runs(self) -> list[tuple[str, Evaluation]]:
        """Each run with the label of its model; of a suite, each model has one at most."""
        return [(model.name, one) for model in self.models for one in model.evaluations]

    @property
    def names(self) -> list[str]:
        """The models' labels."""
        return [model.name for model in self.models]

    @property
    def controls(self) -> frozenset[str]:
        """The labels of the models whose answers are known."""
        return frozenset(model.name for model in self.models if model.control)


def is_control(evaluation: Evaluation) -> bool:
    """Whether the model follows a rule, or is one that naysay ships to calibrate its tests."""
    facts = evaluation.manifest.model
    return facts["kind"] == KnownModel.kind or facts["name"] in SHIPPED


def reported_models(evaluations: Sequence[Evaluation]) -> ReportedModels:
    """Merge runs: a row for each model, and in it the newest run of each suite."""
    rows: list[list[list[Evaluation]]] = []
    for same_items in _by_items(evaluations):
        suites = _suites(same_items)
        for row in rows:
            alike = _identity(row[0][0]) == _identity(same_items[0])
            if alike and not suites & set().union(*map(_suites, row)):
                row.append(same_items)
                break
        else:
            rows.append([same_items])
    labels = _labels([row[0][0] for row in rows])
    models, older = [], []
    for label, row in zip(labels, rows, strict=True):
        newest: dict[str, Evaluation] = {}
        runs = sorted((one for part in row for one in part), key=_age)
        for one in runs:
            newest |= dict.fromkeys((f.suite for f in one.findings), one)
        kept = [
            replace(one, findings=tuple(f for f in one.findings if newest[f.suite] is one))
            for one in runs
        ]
        models.append(ReportedModel(label, tuple(one for one in kept if one.findings)))
        for one, rest in zip(runs, kept, strict=True):
            if gone := _suites([one]) - _suites([rest]):
                listed = tuple(f.suite for f in one.findings if f.suite in gone)
                older.append(OlderRun(label, one, listed))
    models.sort(key=lambda model: model.control)
    return ReportedModels(tuple(models), tuple(older))


def _by_items(evaluations: Sequence[Evaluation]) -> Iterator[list[Evaluation]]:
    """Runs of one model with the same options, however many units of them were drawn."""
    groups: dict[object, dict[str, Evaluation]] = {}
    for one in evaluations:
        key = _identity(one), one.spec.language, repr(sorted(_given(one).items()))
        groups.setdefault(key, {})[one.run] = one  # a run that is given twice counts once
    for same in groups.values():
        yield list(same.values())


def _given(evaluation: Evaluation) -> dict[str, Any]:
    """The suites' options that are not the defaults, by name: suites share most of them."""
    options = evaluation.spec.options
    return {
        name: value for suite in sorted(options) for name, value in options[suite].given().items()
    }


def _identity(evaluation: Evaluation) -> tuple[Any, ...]:
    """What makes it the same model: its name and its weights; rules have no weights."""
    facts = evaluation.manifest.model
    weights = None if facts["kind"] == KnownModel.kind else facts.get("digest")
    return facts["name"], facts["kind"], weights


def _suites(evaluations: Sequence[Evaluation]) -> set[str]:
    return {finding.suite for one in evaluations for finding in one.findings}


def _age(evaluation: Evaluation) -> tuple[str, str]:
    return evaluation.manifest.finished or evaluation.manifest.started, evaluation.run


def _labels(first: Sequence[Evaluation]) -> list[str]:
    """The rows' labels: of several rows of one model, the one with the fewest options has none.

    The size of a sample never distinguishes them.
    """
    manifests = [one.manifest for one in first]
    specs = [replace(e.spec, limit=None, seed=0, suites=first[0].spec.suites) for e in first]
    names = {one.model: k for k, one in enumerate(first)}
    single = run_labels([manifests[k] for k in names.values()], [specs[k] for k in names.values()])
    plain = dict(zip(names, single, strict=True))
    options = {name: [_options(one) for one in first if one.model == name] for name in names}
    return [
        label if options[one.model].count(least := min(options[one.model])) > 1
        or _options(one) > least else plain[one.model]
        for one, label in zip(first, run_labels(manifests, specs), strict=True)
    ]  # fmt: skip


def _options(evaluation: Evaluation) -> tuple[bool, int]:
    """Whether it is another language than the default, and how many options are not the defaults.

    Runs record which of several lists they found, so that few have none at all.
    """
    return evaluation.spec.language not in (None, DEFAULT_LANGUAGE), len(_given(evaluation))
