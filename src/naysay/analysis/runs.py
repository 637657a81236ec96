"""The runs of a comparison: found, labelled, and refused where their items cannot be the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from naysay.core.errors import RunError, SpecError, UnknownNameError
from naysay.core.records import Fit
from naysay.core.spec import RunSpec, flag
from naysay.data.languages import LANGUAGES
from naysay.run.labels import run_labels
from naysay.run.manifest import Manifest, made_by
from naysay.run.runner import read_fit
from naysay.run.store import find_run, find_runs
from naysay.suites import SUITES
from naysay.suites._protocol import Suite


@dataclass(frozen=True)
class ComparedRun:
    """One run and its label."""

    label: str
    manifest: Manifest
    spec: RunSpec
    """What was asked, and how it is judged here."""

    def as_dict(self) -> dict[str, Any]:
        """The run as plain values."""
        return {
            "label": self.label,
            "run": self.manifest.key,
            "model": str(self.manifest.model["name"]),
            "folder": str(self.manifest.folder),
        }


def find_all(
    runs: Sequence[Manifest | str | Path], out: Path, repetition: str | None
) -> tuple[ComparedRun, ...]:
    """The runs by folder, name or key, judged by one rule."""
    if len(runs) < 2:
        raise SpecError(f"{len(runs)} run given: name two or more to compare")
    manifests = [find_named(run, out) for run in runs]
    specs = [manifest.run_spec for manifest in manifests]
    if repetition is None:
        readers = {s for m in manifests for s in m.planned if "repetition" in SUITES.get(s).judging}
        rules = {spec.repetition for spec in specs}
        if readers and len(rules) > 1:
            raise SpecError(
                "the runs were judged by different rules of repetition "
                f"({', '.join(sorted(rules))}): choose one with --repetition"
            )
    else:
        specs = [replace(spec, repetition=repetition) for spec in specs]
    labels = run_labels(manifests, specs)
    return tuple(map(ComparedRun, labels, manifests, specs))


def find_named(run: Manifest | str | Path, out: Path) -> Manifest:
    """A run by its folder, name or key; or by its model, where that has one run only."""
    if isinstance(run, Manifest):
        return run
    name = str(run)
    try:
        return find_run(name, out)
    except UnknownNameError:
        found = [one for one in find_runs(out) if one.model["name"] == name]
        if not found:
            raise
    if len(found) > 1:
        listed = "; ".join(f"{m.folder} ({', '.join(m.planned)})" for m in found)
        raise RunError(f"{name} has several runs: {listed}. Name one by its folder or key.")
    return found[0]


def shared_suites(runs: Sequence[ComparedRun], wanted: Sequence[str] | None) -> list[Suite]:
    """The suites that all runs have, of those that are wanted."""
    planned = [list(run.manifest.planned) for run in runs]
    common = [name for name in planned[0] if all(name in others for others in planned)]
    for name in wanted or ():
        if name not in common:
            SUITES.get(name)  # raises where there is no such suite
            lacking = [r.label for r, p in zip(runs, planned, strict=True) if name not in p]
            raise RunError(f"{' and '.join(lacking)} has no {name}: run it with -t {name} first")
    if not common:
        suites = "; ".join(
            f"{run.label} has {', '.join(p)}" for run, p in zip(runs, planned, strict=True)
        )
        raise RunError(f"no suite in common: {suites}. Run the same suites with -t.")
    return [SUITES.get(name) for name in common if not wanted or name in wanted]


def check_same_questions(runs: Sequence[ComparedRun], suites: Sequence[Suite]) -> None:
    """Refuse runs whose items cannot be the same, whatever they are called."""
    for option in ("language", "readout"):
        _refuse_differing(option, [str(getattr(run.spec, option)) for run in runs], runs)
    for suite in suites:
        if "predicate" in suite.options:
            _refuse_differing("predicate", [_predicate(run.spec, suite) for run in runs], runs)


def _refuse_differing(option: str, values: Sequence[str], runs: Sequence[ComparedRun]) -> None:
    if len(set(values)) > 1:
        raise SpecError(
            f"the runs differ in {option} ({_each(runs, values)}), so they share no item; "
            f"run again with the same {flag(option)}"
        )


def _predicate(spec: RunSpec, suite: Suite) -> str:
    targets = LANGUAGES.get(str(spec.language)).patterns(suite.patterns)["targets"]
    return spec.predicate or str(next(iter(targets)))


def warnings(runs: Sequence[ComparedRun], suites: Sequence[Suite]) -> list[str]:
    """Differences between the runs that can change figures, apart from the model."""
    found = []
    versions = [made_by(run.manifest) for run in runs]
    if len(set(versions)) > 1:
        found.append(f"made by different versions of naysay: {_each(runs, versions)}")
    lexicons = [run.spec.lexicon or "own" for run in runs]
    if len(set(lexicons)) > 1:
        found.append(f"different word lists: {_each(runs, lexicons)}")
    for suite in suites:
        fits = [read_fit(run.manifest, suite) for run in runs]
        verbs = [_listed(fit) for fit in fits]
        if len(set(verbs)) > 1 and len(set(lexicons)) == 1 and "lexicon" in suite.sources:
            sizes = [f"{len(words):,} words" for words in verbs]
            found.append(f"{suite.name}: different word lists: {_each(runs, sizes)}")
        digests = [str(fit.about.get("digest", ""))[:8] for fit in fits]
        if len(set(digests)) > 1:
            found.append(f"{suite.name}: different sets of items: {_each(runs, digests)}")
    return found


def _listed(fit: Fit) -> frozenset[str]:
    """All words of the list, whether the model could be asked them or not."""
    return frozenset((*fit.used, *(word for word, _ in fit.left_out)))


def _each(runs: Sequence[ComparedRun], values: Sequence[str]) -> str:
    return ", ".join(f"{run.label}: {value}" for run, value in zip(runs, values, strict=True))
