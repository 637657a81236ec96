"""What a shell offers to complete: suites, models and runs, without heavy imports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import typer


def suites(incomplete: str) -> list[str]:
    """Suites for a comma-separated option; what is typed before the last comma stays.

    >>> suites("scnt,scnt_t")
    ['scnt,scnt_table2']
    """
    from naysay.suites import SUITES

    before, comma, last = incomplete.rpartition(",")
    named = before.split(",")
    return [
        f"{before}{comma}{name}"
        for name in SUITES.names()
        if name.startswith(last) and name not in named
    ]


def models(incomplete: str) -> list[str]:
    """Aliases, rule-based models, kinds of model, and folders and GGUF files."""
    from naysay.models import ADAPTERS
    from naysay.models.files.weights import KNOWN, SHIPPED
    from naysay.models.files.wheels import WHEELS

    kinds = [f"{prefix}:" for adapter in ADAPTERS.all() for prefix in adapter.prefixes]
    named = [*KNOWN, *SHIPPED, *WHEELS, *kinds, *_paths(incomplete)]
    return [name for name in dict.fromkeys(named) if name.startswith(incomplete)]


def _paths(incomplete: str) -> Iterator[str]:
    """Folders that contain a model, folders on the way to one, and GGUF files."""
    folder = incomplete.rpartition("/")[0]
    try:
        found = sorted(Path(folder or ("/" if incomplete.startswith("/") else ".")).iterdir())
    except OSError:
        return
    for path in found:
        if path.name.startswith("."):
            continue
        name = f"{folder}/{path.name}" if "/" in incomplete else path.name
        if path.suffix == ".gguf" or (path / "config.json").is_file():
            yield name
        elif path.is_dir() and "/" in incomplete:
            yield f"{name}/"


def runs(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Models that have runs, then folders and keys, with what each is."""
    from naysay.run.store import find_runs

    folder = ctx.params.get("folder") or "runs"
    found = find_runs(Path(folder))
    offered: dict[str, str] = {}
    for run in reversed(found):
        model, suites = str(run.model["name"]), ", ".join(run.planned)
        offered.setdefault(model, f"the newest run of it, {run.key} ({suites})")
    for run in found:
        offered.setdefault(str(run.folder), f"{run.model['name']} ({', '.join(run.planned)})")
        if incomplete:
            offered.setdefault(run.key, f"{run.model['name']} ({', '.join(run.planned)})")
    return [(name, about) for name, about in offered.items() if name.startswith(incomplete)]
