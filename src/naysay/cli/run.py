"""`naysay run`: test a model.

Its options are those that the run, the suites and the adapters declare, so an installed plugin
adds its own.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from naysay.cli._output import Json, present
from naysay.core.options import Declaration, declarations
from naysay.core.spec import RunSpec

_AT_A_GLANCE = 30  # units per suite if no model is given: enough for a first look
_SHOWN = 4  # suites and adapters listed in the help of an option


def run(
    spec_file: Annotated[
        Path | None,
        typer.Argument(metavar="[SPEC.toml]", help="Spec file; options override it."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("-m", "--model", help="Hub name, folder, .gguf file, alias or known:RULE."),
    ] = None,
    suites: Annotated[
        str | None,
        typer.Option("-t", "--suites", help="Suites, comma-separated; see naysay ls suites."),
    ] = None,
    as_json: Json = False,
    **typed: Any,
) -> None:
    """Test a model and print its figures next to the published ones.

    To resume an interrupted run, run the same command again.
    """
    from naysay.api import evaluate
    from naysay.core.console import suited_progress
    from naysay.run.evaluation import default_model
    from naysay.run.options import read_spec_file

    given = {name: value for name, value in _values(typed).items() if value is not None}
    filed: dict[str, Any] = {"model": None, "suites": None, "given": {}, "tables": {}}
    if spec_file is not None:
        filed = read_spec_file(spec_file)
    given = {**filed["given"], **given}
    model = model or filed["model"]
    chosen = filed["suites"] if suites is None else [part.strip() for part in suites.split(",")]
    if model is None:
        model = default_model()
        given.setdefault("limit", _AT_A_GLANCE)
        print(
            f"no model given: testing {model}, which is sensitive to negation, "
            f"with --limit {given['limit']}",
            file=sys.stderr,
        )
    try:
        evaluation = evaluate(
            model, chosen, progress=suited_progress(), tables=filed["tables"], **given
        )
    except KeyboardInterrupt:
        print(
            "naysay: stopped. Finished shards are kept; the same command resumes the run.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    present(evaluation, as_json=as_json)


def _declared() -> dict[str, tuple[Declaration, list[str]]]:
    """Return every option of the command, with the suites and adapters that read it."""
    from naysay.run.options import declared_options

    shared: dict[str, tuple[Declaration, list[str]]] = {
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


def _parameter(declared: Declaration, readers: list[str]) -> inspect.Parameter:
    """Make a command-line option; its declaration validates the value."""
    about = declared.help
    if readers:
        more = ", …" if len(readers) > _SHOWN else ""
        about = f"{', '.join(readers[:_SHOWN])}{more}: {about}"
    if declared.choices:
        about = f"{about} ({', '.join(declared.choices)})"
    names = ["-o", "--out"] if declared.name == "out" else [declared.flag]
    if declared.default not in (None, False):
        default = declared.default
        about = f"{about} [default: {','.join(map(str, default)) if declared.several else default}]"
    kind: Any = bool if declared.kind is bool else str | None
    option = typer.Option(*names, help=about, show_default=False, metavar=_metavar(declared))
    return inspect.Parameter(
        declared.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if declared.kind is bool else None,
        annotation=Annotated[kind, option],
    )


def _metavar(declared: Declaration) -> str | None:
    if declared.kind is bool:
        return None
    word = {int: "N", float: "X", Path: "PATH"}.get(declared.kind, "TEXT")
    return f"{word},…" if declared.several else word


def _command() -> Any:
    """Build the command with a parameter for every declared option."""
    signature = inspect.signature(run, eval_str=True)
    fixed = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    options = [_parameter(declared, readers) for declared, readers in _declared().values()]
    positional = [p for p in fixed if p.name != "as_json"]
    json = [p.replace(kind=p.KEYWORD_ONLY) for p in fixed if p.name == "as_json"]

    def command(**values: Any) -> None:
        run(**values)

    command.__doc__ = run.__doc__
    command.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*positional, *options, *json]
    )
    command.__annotations__ = {
        p.name: p.annotation
        for p in command.__signature__.parameters.values()  # type: ignore[attr-defined]
    }
    return command


COMMAND = _command()
