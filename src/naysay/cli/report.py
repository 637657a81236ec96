"""`naysay report`: report several runs as an HTML page, as tables, or as charts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.core.errors import RunError


def report(
    runs: Annotated[
        list[str] | None,
        typer.Argument(help="Runs by directory, name or key. [default: all finished runs]"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out",
            help="Output file: .html, .md, .tex, .csv or .parquet. [default: print Markdown]",
        ),
    ] = None,
    charts: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the charts as PNG and SVG to this directory."),
    ] = None,
    folder: Annotated[Path, typer.Option("--runs", help="Directory of runs.")] = Path("runs"),
) -> None:  # fmt: skip
    """Report several runs together: a self-contained HTML page, tables or charts."""
    from naysay.reports.formats import need_pages, writer_for
    from naysay.reports.markdown import markdown
    from naysay.run.evaluation import judge
    from naysay.run.store import find_run, find_runs

    write = None if out is None else writer_for(out)
    if charts is not None:
        need_pages()
    if runs:
        manifests = [find_run(run, folder) for run in runs]
    else:
        manifests = [manifest for manifest in find_runs(folder) if manifest.finished]
        manifests.sort(key=lambda manifest: (manifest.started, manifest.folder.name))
    if not manifests:
        raise RunError(f"no finished run in {folder}: start one with naysay run, or give --runs")
    evaluations = [judge(manifest) for manifest in manifests]
    if out is not None and write is not None:
        write(evaluations, out)
        print(f"written: {out}")
    if charts is not None:
        from naysay.reports.html import sections_of
        from naysay.reports.overview import labelled
        from naysay.reports.pictures import write_pictures
        from naysay.reports.sections import charts_in

        files = write_pictures(charts_in(sections_of(labelled(evaluations))), charts)
        print(f"written: {len(files)} files in {charts}")
    if out is None and charts is None:
        print(markdown(evaluations))


COMMAND = report
