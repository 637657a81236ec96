"""`naysay compare`: compare runs on the items they have in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import OUTPUT, RUNS, Json, Repetition, Runs, Suites, runs_argument
from naysay.core.errors import SpecError

_FORMS = (".md", ".csv", ".json")


def compare(
    runs: Annotated[list[str], runs_argument("The first is the baseline.")],
    suites: Suites = None,
    show: Annotated[int, typer.Option(help="Flipped items to print per table.")] = 4,
    flips: Annotated[
        Path | None,
        typer.Option(help="Write all flipped items with both answers to this CSV file."),
    ] = None,
    repetition: Repetition = None,
    out: Annotated[
        Path | None, typer.Option(*OUTPUT, help="Output file: .md, .csv or .json.")
    ] = None,
    folder: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Compare runs on the items they have in common.

    Reports for each figure the paired difference, its confidence interval and p-value by clusters
    (Holm-adjusted within each table), and the minimum detectable difference. Figures with too few
    common items are compared unpaired, on each run's own items.
    """
    from naysay.analysis import compare as compare_runs
    from naysay.core.paths import write_text

    if out is not None and out.suffix not in _FORMS:
        raise SpecError(f"--output {out}: the file name must end in {', '.join(_FORMS)}")
    named = [name.strip() for name in suites.split(",")] if suites else None
    found = compare_runs(runs, folder, suites=named, repetition=repetition)
    record = json.dumps(found.as_dict(), ensure_ascii=False, allow_nan=False)
    if flips is not None:
        from naysay.analysis.flips import as_csv as flips_as_csv

        write_text(flips, flips_as_csv(found))
    if out is not None:
        from naysay.reports.comparison import as_csv, as_markdown

        made = {".md": as_markdown, ".csv": as_csv}
        write_text(out, made[out.suffix](found) if out.suffix in made else f"{record}\n")
    if as_json:
        print(record)
        return
    from naysay.reports.comparison import show as show_tables

    show_tables(found, show)
    for path in (out, flips):
        if path is not None:
            print(f"written: {path}")


COMMAND = compare
