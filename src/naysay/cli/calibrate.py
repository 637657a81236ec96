"""`naysay calibrate`: can the suites tell which models are sensitive to negation?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Json, Out


def calibrate(
    suites: Annotated[
        str | None, typer.Option("-t", "--suites", help="Suites, comma-separated. [default: all]")
    ] = None,
    page: Annotated[Path, typer.Option(help="HTML report to write.")] = Path("calibration.html"),
    limit: Annotated[
        int, typer.Option(min=2, help="Units per suite, for example pairs of name and profession.")
    ] = 40,
    seed: Annotated[int, typer.Option(help="Seed for drawing items.")] = 0,
    rules_only: Annotated[
        bool, typer.Option("--rules-only", help="Use the rule-based models only.")
    ] = False,
    out: Out = Path("runs"),
    as_json: Json = False,
) -> None:
    """Check that each suite separates models that are sensitive to negation from others.

    Runs every suite on two models that are known to be sensitive to negation and on two that are
    not. Reports the differences with confidence intervals, here and as an HTML page.
    """
    from naysay.analysis.calibration import PAIRS
    from naysay.analysis.calibration import calibrate as separate
    from naysay.core.console import notify
    from naysay.core.paths import write_text
    from naysay.reports.calibration import calibration_page, overview, summary
    from naysay.reports.terminal import show_table

    names = None if suites is None else [name.strip() for name in suites.split(",")]
    pairs = tuple(PAIRS)[:1] if rules_only else tuple(PAIRS)
    found = list(separate(names, pairs=pairs, limit=limit, seed=seed, out=out, progress=notify))
    write_text(page, calibration_page(found))
    if as_json:
        print(json.dumps([one.as_dict() for one in found], indent=2, ensure_ascii=False))
    else:
        show_table(overview(found))
        print(summary(found))
        print(f"page: {page}")


COMMAND = calibrate
