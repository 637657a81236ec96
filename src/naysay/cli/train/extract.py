"""`naysay train extract`: extract sentences with negation and contrast from a corpus."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from naysay.cli._output import OUTPUT, RULE_HELP, Json
from naysay.core.console import notify, spoken_time

if TYPE_CHECKING:
    from naysay.train.extraction.corpus import Report


_SECONDS = 10.0  # between two lines of progress


def extract(
    corpus: Annotated[
        list[Path], typer.Option("--corpus", help="Plain text, .gz or .zst file; repeatable.")
    ],
    out: Annotated[Path, typer.Option(*OUTPUT, help="Output file, one sentence per line.")],
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="FILES", help="More files of the corpus.")
    ] = None,
    rule: Annotated[str, typer.Option(help=RULE_HELP)] = "strict",
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


def _reporting(bar: Any) -> Report:
    """Return what shows the bytes read: on the bar, or in lines if it takes long."""
    if bar is None:
        return ReadingLines()
    task = bar.add_task("reading", total=None)

    def report(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)

    return report


class ReadingLines:
    """Prints how much of a corpus is read, every now and then."""

    def __init__(self) -> None:
        self._begun = self._spoken = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        """Print a line if the last one was long ago."""
        now = time.monotonic()
        if now - self._spoken < _SECONDS or not 0 < done < total:
            return
        self._spoken = now
        left = (now - self._begun) * (total - done) / done
        notify(
            f"reading: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB ({done / total:.0%}), "
            f"{spoken_time(left)} left"
        )


COMMAND = extract
