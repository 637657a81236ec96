"""Declared options as options of a command, in panels of the suites and adapters that read them."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from naysay.cli._output import OUTPUT
from naysay.core.options import JUDGED, PLACE, Declaration

if TYPE_CHECKING:
    from naysay.run.options import Declared

COMMON, COMPUTING = "Common options", "Computing"
_PANEL = 3  # options that the same suites or adapters read, for a panel of their own


def panels(declared: Mapping[str, Declared]) -> dict[str, tuple[str, str]]:
    """Return the panel of each option, and which part of the panel's suites or adapters reads it.

    Options that the same ones read share a panel. Where they are few, they join the smallest panel
    whose suites or adapters include theirs.
    """
    readers = {
        name: frozenset(read)
        for name, (one, read) in declared.items()
        if read and one.role != JUDGED
    }
    counts = Counter(readers.values())
    own = [
        group
        for group, count in counts.items()
        if count >= _PANEL or not any(group < other for other in counts)
    ]
    every = {reader for group in readers.values() for reader in group}
    found = {}
    for name, (one, read) in declared.items():
        if not read:
            computing = name == "precision" or (one.role == PLACE and name != "out")
            found[name] = (COMPUTING if computing else COMMON, "")
        elif one.role == JUDGED:
            found[name] = (COMMON, "")
        else:
            group = min((g for g in own if g >= readers[name]), key=len)
            part = "" if group == readers[name] else f" ({_part(read, group)})"
            found[name] = (_short(sorted(group), every), part)
    return found


def _part(readers: Collection[str], group: Collection[str]) -> str:
    """Say which of a group read an option, or which do not, if these end alike.

    >>> _part(["facts", "pairs"], ["facts", "facts_chat", "pairs", "pairs_chat"])
    'not *_chat'
    """
    others = set(group) - set(readers)
    endings = {name.rpartition("_")[2] for name in others}
    if len(others) > 1 and len(endings) == 1:
        ending = f"_{endings.pop()}"
        if all(name.endswith(ending) == (name in others) for name in group):
            return f"not *{ending}"
    return _short(readers, group)


def _short(readers: Collection[str], group: Collection[str]) -> str:
    """Shorten a list of suites or adapters by a star for all of the group that begin alike.

    >>> _short(["facts", "facts_primed"], ["facts", "facts_primed", "pairs"])
    'facts*'
    >>> _short(["facts", "pairs"], ["facts", "facts_primed", "pairs"])
    'facts, pairs'
    """
    found: dict[str, None] = {}
    for name in readers:
        stem = name.partition("_")[0]
        alike = {other for other in group if other == stem or other.startswith(f"{stem}_")}
        found[f"{stem}*" if len(alike) > 1 and alike <= set(readers) else name] = None
    return ", ".join(found)


def parameter(declared: Declaration, panel: str, part: str) -> inspect.Parameter:
    """Make a command-line option; its declaration validates the value."""
    about, default = declared.help, declared.default
    if declared.choices:
        usual = default if declared.several else (default,)
        listed = (f"{c} (default)" if c in (usual or ()) else c for c in declared.choices)
        about = f"{about.rstrip('.')}: {', '.join(listed)}."
    elif default is not None and default is not False:
        about = f"{about} [default: {','.join(map(str, default)) if declared.several else default}]"
    names = [declared.flag, *OUTPUT] if declared.name == "out" else [declared.flag]
    kind: Any = bool if declared.kind is bool else str | None
    option = typer.Option(
        *names, help=about + part, show_default=False, metavar=_metavar(declared),
        rich_help_panel=panel,
    )  # fmt: skip
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
    return f"{word},{word}" if declared.several else word
