"""`naysay train embedder`: make a sentence embedder read "not"."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import OUTPUT, Json
from naysay.core.extras import need


def embedder(
    model: Annotated[
        str, typer.Option("-m", "--model", help="Hub name, folder or alias of an embedder.")
    ],
    out: Annotated[
        Path | None, typer.Option(*OUTPUT, help="Output directory. [default: not-MODEL]")
    ] = None,
    frames: Annotated[
        Path | None, typer.Option(help="Frames to make groups of. [default: naysay's own]")
    ] = None,
    pairs: Annotated[
        Path | None, typer.Option(help="Paraphrase pairs to make groups of, instead of frames.")
    ] = None,
    general: Annotated[
        Path | None,
        typer.Option(help="General sentences, one per line. [default: WordNet's examples]"),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(help="Your own test items: kept out of training, and tested."),
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Training steps. [default: 1800]")] = None,
    batch: Annotated[int | None, typer.Option(help="Groups per step. [default: 16]")] = None,
    general_batch: Annotated[
        int | None, typer.Option(help="General sentences per step. [default: 32]")
    ] = None,
    lr: Annotated[float | None, typer.Option(help="Peak learning rate. [default: 0.001]")] = None,
    temperature: Annotated[
        float, typer.Option(help="Temperature of the choice within a group.")
    ] = 0.05,
    keep: Annotated[
        float | None,
        typer.Option(help="Weight of what must stay the same. [default: 20]"),
    ] = None,
    strength: Annotated[
        float,
        typer.Option(help="Share of what was learned that the weights have in the end."),
    ] = 1.0,
    seed: Annotated[int, typer.Option(help="Seed of groups and order.")] = 0,
    pooling: Annotated[
        str | None, typer.Option(help="Pooling of a plain encoder: mean, cls, max, lasttoken.")
    ] = None,
    device: Annotated[str, typer.Option(help="One of auto, cpu.")] = "auto",
    save_every: Annotated[int, typer.Option(help="Steps between checkpoints.")] = 100,
    eval_every: Annotated[
        int, typer.Option(help="Steps between evaluations on the development part.")
    ] = 200,
    patience: Annotated[
        int, typer.Option(help="Evaluations without improvement before stopping.")
    ] = 6,
    shuffle_polarity: Annotated[
        bool,
        typer.Option(
            "--shuffle-polarity",
            help="A control: draw the paraphrase within a group at random. Must gain nothing.",
        ),
    ] = False,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of data sets. [default: $NAYSAY_DATA or cache]")
    ] = None,
    allow_pickle: Annotated[
        bool,
        typer.Option("--allow-pickle", help="Load pickled weights (.bin), which can run code."),
    ] = False,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code shipped with the model.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Teach a sentence embedder negation; test it before and after.

    To resume interrupted training, run the same command again.
    """
    need("hf", "naysay train embedder")
    from naysay.reports.embedder import save, show
    from naysay.train.embedder import train_embedder
    from naysay.train.embedder.settings import settings_of

    given = {
        "out": out,
        "frames": frames,
        "pairs": pairs,
        "general": general,
        "items": items,
        "steps": steps,
        "batch": batch,
        "general_batch": general_batch,
        "lr": lr,
        "temperature": temperature,
        "keep": keep,
        "strength": strength,
        "seed": seed,
        "pooling": pooling,
        "device": device,
        "save_every": save_every,
        "eval_every": eval_every,
        "patience": patience,
        "shuffle": shuffle_polarity,
        "data_dir": data_dir,
        "allow_pickle": allow_pickle,
        "trust_remote_code": trust_remote_code,
    }
    settings = settings_of(model, given)
    try:
        result = train_embedder(settings)
    except KeyboardInterrupt:
        print(
            "naysay: stopped. The last checkpoint is kept; run the same command to resume.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    save(result, _command())
    if as_json:
        print(json.dumps(result.as_dict(), ensure_ascii=False, allow_nan=False))
    else:
        show(result)


def _command() -> str:
    """The command as it was typed, for the model card."""
    import shlex

    return shlex.join(["naysay", *sys.argv[1:]])


COMMAND = embedder
