"""`naysay open`: show the newest report in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._browser import DEFAULT_PAGE, show_page
from naysay.cli._output import RUNS, Runs, readable_runs
from naysay.core.errors import RunError


def open_(
    page: Annotated[
        Path | None,
        typer.Argument(
            metavar="REPORT",
            help="Page to open. [default: the newest here or in the folder of runs]",
        ),
    ] = None,
    folder: Runs = RUNS,
) -> None:
    """Open the newest report in the browser.

    If there is none, or a run has finished since, a report of all finished runs is made first.
    """
    from naysay.cli.report import report
    from naysay.reports.page import is_page
    from naysay.run.manifest import NAME

    if page is None:
        page = _newest_page((Path(), folder))
        finished = [m.path(NAME).stat().st_mtime for m in readable_runs(folder) if m.finished]
        if page is None or max(finished, default=0.0) > page.stat().st_mtime:
            if DEFAULT_PAGE.exists() and not is_page(DEFAULT_PAGE):
                raise RunError(
                    f"{DEFAULT_PAGE} is not a page of naysay's and is left as it is: write the "
                    "report elsewhere, with naysay report --open -o FILE"
                )
            report(out=DEFAULT_PAGE, folder=folder)
            page = DEFAULT_PAGE
    elif not page.is_file():
        raise RunError(f"{page} does not exist: naysay report -o {page} --open makes it")
    show_page(page)


def _newest_page(folders: tuple[Path, ...]) -> Path | None:
    from naysay.reports.page import is_page

    files = (file for folder in folders for file in folder.glob("*.html"))
    found = [file for file in files if is_page(file)]
    return max(found, key=lambda file: (file.stat().st_mtime, str(file)), default=None)


COMMAND = open_
