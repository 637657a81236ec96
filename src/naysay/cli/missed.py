"""`naysay missed`: list the items that several runs all get wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import OUTPUT, RUNS, Runs, runs_argument


def missed(
    runs: Annotated[list[str], runs_argument()],
    out: Annotated[
        Path | None,
        typer.Option(*OUTPUT, help="Write the missed items to this file, for run --items."),
    ] = None,
    show: Annotated[int, typer.Option(help="Number of items to print.")] = 10,
    folder: Runs = RUNS,
) -> None:
    """List the items that all of the given runs get wrong."""
    from rich.console import Console

    from naysay.analysis.missed import missed_by_all, paraphrase_suites
    from naysay.core.paths import write_text
    from naysay.data.items import write_items
    from naysay.reports.terminal import safe_text
    from naysay.run.lookup import find_each

    found = missed_by_all(find_each(runs, folder, paraphrase_suites()))
    common = len(found.common)
    console = Console()

    def say(text: str) -> None:
        console.print(safe_text(text))

    for one in found.runs:
        say(f"{one.run} ({one.suite}) misses {one.misses(found.common):,} of {common:,} items")
    share = 100 * len(found.units) / common
    say(f"missed by all {len(found.runs)}: {len(found.units):,} of {common:,} ({share:.1f} %)")
    if pairs := found.pairs()[:show]:
        say("most of them with: " + ", ".join(f"{p} {n}/{of}" for p, n, of in pairs))
    for unit in found.units[:show]:
        row = found.runs[0].rows[unit]
        say(f"\n{row['text']}  =  {row['paraphrase']}")
        for one in found.runs:
            say(f"    {one.run}: {one.choice(unit)}")
    if out is not None:
        write_text(out, write_items(found.items()))
        again = f"naysay run -t {found.runs[0].suite} --items {out}"
        say(f"\nwritten: {out}; ask them again with: {again}")


COMMAND = missed
