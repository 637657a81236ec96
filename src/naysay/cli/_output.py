"""Options and output that several commands share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from naysay.cli import _completion
from naysay.core.console import notify
from naysay.core.objects import place_of

if TYPE_CHECKING:
    from naysay.run.evaluation import Evaluation
    from naysay.run.manifest import Manifest

OUTPUT = ("-o", "--output", "--out")
"""What a command writes. `--out` is an older spelling, which help does not show."""
RUNS = Path("runs")
_HELP = "Folder of runs, or s3://BUCKET/NAME."
_FOLDER: Any = {"help": _HELP, "parser": place_of, "metavar": "PATH"}
Runs = Annotated[Path, typer.Option("--runs", **_FOLDER)]
OnlyRuns = Annotated[Path, typer.Option("--runs", *OUTPUT, **_FOLDER)]
"""The same for commands that write nothing else, which earlier had it as -o."""


def run_argument(more: str = "") -> Any:
    """Return the argument for one run; `more` says which of a model's runs is meant."""
    about = f"Run: its folder, the beginning of its key, or its model (the newest run{more})."
    return typer.Argument(help=about, metavar="RUN", autocompletion=_completion.runs)


def runs_argument(more: str = "") -> Any:
    """Return the argument for several runs; `more` is appended to its help."""
    about = "Runs: by folder, beginning of the key, or model (its newest run)."
    return typer.Argument(
        help=f"{about} {more}".rstrip(), metavar="RUNS", autocompletion=_completion.runs
    )


Suites = Annotated[
    str | None,
    typer.Option(
        "-t", "--suites",
        metavar="NAMES",
        help="Suites, comma-separated. [default: all]",
        autocompletion=_completion.suites,
    ),
]  # fmt: skip
Repetition = Annotated[
    str | None,
    typer.Option(help="What counts as a repetition: exact, or prefix as in gh22's released code."),
]
SmallestEffect = Annotated[
    float | None,
    typer.Option(help="Smallest effect of interest, in points; a smaller one counts as none."),
]
RULE_HELP = (
    "Which sentences: strict (whole words, with exceptions), paper (the regular expressions of "
    "appendix D), substring (also inside other words), none (every line as it is)."
)
FULL_HELP = "Print all tables and notes, not a summary."
Full = Annotated[bool, typer.Option("--full", help=FULL_HELP)]
Json = Annotated[bool, typer.Option("--json", help="Print a single JSON value instead of tables.")]


def present(evaluation: Evaluation, *, as_json: bool, full: bool) -> None:
    """Print an evaluation as a summary, with all its tables, or as one JSON object."""
    if as_json:
        print(json.dumps(evaluation.as_dict(), ensure_ascii=False, allow_nan=False))
        return
    from naysay.reports.terminal import show, summarise

    (show if full else summarise)(evaluation)


def show_listing(entries: Iterable[tuple[str, ...]]) -> None:
    """Print entries, each a name with the lines that are said of it beside it."""
    from rich.console import Console
    from rich.table import Table

    from naysay.reports.terminal import safe_text

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, *lines in entries:
        for k, line in enumerate(filter(None, lines)):
            grid.add_row(safe_text(name if k == 0 else ""), safe_text(line, "dim" if k else ""))
    Console().print(grid)


def readable_runs(folder: Path) -> list[Manifest]:
    """Return the runs in a folder, and say which ones cannot be read."""
    from naysay.run.store import BrokenRun, find_runs

    broken: list[BrokenRun] = []
    found = find_runs(folder, broken)
    for one in broken:
        notify(f"left out: {one.reason}")
    return found
