"""The command line: one thin module per command, discovered automatically.

A command's module defines `COMMAND`, a function with typed options. The work is done elsewhere, by
functions that are also part of the Python API.
"""

from __future__ import annotations

import codecs
import importlib
import io
import pkgutil
import signal
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from naysay.cli._help import Command, Group
from naysay.core import VERSION
from naysay.core.console import notify, plain_streams
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


def group(
    package: str, places: Iterable[str], summary: str | None = None, *, complete: bool = False
) -> typer.Typer:
    """Build a group of commands, one for each module of a package.

    With `complete`, the group has the options that install completion into a shell.
    """
    app = typer.Typer(
        cls=Group,
        context_settings=SETTINGS,
        no_args_is_help=True,
        add_completion=complete,
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
            app.command(name=name, cls=Command, context_settings=SETTINGS)(command)
    return app


def command_names() -> list[str]:
    """Return the names of all commands; a command in a group is prefixed with the group's name."""
    return names_in(__name__, __path__)


def make_app() -> typer.Typer:
    """Build the command line with all its commands."""
    app = group(__name__, __path__, complete=True)
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
            "-V", "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Test whether language models understand negation.

    \b
    Try: naysay run -m known:blind -t scnt --limit 50
         naysay report -o report.html
    """


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Replace what a terminal's encoding lacks by its number, as JSON does, so JSON stays JSON."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    units = [letters[k : k + 2].hex() for k in range(0, len(letters), 2)]
    return "".join("-" if unit == "2500" else f"\\u{unit}" for unit in units), error.end


def main() -> None:
    """Run the command line; print errors the user can fix without a traceback and exit with 2."""
    signal.signal(signal.SIGTERM, _interrupt)  # how cluster schedulers stop a job
    codecs.register_error("naysay", _escape)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="naysay")
    try:
        with plain_streams():
            make_app()(prog_name="naysay")
    except NaysayError as error:
        notify(f"naysay: {error}")
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone, which is not an error
        sys.exit(0)
