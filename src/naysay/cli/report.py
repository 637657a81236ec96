"""`naysay report`: the tables of several runs as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    runs: Annotated[list[str], typer.Argument(help="Runs: folders, names or keys.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Page to write; printed if not given.")
    ] = None,
    folder: Annotated[Path, typer.Option("--runs", help="Folder of runs.")] = Path("runs"),
) -> None:
    """Put the tables of several runs on one Markdown page."""
    from naysay.evaluation import judge
    from naysay.report.markdown import markdown
    from naysay.store.files import write_text

    text = markdown([judge(run, folder) for run in runs])
    if out is None:
        print(text)
    else:
        write_text(out, text)
        print(f"written: {out}")


COMMAND = report
