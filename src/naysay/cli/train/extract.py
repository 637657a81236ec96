"""`naysay train extract`: sentences with negation and contrast from a corpus."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from naysay.cli._output import Json

if TYPE_CHECKING:
    from naysay.train.extraction.corpus import Report


def extract(
    corpus: Annotated[
        list[Path], typer.Option("--corpus", help="Plain text, also .gz or .zst; may be repeated.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The sentences, one a line.")],
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE…", help="More files of the corpus.")
    ] = None,
    rule: Annotated[
        str, typer.Option(help="strict: whole words; paper: letters, also inside other words.")
    ] = "strict",
    held_out: Annotated[
        Path | None, typer.Option(help="Where sentences without negation go, for perplexity.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many sentences, drawn by the seed.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Which sentences are drawn and held out.")] = 0,
    language: Annotated[str, typer.Option(help="Language of the corpus.")] = "en",
    wrapped: Annotated[
        bool, typer.Option("--wrapped", help="Lines end within sentences; empty lines do not.")
    ] = False,
    keep_leaks: Annotated[
        bool, typer.Option("--keep-leaks", help="Keep sentences that are like a test's.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Draw the sentences with a negation and a contrast word from a corpus, for training.

    Sentences that are like those of a test are counted and left out.
    """
    import json

    from naysay.train.extraction import extract as extract_sentences

    with _bar() as bar:
        done = extract_sentences(
            [*corpus, *(more or ())],
            out,
            rule=rule,
            held_out=held_out,
            limit=limit,
            seed=seed,
            progress=_reporting(bar),
            keep_leaks=keep_leaks,
            language=language,
            wrapped=wrapped,
        )
    if as_json:
        print(json.dumps(done.as_dict(), ensure_ascii=False))
        return
    print(done.summary)
    print(f"\nthe sentences are in {out}")
    if held_out is not None:
        print(f"those without negation are in {held_out}")


def _bar() -> Any:
    """A bar on a terminal, else nothing."""
    import sys

    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

    columns = ("reading", BarColumn(), DownloadColumn(), TransferSpeedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _reporting(bar: Any) -> Report | None:
    if bar is None:
        return None
    task = bar.add_task("reading", total=None)

    def report(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)

    return report


COMMAND = extract
