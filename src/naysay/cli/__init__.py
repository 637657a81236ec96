"""The command line: one thin file per command, found where they are.

A command's file holds `COMMAND`, a function with typed options. What it does stands elsewhere, as
a function that Python users call too.
"""

from __future__ import annotations

import importlib
import pkgutil
import signal
import sys
from typing import Annotated, Any

import typer

from naysay.errors import NaysayError
from naysay.version import VERSION

_SETTINGS = {
    "help_option_names": ["-h", "--help"],
    # --data_dir and --data-dir are the same to people, so they are to us.
    "token_normalize_func": lambda token: token.replace("_", "-"),
}


def command_names() -> list[str]:
    """The commands there are, by their files."""
    return [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]


def make_app() -> typer.Typer:
    """The command line with all its commands."""
    app = typer.Typer(
        name="naysay",
        context_settings=_SETTINGS,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_top)
    for name in command_names():
        command = importlib.import_module(f"{__name__}.{name}").COMMAND
        app.command(name=name, context_settings=_SETTINGS)(command)
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
