"""`naysay judge`: recompute the figures of a run, without the model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Json, Out, Repetition, SmallestEffect, present


def judge(
    run: Annotated[
        str, typer.Argument(help="Run by directory, by name, or by the start of its key.")
    ],
    repetition: Repetition = None,
    smallest_effect: SmallestEffect = None,
    save: Annotated[
        bool, typer.Option("--save", help="Write the figures to the run's directory.")
    ] = False,
    out: Out = Path("runs"),
    as_json: Json = False,
) -> None:
    """Recompute the figures of a finished run, without the model; --save also writes them."""
    from naysay.api import judge as judge_again

    evaluation = judge_again(run, out, repetition=repetition, smallest_effect=smallest_effect)
    if save:
        from naysay.reports.formats import save as write

        write(evaluation)
    present(evaluation, as_json=as_json)


COMMAND = judge
