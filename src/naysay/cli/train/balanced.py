"""`naysay train balanced`: is *not* learnt from a corpus in which half of the sentences have it?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import OUTPUT, Json
from naysay.core.extras import need


def balanced(
    out: Annotated[Path, typer.Option(*OUTPUT, help="Output directory.")] = Path("balanced"),
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds, starting at --seed.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="First seed.")] = 0,
    paper: Annotated[
        bool,
        typer.Option("--paper", help="Use the paper's model size and settings (hours on a CPU)."),
    ] = False,
    steps: Annotated[int | None, typer.Option(min=1, help="Pretraining steps.")] = None,
    pieces: Annotated[
        int | None, typer.Option(min=1, max=4, help="Number of tokens per subject.")
    ] = None,
    dropout: Annotated[float | None, typer.Option(min=0, max=0.9, help="Dropout rate.")] = None,
    as_json: Json = False,
) -> None:
    """Pretrain a BERT on a balanced corpus, test it, and fine-tune it to tell true from false.

    To resume an interrupted experiment, run the same command again.
    """
    need("hf", "naysay train balanced")
    need("report", "the page of learning curves")
    from naysay.core.paths import write_json, write_text
    from naysay.reports.terminal import show_table
    from naysay.reports.training import finding, learning_page, sparklines, tables
    from naysay.train.balanced.experiment import PAPER, SMALL, run_seed

    settings = PAPER if paper else SMALL
    if steps is not None:
        settings = replace(settings, pretraining=replace(settings.pretraining, steps=steps))
    if pieces is not None:
        settings = settings.with_pieces(pieces)
    if dropout is not None:
        settings = replace(settings, size=replace(settings.size, dropout=dropout))
    results = [run_seed(one, settings, out / f"seed-{one}") for one in range(seed, seed + seeds)]
    record = {"settings": settings.as_dict(), "results": [result.as_dict() for result in results]}
    write_json(out / "balanced.json", record)
    write_text(out / "balanced.html", learning_page(results, settings.described))
    if as_json:
        print(json.dumps(record, ensure_ascii=False))
        return
    for table in (*tables(results), sparklines(results)):
        show_table(table)
    print(finding(results))
    print(f"learning curves: {out / 'balanced.html'}")


COMMAND = balanced
