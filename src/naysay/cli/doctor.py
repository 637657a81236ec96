"""`naysay doctor`: what naysay finds on this machine, and what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from naysay.cli._output import RUNS, Json, OnlyRuns

_SIGNS = {"good": ("✓", "green"), "absent": ("·", "dim"), "fault": ("✗", "red")}


def doctor(
    folder: OnlyRuns = RUNS,
    trial: Annotated[
        bool, typer.Option(help="Try the processor's precision, in another process.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Show libraries, device, plug-ins, caches, data sets and runs, and what is wrong with them."""
    from naysay.run.health import examine

    found = list(examine(folder, trial=trial))
    if as_json:
        print(json.dumps([asdict(check) for check in found], ensure_ascii=False))
    else:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        from naysay.reports.terminal import safe_text

        table = Table(box=None, show_header=False, pad_edge=False)
        for check in found:
            sign, colour = _SIGNS[check.state]
            table.add_row(Text(sign, colour), safe_text(check.about), safe_text(check.found))
        Console().print(table)
    if any(check.state == "fault" for check in found):
        raise typer.Exit(1)


COMMAND = doctor
