"""`naysay show`: show individual items of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Json, Out


def show(
    run: Annotated[
        str, typer.Argument(help="Run by directory, by name, or by the start of its key.")
    ],
    suite: Annotated[
        str | None,
        typer.Option("-t", "--suite", help="One of the run's suites. [default: all]"),
    ] = None,
    item: Annotated[
        str,
        typer.Option(help="Text in the item's title or sentences, such as 'Mary · architect'."),
    ] = "",
    condition: Annotated[
        str | None, typer.Option(help="Condition that the item must have, such as CpTn.")
    ] = None,
    wrong: Annotated[
        bool | None,
        typer.Option(
            "--wrong/--right", help="Only wrong or only right items, in --condition if given."
        ),
    ] = None,
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="Items per suite.")] = 5,
    out: Out = Path("runs"),
    as_json: Json = False,
) -> None:
    """Show individual items of a run: the sentence and the answer in each condition."""
    from naysay.run.search import Wish, search_all
    from naysay.run.store import find_run
    from naysay.suites import SUITES

    manifest = find_run(run, out)
    wish = Wish(item, condition, None if wrong is None else not wrong)
    suites = [SUITES.get(name) for name in ([suite] if suite else manifest.planned)]
    found = search_all(manifest, suites, wish, number)
    model = str(manifest.model["name"])
    if as_json:
        items = [
            {"suite": name, "scale": one.scale, **one.as_dict()}
            for name, several in found.items()
            for one in several
        ]
        print(json.dumps({"run": manifest.key, "model": model, "items": items}, ensure_ascii=False))
        return
    from rich.console import Console

    from naysay.reports.items import show_item

    console = Console()
    for name, several in found.items():
        for one in several:
            show_item(one, f"{name} · {model}", console, wish.points_at)
        if not several:
            print(f"{name}: no matching item; drop --item, --condition or --wrong")
    if manifest.finished is None:
        print(f"The run is not finished; resume it with: {manifest.run_spec.command()}")


COMMAND = show
