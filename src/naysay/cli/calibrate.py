"""`naysay calibrate`: can the suites tell which models are sensitive to negation?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import OUTPUT, RUNS, Json, Runs, Suites
from naysay.core.errors import SpecError
from naysay.core.extras import need


def calibrate(
    suites: Suites = None,
    page: Annotated[Path, typer.Option(*OUTPUT, "--page", help="HTML page to write.")] = Path(
        "calibration.html"
    ),
    limit: Annotated[
        int, typer.Option(min=2, help="Units per suite, for example pairs of name and profession.")
    ] = 40,
    seed: Annotated[int, typer.Option(help="Seed for drawing items.")] = 0,
    rules_only: Annotated[
        bool, typer.Option("--rules-only", help="Use the rule-based models only.")
    ] = False,
    folder: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Check that each suite separates models that are sensitive to negation from others.

    Runs every suite on two models that are known to be sensitive to negation and on two that are
    not. Reports the differences with confidence intervals, here and as an HTML page.
    """
    if page.is_dir():
        raise SpecError(f"--output {page} is a folder: name a page; the folder of runs is --runs")
    need("report", "the page of naysay calibrate")
    if not rules_only:
        need("hf", "naysay calibrate without --rules-only")
    from naysay.analysis.calibration import PAIRS
    from naysay.analysis.calibration import calibrate as separate
    from naysay.core.console import Silent, has_bars, notify, suited_progress
    from naysay.core.paths import write_text
    from naysay.reports.calibration import calibration_page, overview, summary
    from naysay.reports.terminal import show_table

    names = None if suites is None else [name.strip() for name in suites.split(",")]
    pairs = tuple(PAIRS)[:1] if rules_only else tuple(PAIRS)
    found = list(
        separate(
            names, pairs=pairs, limit=limit, seed=seed, out=folder, report=notify,
            # In a log, the line per model is enough.
            progress=suited_progress if has_bars() else Silent,
        )
    )  # fmt: skip
    write_text(page, calibration_page(found))
    if as_json:
        print(json.dumps([one.as_dict() for one in found], indent=2, ensure_ascii=False))
    else:
        show_table(replace(overview(found), notes=(summary(found),)))
        print(f"page: {page}")


COMMAND = calibrate
