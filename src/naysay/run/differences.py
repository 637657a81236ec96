"""What differs between a run and the paper whose figures stand beside it, from the run's record.

Nothing is guessed: an option, a sample, a precision or a checkpoint is named where the manifest
says that it differs, or that it is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from naysay.core.measures import BY_LIKELIHOOD
from naysay.core.options import flag
from naysay.core.records import Difference, Estimate, Finding, Fit
from naysay.core.spec import RunSpec
from naysay.run.manifest import Manifest
from naysay.run.sample import Extent
from naysay.suites import SUITES, published
from naysay.suites.identity import ModelIdentity
from naysay.suites.report import report_of


def with_published(finding: Finding, manifest: Manifest, spec: RunSpec, fit: Fit) -> Finding:
    """The finding with the published figures of its model, and what must be said of them."""
    model = ModelIdentity.of(manifest.model)
    differences = (
        *finding.differences,
        *_of_sample(finding.suite, manifest, spec, fit),
        *report_of(finding.suite).differences(
            lambda option: spec.value(option, finding.suite), manifest.model
        ),
        *_of_model(finding.suite, manifest, spec, model),
    )
    finding = replace(finding, differences=differences)
    printed = [_printed(estimate, model, spec.language) for estimate in finding.estimates]
    withheld = [
        (estimate, why)
        for estimate, figure in zip(finding.estimates, printed, strict=True)
        if figure is not None and (why := finding.why_not(estimate)) is not None
    ]
    beside = tuple(
        replace(estimate, published=figure.value, published_as=figure.shown)
        if figure is not None and finding.why_not(estimate) is None
        else estimate
        for estimate, figure in zip(finding.estimates, printed, strict=True)
    )
    notes = {
        table: (*_said(finding, table, beside), *_left_out(finding, table, withheld))
        for table in finding.titles
    }
    shown = {e.table for e in beside if e.published is not None}
    contradictions = published.contradictions(finding.suite, shown, model, spec.language)
    return replace(
        finding,
        estimates=beside,
        notes=(*finding.notes, *contradictions),
        published_notes={table: lines for table, lines in notes.items() if lines},
    )


def differences_of(finding: Finding, estimate: Estimate) -> list[Difference]:
    """What differs from the paper for one figure."""
    return [one for one in finding.differences if one.is_about(estimate)]


def _printed(
    e: Estimate, model: ModelIdentity, language: str | None
) -> published.PrintedFigure | None:
    table = e.table.removesuffix(BY_LIKELIHOOD)
    return published.figure(e.suite, table, e.condition, e.metric, model, language)


def _said(finding: Finding, table: str, estimates: tuple[Estimate, ...]) -> Iterator[str]:
    """What differs from the paper in a table, where a published figure is shown in it."""
    shown = [e for e in estimates if e.table == table and e.published is not None]
    found = [d.text for d in finding.differences if any(d.is_about(e) for e in shown)]
    if found:
        yield f"Not as in the paper: {' '.join(dict.fromkeys(found))}"


def _left_out(finding: Finding, table: str, withheld: list[tuple[Estimate, str]]) -> Iterator[str]:
    """Why some published figures are not shown in a table."""
    reasons: dict[str, list[Estimate]] = {}
    for estimate, why in withheld:
        if estimate.table == table:
            reasons.setdefault(why, []).append(estimate)
    there = [estimate for estimate in finding.estimates if estimate.table == table]
    for why, estimates in reasons.items():
        yield f"No published figure beside {_named(estimates, there)}: {why}"


def _named(estimates: list[Estimate], there: list[Estimate]) -> str:
    """Some estimates of a table by what distinguishes them: conditions, metrics, or both."""
    metrics = dict.fromkeys(e.metric for e in estimates)
    if len({e.condition for e in there}) == 1:
        return ", ".join(metrics)
    named = ", ".join(dict.fromkeys(e.condition for e in estimates))
    every = metrics.keys() == {e.metric for e in there}
    return named if every else f"{', '.join(metrics)} of {named}"


def _of_sample(suite: str, manifest: Manifest, spec: RunSpec, fit: Fit) -> Iterator[Difference]:
    """The sample, if units were left out; runs of 0.1.0 do not record how many there were."""
    extent = Extent.of_run(manifest, SUITES.get(suite), fit)
    if extent.whole:
        return
    of = "" if extent.of is None else f" of {extent.of:,}"
    yield Difference(
        "sample",
        f"A sample of {extent.asked:,}{of} {SUITES.get(suite).unit_name} (seed {spec.seed}): "
        "--limit all asks all, as the paper does.",
    )


def _of_model(
    suite: str, manifest: Manifest, spec: RunSpec, model: ModelIdentity
) -> Iterator[Difference]:
    facts = manifest.model
    for name in ("prompt", "pooling", "label"):
        if (value := _adapter_value(spec, name)) is not None:
            yield Difference(name, f"The run was made with {flag(name)} {value}.")
    if padding := _adapter_value(spec, "padding_text"):
        words = len(padding.split())
        yield Difference("padding", f"A padding text of {words:,} words was before each question.")
    if (precision := facts.get("precision", "fp32")) != "fp32":
        yield Difference("precision", f"Computed in {precision}.")
    if files := [name for name in facts.get("weights") or () if name.endswith(".gguf")]:
        yield Difference("weights", f"The weights are those of a GGUF file, {files[0]}.")
    if quantised := facts.get("quantised"):
        yield Difference("weights", f"The weights are quantised ({quantised}).")
    if published.printed_name(suite, model) is None:
        return  # whether these are the paper's weights is no question
    if facts.get("in_memory"):
        yield Difference(
            "checkpoint", "The model was given in memory: it may have been trained further."
        )
    elif not facts.get("revision") and not published.has_weights(suite, model):
        yield Difference(
            "checkpoint",
            "The revision of the weights is not recorded: they may not be the paper's.",
        )


def _adapter_value(spec: RunSpec, name: str) -> Any:
    """The value of an option of the model's kind, None if it has none."""
    found = (getattr(options, name, None) for options in spec.adapters.values())
    return next((value for value in found if value is not None), None)
