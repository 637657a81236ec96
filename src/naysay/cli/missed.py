"""`naysay missed`: list the items that several runs all get wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def missed(
    runs: Annotated[list[str], typer.Argument(help="Runs by directory, name or key.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Write the missed items to this file, for run --items."),
    ] = None,
    show: Annotated[int, typer.Option(help="Number of items to print.")] = 10,
    folder: Annotated[Path, typer.Option("--runs", help="Directory of runs.")] = Path("runs"),
) -> None:
    """List the items that all of the given runs get wrong."""
    from naysay.analysis.missed import missed_by_all
    from naysay.core.paths import write_text
    from naysay.data.items import write_items
    from naysay.run.store import find_run

    found = missed_by_all([find_run(run, folder) for run in runs])
    common = len(found.common)
    for one in found.runs:
        print(f"{one.run} ({one.suite}) misses {one.misses(found.common):,} of {common:,} items")
    share = 100 * len(found.units) / common
    print(f"missed by all {len(found.runs)}: {len(found.units):,} of {common:,} ({share:.1f} %)")
    if pairs := found.pairs()[:show]:
        print("most of them with: " + ", ".join(f"{p} {n}/{of}" for p, n, of in pairs))
    for unit in found.units[:show]:
        row = found.runs[0].rows[unit]
        print(f"\n{row['text']}  =  {row['paraphrase']}")
        for one in found.runs:
            print(f"    {one.run}: {one.choice(unit)}")
    if out is not None:
        write_text(out, write_items(found.items()))
        again = f"naysay run -t {found.runs[0].suite} --items {out}"
        print(f"\nwritten: {out}; ask them again with: {again}")


COMMAND = missed
