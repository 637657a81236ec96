"""The command line: one thin module per command, discovered automatically.

A command's module defines `COMMAND`, a function with typed options. The work is done elsewhere, by
functions that are also part of the Python API.
"""

from __future__ import annotations

import signal
import sys
from typing import Annotated, Any

import typer

from naysay.cli._group import group, names_in
from naysay.core import VERSION
from naysay.core.errors import NaysayError


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
