"""The command line: one thin module per command, discovered automatically.

A command's module defines `COMMAND`, a function with typed options. The work is done elsewhere, by
functions that are also part of the Python API.
"""

from __future__ import annotations

import importlib
import pkgutil
import signal
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from naysay.core import VERSION
from naysay.core.errors import NaysayError

SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    # Accept --data_dir as a spelling of --data-dir.
    "token_normalize_func": lambda token: token.replace("_", "-"),
}


def names_in(package: str, places: Iterable[str]) -> list[str]:
    """Return the names of all commands; a command in a group is prefixed with the group's name."""
    found = []
    for info in _files(places):
        if info.ispkg:
            inner = importlib.import_module(f"{package}.{info.name}")
            found += [f"{info.name} {name}" for name in names_in(inner.__name__, inner.__path__)]
        else:
            found.append(info.name)
    return found


def _files(places: Iterable[str]) -> list[pkgutil.ModuleInfo]:
    return [info for info in pkgutil.iter_modules(places) if not info.name.startswith("_")]


def group(package: str, places: Iterable[str], summary: str | None = None) -> typer.Typer:
    """Build a group of commands, one for each module of a package."""
    app = typer.Typer(
        context_settings=SETTINGS,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    if summary is not None:
        app.info.help = summary
    for name in (info.name for info in _files(places)):
        command = importlib.import_module(f"{package}.{name}").COMMAND
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name=name, context_settings=SETTINGS)(command)
    return app


def command_names() -> list[str]:
    """Return the names of all commands; a command in a group is prefixed with the group's name."""
    return names_in(__name__, __path__)


def make_app() -> typer.Typer:
    """Build the command line with all its commands."""
    app = group(__name__, __path__)
    app.callback()(_top)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"naysay {VERSION}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Test whether language models understand negation.

    Try: naysay run -m known:blind -t scnt --limit 50
    """


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; print errors the user can fix without a traceback and exit with 2."""
    signal.signal(signal.SIGTERM, _interrupt)  # how cluster schedulers stop a job
    try:
        make_app()()
    except NaysayError as error:
        print(f"naysay: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone, which is not an error
        sys.exit(0)
