"""`naysay train negation`: train on sentences with negation, and test before and after."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import OUTPUT, RULE_HELP, Json
from naysay.core.extras import need


def negation(
    model: Annotated[
        str, typer.Option("-m", "--model", help="Hub name, folder, .gguf file or alias.")
    ],
    corpus: Annotated[list[Path], typer.Option(help="Plain-text file; repeatable.")],
    out: Annotated[
        Path | None, typer.Option(*OUTPUT, help="Output directory. [default: neg-MODEL]")
    ] = None,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="Train as in the paper: --rule paper and --batch 256 (4 GPUs of 64) in "
            "--micro-batch 64. Options that are given take precedence.",
        ),
    ] = False,
    rule: Annotated[str | None, typer.Option(help=f"{RULE_HELP} [default: strict]")] = None,
    wrapped: Annotated[
        bool,
        typer.Option("--wrapped", help="Lines are hard-wrapped; blank lines separate paragraphs."),
    ] = False,
    epochs: Annotated[float, typer.Option(help="Number of epochs.")] = 1.0,
    steps: Annotated[int | None, typer.Option(help="Training steps; overrides --epochs.")] = None,
    batch: Annotated[
        int | None, typer.Option(help="Sentences per step of the optimiser. [default: 64]")
    ] = None,
    micro_batch: Annotated[
        int | None,
        typer.Option(help="Sentences in memory at a time; gradients add up. [default: all]"),
    ] = None,
    lr: Annotated[float, typer.Option(help="Peak learning rate.")] = 5e-5,
    warmup: Annotated[
        float, typer.Option(help="Warm-up steps, or the fraction of all steps if below 1.")
    ] = 0.0,
    weight_decay: Annotated[float, typer.Option(help="Weight decay of AdamW.")] = 0.0,
    scheduler: Annotated[
        str, typer.Option(help="One of linear, cosine, constant, constant_with_warmup.")
    ] = "linear",
    max_length: Annotated[
        int, typer.Option(help="Tokens per sentence; longer ones are truncated.")
    ] = 128,
    pack: Annotated[
        bool, typer.Option("--pack", help="Pack several sentences into one sequence.")
    ] = False,
    limit: Annotated[int | None, typer.Option(help="Maximum number of sentences.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of order, masks, dropout and tests.")] = 0,
    precision: Annotated[str, typer.Option(help="Training precision: fp32 or bf16.")] = "fp32",
    device: Annotated[str, typer.Option(help="One of auto, cpu.")] = "auto",
    save_every: Annotated[int, typer.Option(help="Steps between checkpoints.")] = 500,
    eval_every: Annotated[
        int, typer.Option(help="Steps between evaluations on held-out sentences.")
    ] = 500,
    patience: Annotated[
        int | None,
        typer.Option(help="Evaluations without improvement before stopping; keeps the best model."),
    ] = None,
    suites: Annotated[
        str | None,
        typer.Option("-t", "--suites", help="Suites to test with, comma-separated."),
    ] = None,
    test_limit: Annotated[int, typer.Option(help="Units per suite.")] = 20,
    watch: Annotated[
        int | None, typer.Option(help="Also test every N steps during training.")
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
    """Train a model on sentences with negation and contrast; test it before and after.

    To resume interrupted training, run the same command again.
    """
    need("hf", "naysay train negation")
    from naysay.core.console import suited_progress
    from naysay.core.paths import write_text
    from naysay.reports.negation import markdown, show
    from naysay.train.negation import NegationSettings, train_negation
    from naysay.train.negation.settings import OURS, PAPER
    from naysay.train.plan import TrainingPlan

    base = PAPER if paper else OURS
    plan = TrainingPlan(
        epochs=epochs,
        steps=steps,
        batch=base.batch if batch is None else batch,
        micro_batch=base.micro_batch if micro_batch is None else micro_batch,
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
        rule=base.rule if rule is None else rule,
        wrapped=wrapped,
        limit=limit,
        pack=pack,
        plan=plan,
        suites=_listed(suites),
        test_limit=test_limit,
        watch=watch,
        allow_pickle=allow_pickle,
        trust_remote_code=trust_remote_code,
    )
    try:
        result = train_negation(settings, progress=suited_progress)
    except KeyboardInterrupt:
        print(
            "naysay: stopped. The last checkpoint is kept; run the same command to resume.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    write_text(result.folder / "report.md", markdown(result))
    if as_json:
        print(json.dumps(result.as_dict(), ensure_ascii=False, allow_nan=False))
    else:
        show(result)


def _listed(suites: str | None) -> tuple[str, ...]:
    """The suites that were typed, or those that trainings are tested by."""
    from naysay.suites import watched_suites

    return tuple(part.strip() for part in suites.split(",")) if suites else watched_suites()


COMMAND = negation
