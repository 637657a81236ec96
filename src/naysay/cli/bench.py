"""`naysay bench`: how fast is naysay on this machine, beside other ways to ask the same?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import OUTPUT
from naysay.core.errors import SpecError
from naysay.core.extras import need


def bench(
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PARTS",
            help="masked, causal, suites, embedder, scale, harness. [default: all]",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option(*OUTPUT, help="Page to write (.html); its JSON is beside it.")
    ] = Path("bench.html"),
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds; the best one counts. [default: 3]")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Measure little, to see whether it works.")
    ] = False,
) -> None:
    """Measure speed on this machine, beside other ways to ask the same questions.

    \b
      naysay bench                    everything, about an hour
      naysay bench masked causal      these parts
    Models have random weights and real sizes, so nothing is downloaded. All ways
    take turns, and their answers are compared. Other libraries take part if they
    are installed: pip install 'naysay[bench]'
    """
    if output.suffix not in (".html", ".json") or output.is_dir():
        raise SpecError(f"--output {output}: name a page (.html) or a file of JSON (.json)")
    need("report", "the page of naysay bench")
    from naysay.bench.page import bench_page
    from naysay.bench.parts import chosen_parts, missing_libraries, run_parts
    from naysay.bench.results import to_json
    from naysay.bench.tables import table_of, targets_of
    from naysay.core.console import notify
    from naysay.core.paths import write_text
    from naysay.reports.terminal import show_table

    wanted = chosen_parts(parts or [])
    if missing := missing_libraries():
        notify(f"not installed, so left out: {', '.join(missing)} (pip install 'naysay[bench]')")
    page, data = output.with_suffix(".html"), output.with_suffix(".json")
    report = None
    for report in run_parts(wanted, rounds, quick=quick):
        for result in report.parts[-1].results:
            show_table(table_of(result))
        write_text(data, to_json(report))  # after each part, so that no hour is lost
    if report is None:
        return
    if (targets := targets_of(report)) is not None:
        show_table(targets)
    write_text(page, bench_page(report))
    print(f"page: {page}\nJSON: {data}")


COMMAND = bench
