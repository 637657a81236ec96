"""A run's figures where people follow their experiments: W&B or MLflow, if one is installed.

Both are set up by their own environment variables, such as WANDB_MODE, WANDB_PROJECT,
MLFLOW_TRACKING_URI and MLFLOW_EXPERIMENT_NAME. They get the run's options, its figures and
verdicts, and the files `report.md` and `estimates.json`; no code, no console and no facts about the
machine, and whatever may be a password is left out.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from naysay.core import VERSION
from naysay.core.errors import NotLoggedError, UnknownNameError
from naysay.core.extras import need
from naysay.run.evaluation import Evaluation

PROJECT = "naysay"
"""Where runs are logged unless the environment says otherwise."""
FILES = ("report.md", "estimates.json")
_SECRET = re.compile(r"(^|_)(key|token|secret|password|credential)s?$", re.I)
_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]+@|(?<=\w)\?\S*$")
_PART = re.compile(r"[^A-Za-z0-9.-]+")
_BATCH = 100  # parameters or figures that MLflow accepts at once

Logger = Callable[[Evaluation], None]


def loggers_of(names: Sequence[str]) -> list[Logger]:
    """The loggers with these names, comma-separated or apart.

    Raises if one is not installed, or if it cannot open the place where it keeps figures.
    """
    chosen = dict.fromkeys(part.strip() for name in names for part in name.split(","))
    for name in chosen:
        if name not in LOGGERS:
            raise UnknownNameError("logger", name, LOGGERS)
        need(name, f"--log {name}")
    if "mlflow" in chosen:
        try:
            _experiment(_client())
        except Exception as error:
            raise NotLoggedError(f"--log mlflow cannot be used: {_said(error)}") from error
    return [_guarded(name, LOGGERS[name]) for name in chosen]


def _guarded(name: str, log: Logger) -> Logger:
    """The logger with its errors, of any kind, in one line that says where the figures are."""

    def guarded(evaluation: Evaluation) -> None:
        try:
            log(evaluation)
        except Exception as error:
            raise NotLoggedError(
                f"{name} did not take the figures, which are in {evaluation.folder}: {_said(error)}"
            ) from error

    return guarded


def _said(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _wandb(evaluation: Evaluation) -> None:
    import wandb

    settings = wandb.Settings(
        console="off", disable_code=True, disable_git=True, save_code=False, silent=True,
        x_disable_machine_info=True, x_disable_meta=True, x_disable_stats=True,
        x_save_requirements=False,
    )  # fmt: skip
    with wandb.init(
        project=os.environ.get("WANDB_PROJECT") or PROJECT, name=_title(evaluation),
        job_type="evaluation", config=config_of(evaluation), settings=settings,
    ) as run:  # fmt: skip
        run.log(figures_of(evaluation))
        run.summary.update(verdicts_of(evaluation))
        files = wandb.Artifact(f"naysay-{evaluation.run}", type="evaluation")
        for name in FILES:
            files.add_file(str(evaluation.folder / name))
        run.log_artifact(files)


def _mlflow(evaluation: Evaluation) -> None:
    from mlflow.entities import Metric, Param

    client = _client()
    tags = {"naysay.run": evaluation.run, **verdicts_of(evaluation)}
    run = client.create_run(_experiment(client), tags=tags, run_name=_title(evaluation)).info
    config, found = _flat(config_of(evaluation)), figures_of(evaluation)
    settings = [Param(name, str(value)) for name, value in config.items() if value is not None]
    figures = [Metric(name, value, run.start_time, step=0) for name, value in found.items()]
    status = "FAILED"
    try:
        for start in range(0, max(len(settings), len(figures)), _BATCH):
            batch = slice(start, start + _BATCH)
            client.log_batch(run.run_id, metrics=figures[batch], params=settings[batch])
        for name in FILES:
            client.log_artifact(run.run_id, str(evaluation.folder / name))
        status = "FINISHED"
    finally:
        client.set_terminated(run.run_id, status)


def _client() -> Any:
    """A client that does not report how it prepares its database."""
    import mlflow

    logging.getLogger("mlflow").setLevel(logging.WARNING)
    return mlflow.MlflowClient()


def _experiment(client: Any) -> str:
    """The experiment that the environment names, made if there is none of the name."""
    if given := os.environ.get("MLFLOW_EXPERIMENT_ID"):
        return str(client.get_experiment(given).experiment_id)
    name = os.environ.get("MLFLOW_EXPERIMENT_NAME") or PROJECT
    found = client.get_experiment_by_name(name)
    return str(found.experiment_id if found else client.create_experiment(name))


LOGGERS: Mapping[str, Logger] = {"wandb": _wandb, "mlflow": _mlflow}


def _title(evaluation: Evaluation) -> str:
    return f"{evaluation.model} {','.join(finding.suite for finding in evaluation.findings)}"


def figures_of(evaluation: Evaluation) -> dict[str, float]:
    """All figures but those of long tables, by names that every logger takes, with their bounds.

    They are called SUITE/TABLE/CONDITION/METRIC; bounds have `_low` and `_high` added.
    """
    found: dict[str, float] = {}
    for finding in evaluation.findings:
        for e in finding.estimates:
            if e.table in finding.details or e.value is None:
                continue
            name = "/".join(map(_part, (e.suite, e.table, e.condition, e.metric)))
            found[name] = e.value
            for end, bound in (("low", e.low), ("high", e.high)):
                if bound is not None:
                    found[f"{name}_{end}"] = bound
    return found


def _part(text: str) -> str:
    """A part of a name, without the signs that MLflow refuses.

    >>> _part("1 ACT: positive-negated"), _part("≥ 0.05"), _part("google_re/date_of_birth")
    ('1_ACT_positive-negated', '0.05', 'google_re_date_of_birth')
    """
    return _PART.sub("_", text).strip("_") or "_"


def verdicts_of(evaluation: Evaluation) -> dict[str, str]:
    """By suite, the outcome and the verdict in words."""
    found = {}
    for finding in evaluation.findings:
        found[f"{finding.suite}/outcome"] = finding.outcome
        found[f"{finding.suite}/verdict"] = finding.verdict
    return found


def config_of(evaluation: Evaluation) -> dict[str, Any]:
    """How the run was made: its key, its options, its model and the versions of libraries."""
    manifest = evaluation.manifest
    return {
        "run": evaluation.run,
        "naysay": VERSION,
        "versions": dict(manifest.versions),
        "digest": str(manifest.model.get("digest", "")),
        "kind": str(manifest.model.get("kind", "")),
        **without_secrets(evaluation.spec.as_dict()),
    }


def without_secrets(values: Mapping[str, Any]) -> dict[str, Any]:
    """Options without those that are called like a password, and without passwords in addresses.

    >>> without_secrets({"api_key": "x", "token_budget": 1, "model": "https://me:x@host/m?sig=x"})
    {'token_budget': 1, 'model': 'https://host/m'}
    """
    return {name: _cleared(value) for name, value in values.items() if not _SECRET.search(name)}


def _cleared(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, list | tuple):
        return [_cleared(one) for one in value]
    return _IN_ADDRESS.sub("", value) if isinstance(value, str) and "://" in value else value


def _flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Nested options by names with dots."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{before}{name}.")
        else:
            found[f"{before}{name}"] = (
                ",".join(map(str, value)) if isinstance(value, list) else value
            )
    return found
