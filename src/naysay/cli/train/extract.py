"""`naysay train extract`: extract sentences with negation and contrast from a corpus."""

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
        list[Path], typer.Option("--corpus", help="Plain text, .gz or .zst file; repeatable.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="Output file, one sentence per line.")],
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE…", help="More files of the corpus.")
    ] = None,
    rule: Annotated[
        str,
        typer.Option(help="strict: match whole words; paper: match also inside other words."),
    ] = "strict",
    held_out: Annotated[
        Path | None,
        typer.Option(help="Write sentences without negation to this file, for perplexity."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of sentences, drawn at random.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed for drawing and holding out sentences.")
    ] = 0,
    language: Annotated[str, typer.Option(help="Language of the corpus.")] = "en",
    wrapped: Annotated[
        bool,
        typer.Option("--wrapped", help="Lines are hard-wrapped; blank lines separate paragraphs."),
    ] = False,
    keep_leaks: Annotated[
        bool, typer.Option("--keep-leaks", help="Keep sentences that resemble test items.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Extract the sentences with a negation and a contrast word from a corpus, for training.

    Sentences that resemble test items are counted and left out.
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
    print(f"\nwritten: {out}")
    if held_out is not None:
        print(f"written: {held_out} (sentences without negation)")


def _bar() -> Any:
    """Return a progress bar on a terminal, and a context manager that does nothing elsewhere."""
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
