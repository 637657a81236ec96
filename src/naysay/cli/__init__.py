"""The command line: one thin file per command, found where they are.

A command's file holds `COMMAND`, a function with typed options. What it does stands elsewhere, as
a function that Python users call too.
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
    """The commands there are, by their files; those of a group with its name before them."""
    return names_in(__name__, __path__)


def make_app() -> typer.Typer:
    """The command line with all its commands."""
    app = group(__name__, __path__)
    app.callback()(_top)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"naysay {VERSION}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Version.")
    ] = False,
) -> None:
    """Tells whether a language model understands not.

    Try: naysay run -m known:blind -t scnt --limit 50
    """


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; what the user can mend is said in plain words, with exit code 2."""
    signal.signal(signal.SIGTERM, _interrupt)  # a cluster's way of saying Ctrl-C
    try:
        make_app()()
    except NaysayError as error:
        print(f"naysay: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; that is no error of ours
        sys.exit(0)
