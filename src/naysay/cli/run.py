"""`naysay run`: test a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Json, Out, Repetition, present
from naysay.core.errors import SpecError
from naysay.core.spec import ALL

_AT_A_GLANCE = "30"  # units of each suite where no model is named: enough for a first look


def run(
    model: Annotated[
        str | None,
        typer.Option("-m", "--model", help="Hub name, folder, .gguf file, alias or known:RULE."),
    ] = None,
    suites: Annotated[
        str | None, typer.Option("-t", "--suites", help="Suites, by commas; see naysay ls suites.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Language of the items; see naysay ls languages.")
    ] = None,
    lexicon: Annotated[
        str | None, typer.Option(help="Word lists: own, gh22, scin, or a TOML file or folder.")
    ] = None,
    items: Annotated[
        str | None, typer.Option(help="semantoneg, antoneg; lama, facts; or a file of items.")
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option(metavar="N", help="Pairs or items drawn by the seed, or all."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides which pairs and verbs are drawn.")] = 0,
    precision: Annotated[str, typer.Option(help="fp32 or bf16.")] = "fp32",
    pooling: Annotated[
        str | None, typer.Option(help="Plain encoders: mean, cls, max or lasttoken.")
    ] = None,
    prompt: Annotated[
        str | None, typer.Option(help="Embedders: a prompt's name, or a text before each sentence.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="Cross-encoders: the label that says they mean the same.")
    ] = None,
    exhaustive: Annotated[
        bool, typer.Option("--exhaustive", help="Ask every verb in the selection.")
    ] = False,
    cap: Annotated[
        int | None, typer.Option(help="Verbs per pair that go into the test; 20, in scin 1.")
    ] = None,
    one_piece: Annotated[
        str, typer.Option(help="Where a verb must be one piece: context, or bare as well.")
    ] = "context",
    readout: Annotated[
        str, typer.Option(help="top1: the first word; likelihood: the likeliest of a list.")
    ] = "top1",
    predicate: Annotated[
        str | None, typer.Option(help="scnt: predicate of the target, in English happy or likes.")
    ] = None,
    ranks: Annotated[
        str, typer.Option(help="gh22: ranks of the model's own verbs, by commas.")
    ] = "0,50,100,200",
    raw_ranks: Annotated[
        bool, typer.Option("--raw-ranks", help="gh22: count every piece, not only whole words.")
    ] = False,
    style: Annotated[
        str, typer.Option(help="gh22: wording, paper or revised, or both by commas.")
    ] = "paper",
    corpora: Annotated[
        str | None, typer.Option(help="lama: google_re, trex, conceptnet, squad, by commas.")
    ] = None,
    primes: Annotated[
        str, typer.Option(help="lama_misprimed: own, made for the model, or released.")
    ] = "own",
    repetition: Repetition = None,
    out: Out = Path("runs"),
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder with upstream's data; else NAYSAY_DATA, the cache.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps, …")] = "auto",
    token_budget: Annotated[int, typer.Option(help="Tokens per batch.")] = 2048,
    shard_size: Annotated[int, typer.Option(help="Pairs per file of rows.")] = 25,
    allow_pickle: Annotated[
        bool, typer.Option("--allow-pickle", help="Read weights kept as pickles (.bin).")
    ] = False,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code that comes with the model.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Test a model; print its figures and the published ones.

    The same command goes on with a run that was interrupted.
    """
    from naysay.api import evaluate
    from naysay.core.console import suited_progress
    from naysay.run.evaluation import default_model

    if model is None:
        model, limit = default_model(), limit or _AT_A_GLANCE
        print(
            f"no model given: testing {model}, which minds negation, with --limit {limit}",
            file=sys.stderr,
        )
    try:
        evaluation = evaluate(
            model,
            _listed(suites) if suites is not None else None,
            progress=suited_progress(),
            language=language,
            lexicon=lexicon,
            items=items,
            limit=_limit(limit),
            seed=seed,
            precision=precision,
            pooling=pooling,
            prompt=prompt,
            label=label,
            exhaustive=exhaustive,
            cap=cap,
            one_piece=one_piece,
            readout=readout,
            predicate=predicate,
            ranks=tuple(_whole("--ranks", rank) for rank in _listed(ranks)),
            raw_ranks=raw_ranks,
            style=_listed(style),
            corpora=None if corpora is None else _listed(corpora),
            primes=primes,
            repetition=repetition or "exact",
            out=out,
            data_dir=data_dir,
            device=device,
            token_budget=token_budget,
            shard_size=shard_size,
            allow_pickle=allow_pickle,
            trust_remote_code=trust_remote_code,
        )
    except KeyboardInterrupt:
        print(
            "naysay: stopped. Finished shards are kept; the same command goes on from there.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    present(evaluation, as_json=as_json)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _limit(text: str | None) -> int | str | None:
    if text is None or text.strip().lower() == ALL:
        return text and ALL
    return _whole("--limit", text, " or all")


def _whole(option: str, text: str, otherwise: str = "") -> int:
    try:
        return int(text)
    except ValueError:
        raise SpecError(f"{option} must be a whole number{otherwise}, not {text!r}") from None


COMMAND = run
