"""Help on one screen, in panels and without cuts, and near misses for what does not exist.

Plain text rather than rich's boxes: help texts of plug-ins are not interpreted as markup, nothing
is cut, and nothing heavy is imported.
"""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from naysay.cli._synonyms import likely_command, likely_options
from naysay.core.errors import SpecError

_TYPES = {"int": "N", "int range": "N", "float": "X", "float range": "X", "path": "PATH"}
_OLDER = ("--out", "--page")  # spellings that are accepted and not shown
_RANGE = re.compile(r"\b(?:(?P<low>[\d.]+)<=)?x(?:>=(?P<least>[\d.]+)|<=(?P<high>[\d.]+))")
_WIDEST = 26  # names of options in their column; longer ones have a line of their own


class Command(TyperCommand):
    """A command whose help has a panel for each group of options."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the panels in the order in which their first options come."""
        _write_panels(self.get_params(ctx), ctx, formatter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments as NAME, or as [NAME] if they are not required."""
        pieces = super().collect_usage_pieces(ctx)
        plain = (re.sub(r"^\{(.*)\}", r"\1", piece) for piece in pieces)
        return [piece.upper() if piece.islower() else piece for piece in plain]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; for an option that does not exist, name those that may be meant."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            raise (_no_option(error, self, ctx) or error) from None


class Group(TyperGroup):
    """A group that lists its commands with their whole first sentences."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, then the commands."""
        _write_panels(self.get_params(ctx), ctx, formatter)
        rows = [(name, _sentence(self.commands[name])) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; for an option that does not exist, name those that may be meant."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            raise (_no_option(error, self, ctx) or error) from None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command; for one that does not exist, name the one that may be meant."""
        name = args[0]
        if name.startswith("-") or self.get_command(ctx, name) or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        asked = f"{_path(ctx)} {name}"
        if meant := likely_command(name, self.commands):
            raise SpecError(f"there is no {asked}; did you mean {_path(ctx)} {meant}?")
        raise SpecError(f"there is no {asked}; {_path(ctx)} --help lists all commands")


def _sentence(command: Any) -> str:
    """The first paragraph of a command's help, on one line."""
    paragraph = re.split(r"\n\s*\n", (command.help or "").strip())[0]
    return " ".join(paragraph.split()).rstrip(".")


def _path(ctx: Any) -> str:
    """The command as a user types it, also where it was called as a module."""
    words: list[str] = []
    while ctx.parent is not None:
        words.insert(0, str(ctx.info_name))
        ctx = ctx.parent
    return " ".join(["naysay", *words])


def _no_option(error: Exception, command: Any, ctx: Any) -> SpecError | None:
    """The error for an option that does not exist; None for other errors."""
    asked = getattr(error, "option_name", None)
    if type(error).__name__ != "NoSuchOption" or asked is None:
        return None
    known = [name for p in command.get_params(ctx) for name in (*p.opts, *p.secondary_opts)]
    meant = likely_options(str(asked), [name for name in known if name not in _OLDER])
    path = _path(ctx)
    if meant:
        return SpecError(f"{path} has no option {asked}; did you mean {' or '.join(meant)}?")
    return SpecError(f"{path} has no option {asked}; {path} --help lists all options")


def _write_panels(params: list[Any], ctx: Any, formatter: Any) -> None:
    panels: dict[str, list[tuple[str, str]]] = {}
    for param in params:
        if getattr(param, "hidden", False):
            continue
        usual = "Arguments" if param.param_type_name == "argument" else "Options"
        title = getattr(param, "rich_help_panel", None) or usual
        if param.name == "help" and usual not in panels and panels:
            title = next(iter(panels))
        panels.setdefault(title, []).append(_row(param, ctx))
    names = [name for rows in panels.values() for name, _ in rows if len(name) <= _WIDEST]
    width = max(map(len, names), default=0)
    for title, rows in panels.items():
        with formatter.section(typer.style(title, bold=True)):
            formatter.write_dl([(name.ljust(width), text) for name, text in rows])


def _row(param: Any, ctx: Any) -> tuple[str, str]:
    """The names of an option with the kind of its value, and what it is for."""
    _, text = param.get_help_record(ctx)
    text = _RANGE.sub(_in_words, re.sub(r"\s+", " ", text))
    if param.param_type_name == "argument":
        return param.display_name_raw.upper() if not param.metavar else param.metavar, text
    names = sorted((name for name in param.opts if name not in _OLDER), key=_is_long)
    if "--runs" in names:  # -o is an alias of it in some commands
        names = ["--runs"]
    both = [", ".join(names), *([", ".join(param.secondary_opts)] if param.secondary_opts else [])]
    kind = "" if param.is_flag or param.count else f" {_kind(param, ctx)}"
    return " / ".join(both) + kind, text


def _in_words(match: re.Match[str]) -> str:
    """A range of numbers in words.

    >>> [_RANGE.sub(_in_words, text) for text in ("[default: 5; x>=1]", "[0<=x<=1]", "[x<=9]")]
    ['[default: 5; at least 1]', '[0 to 1]', '[at most 9]']
    """
    low, high = match["low"] or match["least"], match["high"]
    return f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"


def _is_long(name: str) -> bool:
    return name.startswith("--")


def _kind(param: Any, ctx: Any) -> str:
    if param.metavar:
        return str(param.metavar)
    shown = str(param.display_type_rich(ctx)).strip("<>")
    inner = re.fullmatch(r"list\[(.*)\]", shown)
    return _TYPES.get(inner[1] if inner else shown, "TEXT")
