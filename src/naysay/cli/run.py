"""`naysay run`: test models.

Its options are those that the run, the suites and the adapters declare, so an installed plugin
adds its own.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from naysay.cli._completion import models as known_models
from naysay.cli._completion import suites as known_suites
from naysay.cli._options import COMMON, COMPUTING, panels, parameter
from naysay.cli._output import FULL_HELP, present
from naysay.core.console import Lines, Progress, notify, suited_progress
from naysay.core.errors import NaysayError, NotLoggedError, SpecError
from naysay.core.options import declarations
from naysay.core.spec import PLACEMENT, RunSpec

if TYPE_CHECKING:
    from concurrent.futures import Future

    from naysay.reports.loggers import Logger
    from naysay.run.evaluation import Evaluation
    from naysay.run.executors import Executor
    from naysay.run.options import Declared

_AT_A_GLANCE = 30  # units per suite if no model is given: enough for a first look


def run(
    spec_file: Annotated[
        Path | None,
        typer.Argument(
            metavar="SPEC.toml", help="Spec file; options override it.", rich_help_panel=COMMON
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--model",
            metavar="NAME",
            rich_help_panel=COMMON,
            autocompletion=known_models,
            help="Hub name, folder, GGUF, alias, server:URL; repeatable.",
        ),
    ] = None,
    suites: Annotated[
        str | None,
        typer.Option(
            "-t",
            "--suites",
            metavar="NAMES",
            rich_help_panel=COMMON,
            autocompletion=known_suites,
            help="See naysay ls suites. [default: all that fit]",
        ),
    ] = None,
    log: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES", rich_help_panel=COMMON, help="Log figures, too: wandb or mlflow."
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help=FULL_HELP, rich_help_panel=COMMON)] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of tables.", rich_help_panel=COMMON)
    ] = False,
    **typed: Any,
) -> None:
    """Test models and print their figures next to the published ones.

    \b
      naysay run -m bert-base-cased -t scnt --limit 50
      naysay run -m path/to/folder -m mini-aware    two models, all suites
    The same command resumes an interrupted run.
    """
    from naysay.reports.loggers import loggers_of
    from naysay.run.evaluation import default_model
    from naysay.run.options import read_spec_file
    from naysay.suites import SUITES

    loggers = loggers_of(log or [])  # before any work
    given = {name: value for name, value in _values(typed).items() if value is not None}
    filed: dict[str, Any] = dict.fromkeys(("models", "suites", "seeds"))
    filed |= {"given": {}, "tables": {}}
    if spec_file is not None:
        filed = read_spec_file(spec_file)
    given = {**filed["given"], **given}
    models = list(dict.fromkeys(models or filed["models"] or ()))
    seeds = [given.pop("seed")] if "seed" in given else filed["seeds"] or [0]
    chosen = filed["suites"] if suites is None else [part.strip() for part in suites.split(",")]
    for name in chosen or ():
        SUITES.get(name)  # what does not exist is refused before anything is announced
    if not models:
        models = [default_model()]
        given.setdefault("limit", _AT_A_GLANCE)
        notify(
            f"no model given: testing {models[0]}, which understands negation,\n"
            f"with --limit {given['limit']}"
        )
    if len(models) > 1 and given.get("revision"):
        raise SpecError("--revision is for one model; of several, give each as -m NAME@REVISION")
    cases = [Case(model, seed, len(seeds) > 1) for model in models for seed in seeds]
    test = partial(_tested, suites=chosen, tables=filed["tables"], given=given)
    try:
        if len(cases) == 1:
            evaluation = test(cases[0], progress=suited_progress())
            present(evaluation, as_json=as_json, full=full)
            for logger in loggers:
                logger(evaluation)
        else:
            _run_each(cases, test, given, as_json=as_json, full=full, loggers=loggers)
    except KeyboardInterrupt:
        print(
            "naysay: stopped. Finished shards are kept (naysay ls runs), unfinished ones are asked "
            "again; the same command resumes the run.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None


@dataclass(frozen=True)
class Case:
    """One of the runs that the command makes: a model, and the seed of what it is asked."""

    model: str
    seed: int
    one_of_several: bool
    """Whether the model has runs with other seeds, too."""

    def __str__(self) -> str:
        return f"{self.model}, seed {self.seed}" if self.one_of_several else self.model


def _tested(
    case: Case,
    *,
    suites: list[str] | None,
    tables: Any,
    given: dict[str, Any],
    progress: Progress,
    placed_by: Executor | None = None,
) -> Evaluation:
    from naysay.api import evaluate

    return evaluate(
        case.model, suites, progress=progress, tables=tables, seed=case.seed, placed_by=placed_by,
        **given,
    )  # fmt: skip


def _run_each(
    cases: list[Case],
    test: Callable[..., Evaluation],
    given: dict[str, Any],
    *,
    as_json: bool,
    full: bool,
    loggers: Sequence[Logger],
) -> None:
    """Make the runs, on a cluster side by side; one that fails does not stop the others.

    Results are shown in the order of the cases.
    """
    from naysay.run.executors import executor_of

    what = "model" if not cases[0].one_of_several else "run"
    begun: list[tuple[Case, Future[Evaluation]]] = []
    done: list[dict[str, Any]] = []
    faults: dict[str, tuple[str, int]] = {}
    """By what is wrong: the line for the first model, and how many had been tested before."""

    def show(case: Case, outcome: Future[Evaluation]) -> None:
        try:
            evaluation = outcome.result()
            done.append(evaluation.as_dict())
            if not as_json:
                present(evaluation, as_json=False, full=full)
            for logger in loggers:
                logger(evaluation)
        except NaysayError as error:
            if str(error) not in faults:  # a fault of the command itself is said once
                notify(f"naysay: {case}: {error}")
            missing = "logged" if isinstance(error, NotLoggedError) else "tested"
            faults.setdefault(str(error), (f"not {missing}: {case}", len(done)))

    place = {name: given[name] for name in given if name in PLACEMENT}
    with executor_of(RunSpec(model=cases[0].model, suites=("all",), **place)) as executor:
        for number, case in enumerate(cases, 1):
            notify(f"{case}: {what} {number} of {len(cases)}")
            # Bars of several runs would overwrite each other.
            progress = Lines(sys.stderr, f"{case}: ") if executor.together else suited_progress()
            run = partial(test, case, progress=progress, placed_by=executor)
            begun.append((case, executor.start(run)))
            while begun and begun[0][1].done():
                show(*begun.pop(0))
        for case, outcome in begun:
            show(case, outcome)
    if as_json and done:
        print(json.dumps(done, ensure_ascii=False, allow_nan=False))
    for fault, (first, earlier) in faults.items():
        if len(done) > earlier:  # a later model's results may have pushed it off the screen
            notify(f"naysay: {first}: {fault}")
    if faults:
        raise typer.Exit(2)


def _declared() -> dict[str, Declared]:
    """Return every option of the command, with the suites and adapters that read it."""
    from naysay.run.options import declared_options

    shared: dict[str, Declared] = {
        name: (declared, []) for name, declared in declarations(RunSpec).items()
    }
    return {**shared, **declared_options()}


def _values(typed: dict[str, Any]) -> dict[str, Any]:
    """Parse the options as declared; an option that was not given is None."""
    values = {}
    for name, (declared, _) in _declared().items():
        text = typed.get(name)
        values[name] = declared.parse(text) if isinstance(text, str) else text or None
    return values


def _command() -> Any:
    """Build the command with a parameter for every declared option."""
    signature = inspect.signature(run, eval_str=True)
    fixed = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    declared = _declared()
    where = panels(declared)
    order = list(dict.fromkeys([COMMON, COMPUTING, *(panel for panel, _ in where.values())]))
    named = sorted(declared, key=lambda name: (order.index(where[name][0]), where[name][1]))
    options = [parameter(declared[name][0], *where[name]) for name in named]
    # Flags come after the options with values, which are declared elsewhere.
    flags = [p.replace(kind=p.KEYWORD_ONLY) for p in fixed if p.default is False]
    positional = [p for p in fixed if p.default is not False]

    def command(**values: Any) -> None:
        run(**values)

    command.__doc__ = run.__doc__
    command.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*positional, *options, *flags]
    )
    command.__annotations__ = {
        p.name: p.annotation
        for p in command.__signature__.parameters.values()  # type: ignore[attr-defined]
    }
    return command


COMMAND = _command()
