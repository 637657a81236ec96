"""`naysay report`: the tables of several runs as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Out


def report(
    runs: Annotated[list[str], typer.Argument(help="Runs: folders, names or keys.")],
    page: Annotated[
        Path | None, typer.Option("--to", help="File to write; printed if not given.")
    ] = None,
    out: Out = Path("runs"),
) -> None:
    """Put the tables of several runs on one Markdown page."""
    from naysay.evaluation import judge
    from naysay.report.markdown import markdown
    from naysay.store.files import write_text

    text = markdown([judge(run, out) for run in runs])
    if page is None:
        print(text)
    else:
        write_text(page, text)
        print(f"written: {page}")


COMMAND = report
