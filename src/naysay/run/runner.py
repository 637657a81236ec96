"""Running: have the missing shards asked, and keep what comes back.

Which process asks them is the executor's concern. This one alone writes into the run's folder.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from naysay.core.console import Progress
from naysay.core.errors import ModelError, RunError
from naysay.core.paths import remove_tree, write_bytes, write_text
from naysay.core.protocols import Model, Priced
from naysay.core.records import Fit
from naysay.run.cost import expected_cost
from naysay.run.examples import add_examples, examples_file
from naysay.run.executors import LOCAL, Executor, ShardRows, Workers
from naysay.run.manifest import NAME, Manifest, now, read_manifest
from naysay.run.options import spec_file
from naysay.run.plan import Plan, Shard, plan_run
from naysay.run.rows import fit_file
from naysay.run.store import check_place, held, open_manifest
from naysay.suites.protocol import Setting, Suite

SPEC_FILE = "spec.toml"
"""The run's options, as a spec file for `naysay run`."""


def run(
    settings: Mapping[str, Setting], model: Model, progress: Progress, executor: Executor = LOCAL
) -> Manifest:
    """Start or resume the run, and return its manifest."""
    plan = plan_run(settings, model)
    check_place(plan)
    with executor.workers(plan, model, progress) as workers:
        fits: dict[str, Fit] = {}
        if not _is_complete(plan):
            # Errors with the model must occur before the run's folder is created.
            if isinstance(model, Priced):
                model.confirm(*expected_cost(plan, model))
            workers.model.prepare()
            fits = {name: s.suite.fit(workers.model, s) for name, s in plan.settings.items()}
        new = [folder for folder in (plan.folder, plan.spec.out) if not folder.exists()]
        with held(plan.folder), _nothing_left_if_refused(plan.folder, new):
            return _run(plan, workers, fits, progress, together=executor.together)


def _run(
    plan: Plan, workers: Workers, fits: Mapping[str, Fit], progress: Progress, *, together: bool
) -> Manifest:
    """Have all missing shards asked, in the folder that is held."""
    spec, model = plan.spec, workers.model
    manifest = open_manifest(plan, {"name": model.name, "kind": model.kind})
    if manifest.shard_size != spec.shard_size:
        progress.note(f"resuming with shards of {manifest.shard_size}, as the run was started")
    if fits:
        manifest.model = {
            "name": model.name, "kind": model.kind, "digest": model.digest,
            "precision": spec.answers_in, **model.facts(),
        }  # fmt: skip
    for suites in [plan.suites] if together else [[suite] for suite in plan.suites]:
        _run_suites(plan, suites, manifest, workers, progress, fits)
        for suite in suites:
            # Without a fit the model is not loaded, and examples do not justify loading it.
            if suite.name in fits:
                add_examples(plan, suite, manifest, model, fits[suite.name], progress)
    if not manifest.path(SPEC_FILE).is_file():
        write_text(manifest.path(SPEC_FILE), spec_file(manifest.run_spec))
    if manifest.finished is None:
        manifest.finished = now()
        manifest.save()
    return manifest


@contextlib.contextmanager
def _nothing_left_if_refused(folder: Path, new: Sequence[Path]) -> Iterator[None]:
    """Delete the folders that are new if the model was refused before a shard was finished."""
    try:
        yield
    except ModelError:
        if folder in new and not any(folder.glob("*/*.parquet")):
            remove_tree(folder)
            for other in new[1:]:
                with contextlib.suppress(OSError):  # another run may have come into it
                    other.rmdir()
        raise


def _run_suites(
    plan: Plan,
    suites: Sequence[Suite],
    manifest: Manifest,
    workers: Workers,
    progress: Progress,
    fits: Mapping[str, Fit],
) -> None:
    """Have the missing shards of some suites asked, those with most questions first."""
    waiting: list[tuple[float, Shard]] = []
    units = done = 0
    expected = 0.0
    for suite in suites:
        shards = plan.shards(suite, manifest.shard_size)
        missing = _missing(plan, suite, shards, manifest, progress, fits.get(suite.name))
        each = _questions_per_unit(suite, manifest)
        waiting += [(len(shard.units) * (each or 1), shard) for shard in missing]
        here = sum(len(shard.units) for shard in shards)
        units, expected = units + here, expected + here * (each or float("nan"))
        done += here - sum(len(shard.units) for shard in missing)
    mean = expected / units if units and expected == expected else None  # NaN is unknown
    progress.start(", ".join(suite.name for suite in suites), units, done, mean)
    if len(suites) > 1:  # within one, the order of the units is kept
        waiting.sort(key=lambda pair: pair[0], reverse=True)
    for rows in workers.ask([shard for _, shard in waiting], fits):
        _keep(manifest, rows)
        progress.advanced(rows.record["units"])
    for suite in suites:
        lost = manifest.unmeasured(suite.name)
        if lost and any(shard.suite == suite.name for _, shard in waiting):
            whole = len(plan.settings[suite.name].units)
            progress.note(
                f"{suite.name}: {lost:,} of {whole:,} {suite.unit_name} were not measured"
            )


def _missing(
    plan: Plan,
    suite: Suite,
    shards: Sequence[Shard],
    manifest: Manifest,
    progress: Progress,
    fit: Fit | None,
) -> list[Shard]:
    """Return the shards of a suite that are to be asked, and record how many it has."""
    missing = [shard for shard in shards if not manifest.is_whole(shard.file)]
    if fit is not None:
        manifest.keep(fit_file(suite), fit.as_dict())
    if missing and fit is None:
        raise RunError(f"{plan.folder} was changed while it was read; run again")
    for shard in missing:
        if manifest.path(shard.file).exists():
            complaint = f"{plan.folder / shard.file} is corrupt: recomputing it"
            manifest.complaints.append(complaint)
            progress.note(complaint)
    if missing:
        manifest.planned[suite.name] = len(shards)
        manifest.finished = None
        manifest.save()
    return missing


def _keep(manifest: Manifest, rows: ShardRows) -> None:
    """Write a shard into the run's folder.

    Its checksum is recorded first, so that a shard in place can always be verified.
    """
    manifest.shards[rows.file] = rows.record
    manifest.save()
    write_bytes(manifest.path(rows.file), rows.content)
    manifest.wrote(rows.file)


def _questions_per_unit(suite: Suite, manifest: Manifest) -> float | None:
    """Return how many questions a unit takes: as in this run's shards, or what is typical."""
    known = [shard for shard in manifest.shards.values() if shard["suite"] == suite.name]
    if units := sum(shard["units"] for shard in known):
        return float(sum(shard["questions"] for shard in known) / units)
    # Not part of the protocol, so that a suite need not have it.
    typical: float | None = getattr(suite, "questions_per_unit", None)
    return typical


def _is_complete(plan: Plan) -> bool:
    if not (plan.folder / NAME).is_file():
        return False
    manifest = read_manifest(plan.folder)
    return manifest.finished is not None and all(
        all(map(manifest.is_kept, _side_files(manifest, suite)))
        and all(manifest.is_whole(shard.file) for shard in plan.shards(suite, manifest.shard_size))
        for suite in plan.suites
    )


def _side_files(manifest: Manifest, suite: Suite) -> list[str]:
    """Return a suite's fit, and its examples if they were written; a full disk can lose both."""
    examples = examples_file(suite.name)
    return [fit_file(suite), *([examples] if examples in manifest.files else [])]
