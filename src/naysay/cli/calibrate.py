"""`naysay calibrate`: can the tests tell who minds negation?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Json, Out


def calibrate(
    suites: Annotated[
        str | None, typer.Option("-t", "--suites", help="Suites, by commas; all if not given.")
    ] = None,
    page: Annotated[Path, typer.Option(help="The page to write.")] = Path("calibration.html"),
    limit: Annotated[
        int, typer.Option(min=2, help="Pairs of name and profession, or as much of others.")
    ] = 40,
    seed: Annotated[int, typer.Option(help="Decides which items are drawn.")] = 0,
    rules_only: Annotated[
        bool, typer.Option("--rules-only", help="Ask no models with weights.")
    ] = False,
    out: Out = Path("runs"),
    as_json: Json = False,
) -> None:
    """Give every suite two models that are known to mind negation, and two that do not.

    Shows how far apart each suite puts them, with intervals, here and on one page.
    """
    from naysay.analysis.calibration import PAIRS
    from naysay.analysis.calibration import calibrate as separate
    from naysay.core.console import tell
    from naysay.core.paths import write_text
    from naysay.reports.calibration import calibration_page, overview, summary
    from naysay.reports.terminal import show_table

    names = None if suites is None else [name.strip() for name in suites.split(",")]
    pairs = tuple(PAIRS)[:1] if rules_only else tuple(PAIRS)
    found = list(separate(names, pairs=pairs, limit=limit, seed=seed, out=out, progress=tell))
    write_text(page, calibration_page(found))
    if as_json:
        print(json.dumps([one.as_dict() for one in found], indent=2, ensure_ascii=False))
    else:
        show_table(overview(found))
        print(summary(found))
        print(f"page: {page}")


COMMAND = calibrate
