"""`naysay report`: report several runs as an HTML page, as tables, or as charts."""

from __future__ import annotations

import pydoc
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._browser import DEFAULT_PAGE, show_page
from naysay.cli._output import OUTPUT, RUNS, Runs, readable_runs, runs_argument
from naysay.core.console import counted, notify, visible
from naysay.core.errors import NaysayError, RunError, SpecError


def report(
    runs: Annotated[
        list[str] | None,
        runs_argument("[default: all finished runs]"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            *OUTPUT,
            help="Output file: .html, .md, .tex, .csv or .parquet. [default: print Markdown]",
        ),
    ] = None,
    charts: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the charts as PNG and SVG to this directory."),
    ] = None,
    show: Annotated[
        bool,
        typer.Option("--open", help=f"Open the page in the browser; without -o, {DEFAULT_PAGE}."),
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="In .tex: all tables of all runs, not one per suite.")
    ] = False,
    folder: Runs = RUNS,
) -> None:  # fmt: skip
    """Report several runs together: a self-contained HTML page, tables or charts."""
    from naysay.reports.formats import need_pages, writer_for
    from naysay.reports.markdown import markdown
    from naysay.run.evaluation import judge
    from naysay.run.lookup import find_each

    if show:
        out = out or DEFAULT_PAGE
        if out.suffix.lower() != ".html":
            raise SpecError(f"--open shows pages, and {out} is none: let it end in .html")
    write = None if out is None else writer_for(out, full=full)
    if charts is not None:
        need_pages()
    if runs:
        manifests = find_each(runs, folder)
    else:
        manifests = [manifest for manifest in readable_runs(folder) if manifest.finished]
        manifests.sort(key=lambda manifest: (manifest.started, manifest.folder.name))
    if not manifests:
        raise RunError(f"no finished run in {folder}: start one with naysay run, or give --runs")
    evaluations = []
    for manifest in counted(manifests, "judging runs"):
        try:
            evaluations.append(judge(manifest))
        except NaysayError as error:
            if runs:  # the user asked for this one
                raise
            notify(f"left out: {error}")
    if not evaluations:
        raise RunError(f"no run in {folder} can be read")
    if out is not None and write is not None:
        write(evaluations, out)
        print(f"written: {out}")
    if charts is not None:
        from naysay.reports.html import sections_of
        from naysay.reports.pictures import write_pictures
        from naysay.reports.sections import charts_in

        files = write_pictures(charts_in(sections_of(evaluations)), charts)
        print(f"written: {len(files)} files in {charts}")
    if out is None and charts is None:
        pydoc.pager(visible(markdown(evaluations)))  # plain text where there is no terminal
    if show and out is not None:
        show_page(out)


COMMAND = report
