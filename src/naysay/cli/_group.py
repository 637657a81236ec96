"""Discovery of commands by module, for the whole command line and for groups within it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from typing import Any

import typer

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
