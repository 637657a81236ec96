"""`naysay train balanced`: is *not* learnt from a corpus where it is as frequent as its absence?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Json


def balanced(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the experiment.")] = Path(
        "balanced"
    ),
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds, from --seed on.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The first seed.")] = 0,
    paper: Annotated[
        bool, typer.Option("--paper", help="The paper's size and settings: hours on a processor.")
    ] = False,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps of pretraining.")] = None,
    pieces: Annotated[
        int | None, typer.Option(min=1, max=4, help="Pieces that a subject is cut into.")
    ] = None,
    dropout: Annotated[float | None, typer.Option(min=0, max=0.9, help="Dropout.")] = None,
    as_json: Json = False,
) -> None:
    """Pretrain a BERT on the balanced corpus, ask it, and teach it true from false.

    The same command goes on with an experiment that was interrupted.
    """
    from naysay.core.paths import write_json, write_text
    from naysay.reports.terminal import show_table
    from naysay.reports.training import finding, learning_page, tables
    from naysay.train.balanced.experiment import PAPER, SMALL, run_seed

    settings = PAPER if paper else SMALL
    if steps is not None:
        settings = replace(settings, pretraining=replace(settings.pretraining, steps=steps))
    if pieces is not None:
        settings = replace(settings, pieces=pieces)
    if dropout is not None:
        settings = replace(settings, size=replace(settings.size, dropout=dropout))
    results = [run_seed(one, settings, out / f"seed-{one}") for one in range(seed, seed + seeds)]
    record = {"settings": settings.as_dict(), "results": [result.as_dict() for result in results]}
    write_json(out / "balanced.json", record)
    write_text(out / "balanced.html", learning_page(results, settings.described))
    if as_json:
        print(json.dumps(record, ensure_ascii=False))
        return
    for table in tables(results):
        show_table(table)
    print(finding(results))
    print(f"learning curves: {out / 'balanced.html'}")


COMMAND = balanced
