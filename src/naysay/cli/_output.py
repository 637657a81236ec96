"""Options and output that several commands share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from naysay.run.evaluation import Evaluation

Out = Annotated[Path, typer.Option("-o", "--out", help="Directory of runs.")]
Repetition = Annotated[
    str | None,
    typer.Option(help="What counts as a repetition: exact, or prefix as in gh22's released code."),
]
SmallestEffect = Annotated[
    float | None,
    typer.Option(help="Smallest effect of interest, in points; a smaller one counts as none."),
]
Json = Annotated[bool, typer.Option("--json", help="Print a single JSON value instead of tables.")]


def present(evaluation: Evaluation, *, as_json: bool) -> None:
    """Print an evaluation as tables or as one JSON object."""
    if as_json:
        print(json.dumps(evaluation.as_dict(), ensure_ascii=False, allow_nan=False))
        return
    from naysay.reports.terminal import show

    show(evaluation)
