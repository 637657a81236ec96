"""The runs of a comparison: found, labelled, and refused where their items cannot be the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.core.errors import RunError, SpecError
from naysay.core.options import JUDGED, declarations, flag
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.run.lookup import find_named
from naysay.run.manifest import Manifest
from naysay.run.options import judged_by
from naysay.run.rows import read_fit
from naysay.run.store import run_labels
from naysay.suites import SUITES
from naysay.suites.protocol import Suite


@dataclass(frozen=True)
class ComparedRun:
    """One run and its label."""

    label: str
    manifest: Manifest
    spec: RunSpec
    """What was asked, and how it is judged here."""
    note: str = ""
    """Why this run was taken, where its name fits several."""

    def as_dict(self) -> dict[str, Any]:
        """The run as plain values."""
        return {
            "label": self.label,
            "run": self.manifest.key,
            "model": str(self.manifest.model["name"]),
            "folder": str(self.manifest.folder),
        }


def find_all(
    runs: Sequence[Manifest | str | Path],
    out: Path,
    judging: Mapping[str, Any],
    suites: Sequence[str] | None = None,
) -> tuple[ComparedRun, ...]:
    """The runs by folder, name or key, judged in one way."""
    if len(runs) < 2:
        raise SpecError(f"{len(runs)} run given: name two or more to compare")
    named = find_named(runs, out, suites or ())
    manifests = [one.manifest for one in named]
    specs = [manifest.run_spec for manifest in manifests]
    given = {name: value for name, value in judging.items() if value is not None}
    specs = [judged_by(spec, **given) for spec in specs]
    _check_judging(specs)
    labels = run_labels(manifests, specs)
    return tuple(map(ComparedRun, labels, manifests, specs, (one.note for one in named)))


def shared_suites(runs: Sequence[ComparedRun], wanted: Sequence[str] | None) -> list[Suite]:
    """The suites that all runs have, of those that are wanted."""
    planned = [list(run.manifest.planned) for run in runs]
    common = [name for name in planned[0] if all(name in others for others in planned)]
    for name in wanted or ():
        if name not in common:
            SUITES.get(name)  # raises where there is no such suite
            lacking = [r.label for r, p in zip(runs, planned, strict=True) if name not in p]
            have = "has" if len(lacking) == 1 else "have"
            raise RunError(f"{' and '.join(lacking)} {have} no {name}: run it with -t {name} first")
    if not common:
        suites = "; ".join(
            f"{run.label} has {', '.join(p)}" for run, p in zip(runs, planned, strict=True)
        )
        raise RunError(f"no suite in common: {suites}. Run the same suites with -t.")
    return [SUITES.get(name) for name in common if not wanted or name in wanted]


def _check_judging(specs: Sequence[RunSpec]) -> None:
    """Refuse runs of which a suite was judged by different rules."""
    for suite in dict.fromkeys(name for spec in specs for name in spec.suites):
        own = [spec.options[suite] for spec in specs if suite in spec.options]
        for name, declared in declarations(SUITES.get(suite).options_type).items():
            rules = {str(getattr(options, name)) for options in own}
            if declared.role == JUDGED and len(rules) > 1:
                raise SpecError(
                    f"the runs were judged by different rules of {name} "
                    f"({', '.join(sorted(rules))}): choose one with {flag(name)}"
                )


def check_same_questions(runs: Sequence[ComparedRun], suites: Sequence[Suite]) -> None:
    """Refuse runs whose items cannot be the same, whatever they are called."""
    _refuse_differing("language", [str(run.spec.language) for run in runs], runs)
    for suite in suites:
        worded = [suite.wording(run.spec) for run in runs]
        for option in dict.fromkeys(name for found in worded for name in found):
            _refuse_differing(option, [str(found.get(option)) for found in worded], runs)


def _refuse_differing(option: str, values: Sequence[str], runs: Sequence[ComparedRun]) -> None:
    if len(set(values)) > 1:
        raise SpecError(
            f"the runs differ in {option} ({_each(runs, values)}), so they share no item; "
            f"run again with the same {flag(option)}"
        )


def warnings(runs: Sequence[ComparedRun], suites: Sequence[Suite]) -> list[str]:
    """Differences between the runs that can change figures, apart from the model."""
    found = []
    versions = [run.manifest.naysay for run in runs]
    if len(set(versions)) > 1:
        found.append(f"made by different versions of naysay: {_each(runs, versions)}")
    lexicons = [run.spec.value("lexicon") or "own" for run in runs]
    if len(set(lexicons)) > 1:
        found.append(f"different word lists: {_each(runs, lexicons)}")
    for suite in suites:
        fits = [read_fit(run.manifest, suite) for run in runs]
        verbs = [_listed(fit) for fit in fits]
        if (
            len(set(verbs)) > 1
            and len(set(lexicons)) == 1
            and "lexicon" in declarations(suite.options_type)
        ):
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
