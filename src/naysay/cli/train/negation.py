"""`naysay train negation`: train a model on sentences with negation, tested before and after."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Json


def negation(
    model: Annotated[
        str, typer.Option("-m", "--model", help="Hub name, folder, .gguf file or alias.")
    ],
    corpus: Annotated[list[Path], typer.Option(help="A plain-text file; may be given repeatedly.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder of the model. [neg-MODEL]")
    ] = None,
    rule: Annotated[
        str, typer.Option(help="Which sentences count: strict, by words; paper, by letters.")
    ] = "strict",
    wrapped: Annotated[
        bool, typer.Option("--wrapped", help="Lines end within sentences, paragraphs are apart.")
    ] = False,
    epochs: Annotated[float, typer.Option(help="Times that all sentences are gone through.")] = 1.0,
    steps: Annotated[int | None, typer.Option(help="Steps, instead of epochs.")] = None,
    batch: Annotated[int, typer.Option(help="Sentences per step.")] = 64,
    lr: Annotated[float, typer.Option(help="The highest learning rate.")] = 5e-5,
    warmup: Annotated[
        float, typer.Option(help="Steps in which it rises; a share of all if below 1.")
    ] = 0.0,
    weight_decay: Annotated[float, typer.Option(help="Of the AdamW optimiser.")] = 0.0,
    scheduler: Annotated[
        str, typer.Option(help="linear, cosine, constant or constant_with_warmup.")
    ] = "linear",
    max_length: Annotated[int, typer.Option(help="Tokens of a sentence; the rest is cut.")] = 128,
    pack: Annotated[
        bool, typer.Option("--pack", help="Put sentences together up to the full length.")
    ] = False,
    limit: Annotated[int | None, typer.Option(help="Sentences at most.")] = None,
    seed: Annotated[int, typer.Option(help="Of order, masks, dropout and tests.")] = 0,
    precision: Annotated[str, typer.Option(help="Of the training: fp32 or bf16.")] = "fp32",
    device: Annotated[str, typer.Option(help="auto or cpu.")] = "auto",
    save_every: Annotated[int, typer.Option(help="Steps between checkpoints.")] = 500,
    eval_every: Annotated[int, typer.Option(help="Steps between looks at other sentences.")] = 500,
    patience: Annotated[
        int | None, typer.Option(help="Stop after so many looks without a better one; keep it.")
    ] = None,
    suites: Annotated[
        str, typer.Option("-t", "--suites", help="Suites before and after, by commas.")
    ] = "scnt,gh22",
    test_limit: Annotated[int, typer.Option(help="Pairs or items of each suite.")] = 20,
    watch: Annotated[
        int | None, typer.Option(help="Test while it trains too, every so many steps.")
    ] = None,
    allow_pickle: Annotated[
        bool, typer.Option("--allow-pickle", help="Read weights kept as pickles (.bin).")
    ] = False,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code that comes with the model.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Train a model on sentences with negation and contrast; test it before and after.

    The same command goes on with a training that was interrupted.
    """
    from naysay.core.console import suited_progress
    from naysay.core.paths import write_text
    from naysay.reports.negation import markdown, show
    from naysay.train.negation import NegationSettings, train_negation
    from naysay.train.plan import TrainingPlan

    plan = TrainingPlan(
        epochs=epochs,
        steps=steps,
        batch=batch,
        lr=lr,
        warmup=warmup,
        weight_decay=weight_decay,
        scheduler=scheduler,
        max_length=max_length,
        seed=seed,
        precision=precision,
        device=device,
        save_every=save_every,
        eval_every=eval_every,
        patience=patience,
    )
    settings = NegationSettings(
        model=model,
        corpora=tuple(corpus),
        out=out,
        rule=rule,
        wrapped=wrapped,
        limit=limit,
        pack=pack,
        plan=plan,
        suites=tuple(part.strip() for part in suites.split(",")),
        test_limit=test_limit,
        watch=watch,
        allow_pickle=allow_pickle,
        trust_remote_code=trust_remote_code,
    )
    try:
        result = train_negation(settings, progress=suited_progress)
    except KeyboardInterrupt:
        print(
            "naysay: stopped. The last checkpoint is kept; the same command goes on from there.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    write_text(result.folder / "report.md", markdown(result))
    if as_json:
        print(json.dumps(result.as_dict(), ensure_ascii=False, allow_nan=False))
    else:
        show(result)


COMMAND = negation
