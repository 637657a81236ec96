"""`naysay gate`: pass or fail a run, for CI of models under training."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._completion import runs as known_runs
from naysay.cli._output import RUNS, Json, Runs, Suites, run_argument


def gate(
    run: Annotated[str, run_argument(", apart from the baseline")],
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="Run to compare with, or 'published'.", autocompletion=known_runs
        ),
    ] = None,
    rule: Annotated[
        str,
        typer.Option(
            help="inferior: fail if a loss beyond the margin is shown; non-inferior: fail unless "
            "such a loss is ruled out."
        ),
    ] = "inferior",
    margin: Annotated[float, typer.Option(help="Percentage points that a figure may lose.")] = 2.0,
    coverage: Annotated[
        float,
        typer.Option(
            metavar="PERCENT", help="Percentage of the baseline's items that must be compared."
        ),
    ] = 50.0,
    suites: Suites = None,
    least: Annotated[
        list[str] | None,
        typer.Option(
            "--min", metavar="TABLE.CONDITION=VALUE", help="Minimum for a figure; repeatable."
        ),
    ] = None,
    most: Annotated[
        list[str] | None,
        typer.Option(
            "--max", metavar="TABLE.CONDITION=VALUE", help="Maximum for a figure; repeatable."
        ),
    ] = None,
    hard: Annotated[
        Path | None,
        typer.Option(help="Items that must be right: a text file with one key per line, or TOML."),
    ] = None,
    as_model: Annotated[
        str | None,
        typer.Option("--as", help="With --baseline published: the paper's model to compare with."),
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the checks as JUnit XML.")] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print failures as GitHub Actions annotations.")
    ] = False,
    folder: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Check a run against a baseline or thresholds; exit with status 1 if a check fails.

    GITHUB_ACTIONS=true implies --github. If GITHUB_STEP_SUMMARY is set, a summary is appended to
    that file.
    """
    from naysay.analysis.gate import gate as check
    from naysay.analysis.thresholds import Floor
    from naysay.core.paths import write_text
    from naysay.reports.gate import append_summary, github_lines, show
    from naysay.reports.gate import junit as junit_of

    floors = [
        Floor.of(kind, text)
        for kind, texts in (("min", least), ("max", most))
        for text in texts or ()
    ]
    found = check(
        run,
        baseline,
        folder,
        rule=rule,
        margin=margin,
        coverage=coverage,
        suites=[name.strip() for name in suites.split(",")] if suites else None,
        floors=floors,
        hard=hard,
        as_model=as_model,
    )
    if junit is not None:
        write_text(junit, junit_of(found))
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        append_summary(found, Path(summary))
    if as_json:
        print(json.dumps(found.as_dict(), ensure_ascii=False, allow_nan=False))
    else:
        show(found)
        if github or os.environ.get("GITHUB_ACTIONS") == "true":
            print("\n".join(github_lines(found)))
    if not found.passed:
        raise typer.Exit(1)


COMMAND = gate
