"""Running: compute the missing shards one after another, in this process."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from naysay.core.console import Progress
from naysay.core.errors import DamagedShardError, RunError
from naysay.core.keys import file_digest
from naysay.core.paths import write_json, write_text, write_whole
from naysay.core.probes import Answer, ChooseWord, Complete, Pieces, Probe
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit
from naysay.run.examples import add_examples
from naysay.run.manifest import NAME, Manifest, now, read_manifest
from naysay.run.options import spec_file
from naysay.run.plan import Plan, Shard, plan_run
from naysay.run.store import check_place, held, open_manifest, rows_of, table_of, write_rows
from naysay.suites.protocol import Setting, Suite

SPEC_FILE = "spec.toml"
"""The run's options, as a spec file for `naysay run`."""
_SLICE = 1024  # questions between progress updates
_SLOW_SLICE = 64  # the same for questions with many words each


def run(settings: Mapping[str, Setting], model: Model, progress: Progress) -> Manifest:
    """Start or resume the run, and return its manifest."""
    plan = plan_run(settings, model)
    spec = plan.spec
    check_place(plan)
    fits: dict[str, Fit] = {}
    if not _is_complete(plan):
        # Errors with the model must occur before the run's folder is created.
        model.prepare()
        fits = {name: s.suite.fit(model, s) for name, s in plan.settings.items()}
    with held(plan.folder):
        manifest = open_manifest(plan, {"name": model.name, "kind": model.kind})
        if manifest.shard_size != spec.shard_size:
            progress.note(f"resuming with shards of {manifest.shard_size}, as the run was started")
        if fits:
            manifest.model = {
                "name": model.name, "kind": model.kind, "digest": model.digest,
                "precision": spec.precision, **model.facts(),
            }  # fmt: skip
        metered = Metered(model, progress)
        for suite in plan.suites:
            _run_suite(plan, suite, manifest, metered, progress, fits.get(suite.name))
            if (
                suite.name in fits
            ):  # else the model is not loaded, and examples do not justify loading it
                add_examples(plan, suite, manifest, model, fits[suite.name], progress)
        if not manifest.path(SPEC_FILE).is_file():
            write_text(manifest.path(SPEC_FILE), spec_file(manifest.run_spec))
        if manifest.finished is None:
            manifest.finished = now()
            manifest.save()
    return manifest


def _run_suite(
    plan: Plan,
    suite: Suite,
    manifest: Manifest,
    model: Metered,
    progress: Progress,
    fit: Fit | None,
) -> None:
    shards = plan.shards(suite, manifest.shard_size)
    missing = [shard for shard in shards if not manifest.is_whole(shard.file)]
    if fit is not None:
        write_json(manifest.path(fit_file(suite)), fit.as_dict())
    if missing and fit is None:
        raise RunError(f"{plan.folder} was changed while it was read; run again")
    for shard in missing:
        if manifest.path(shard.file).exists():
            complaint = f"{plan.folder / shard.file} is corrupt: recomputing it"
            manifest.complaints.append(complaint)
            progress.note(complaint)
    if missing:
        manifest.planned[suite.name] = len(shards)
        manifest.totals[suite.name] = plan.settings[suite.name].total
        manifest.finished = None
        manifest.save()
    units = sum(len(shard.units) for shard in shards)
    progress.start(suite.name, units, units - sum(len(shard.units) for shard in missing))
    for shard in missing:
        assert fit is not None
        _run_shard(plan, suite, shard, manifest, model, fit)
        progress.advanced(len(shard.units))


def _run_shard(
    plan: Plan, suite: Suite, shard: Shard, manifest: Manifest, model: Metered, fit: Fit
) -> None:
    begun, asked_before = time.perf_counter(), model.questions
    table = table_of(
        suite.probe(model, shard.units, plan.settings[suite.name], fit), suite.row_type
    )

    def write(beside: Any) -> None:
        write_rows(table, beside)
        manifest.shards[shard.file] = {
            "suite": suite.name,
            "sha256": file_digest(beside),
            "units": len(shard.units),
            "rows": len(table),
            "questions": model.questions - asked_before,
            "seconds": round(time.perf_counter() - begun, 3),
        }
        # The checksum is recorded first, so that a shard in place can always be verified.
        manifest.save()

    write_whole(manifest.path(shard.file), write)
    manifest.wrote(shard.file)


def fit_file(suite: Suite) -> str:
    """Return the name of a suite's fit file in the run's folder."""
    return f"{suite.name}-fit.json"


def read_fit(manifest: Manifest, suite: Suite) -> Fit:
    """Read the fit of the run."""
    path = manifest.path(fit_file(suite))
    try:
        return Fit.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} cannot be read ({error}); {_mend(manifest)}") from error


def whole_rows(
    manifest: Manifest, suite: Suite, columns: list[str] | None = None
) -> Iterator[Table]:
    """Yield the rows of the suite's shards; raise an error for a corrupt one."""
    for file in shard_files(manifest, suite):
        yield rows_in(manifest, file, columns)


def shard_files(manifest: Manifest, suite: Suite) -> list[str]:
    """Return the suite's shard files; raise an error if any are missing."""
    files = [file for file, shard in manifest.shards.items() if shard["suite"] == suite.name]
    planned = manifest.planned.get(suite.name, 0)
    present = [file for file in files if manifest.path(file).is_file()]
    if len(present) < planned or not planned:
        raise RunError(
            f"{manifest.folder} is not finished: {len(present)} of {planned} shards of "
            f"{suite.name} exist; {_mend(manifest)}"
        )
    return sorted(present)


def rows_in(manifest: Manifest, file: str, columns: list[str] | None = None) -> Table:
    """Read the rows of one shard, verified from the same bytes."""
    try:
        content = manifest.content(file)
    except OSError as error:
        raise RunError(f"{manifest.path(file)} cannot be read: {error.strerror}") from error
    if content is None:
        raise DamagedShardError(
            f"{manifest.path(file)} is corrupt: it was truncated or changed; {_mend(manifest)}"
        )
    return rows_of(content, columns)


def _mend(manifest: Manifest) -> str:
    return f"resume with: {manifest.run_spec.command()}"


def _is_complete(plan: Plan) -> bool:
    if not (plan.folder / NAME).is_file():
        return False
    manifest = read_manifest(plan.folder)
    return manifest.finished is not None and all(
        manifest.path(fit_file(suite)).is_file()
        and all(manifest.is_whole(shard.file) for shard in plan.shards(suite, manifest.shard_size))
        for suite in plan.suites
    )


class Metered:
    """A model that counts its questions and reports progress."""

    def __init__(self, model: Model, progress: Progress) -> None:
        self._model = model
        self._progress = progress
        self.questions = 0
        self.name, self.kind = model.name, model.kind
        self.answers, self.digest = model.answers, model.digest

    def prepare(self) -> None:
        """Load what the model needs."""
        self._model.prepare()

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Ask in slices, so that progress shows within a shard."""
        answers: list[Answer] = []
        slow = any(isinstance(probe, ChooseWord | Complete) for probe in probes)
        size = _SLOW_SLICE if slow else _SLICE
        for start in range(0, len(probes), size):
            part = self._model.ask(probes[start : start + size])
            answers += part
            self.questions += len(part)
            self._progress.asked(len(part))
        return answers

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """Return what the model returns."""
        return self._model.single_pieces(words, text, bare=bare)

    def facts(self) -> dict[str, Any]:
        """Return what the model returns."""
        return self._model.facts()

    def close(self) -> None:
        """Close the model."""
        self._model.close()
