"""`naysay judge`: measure a run again, without the model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Json, Out, Repetition, present


def judge(
    run: Annotated[str, typer.Argument(help="A run's folder, its name, or how its key begins.")],
    repetition: Repetition = None,
    save: Annotated[
        bool, typer.Option("--save", help="Write the figures into the run's folder.")
    ] = False,
    out: Out = Path("runs"),
    as_json: Json = False,
) -> None:
    """Measure a finished run again, without the model; writes nothing unless told with --save."""
    from naysay.api import judge as judge_again

    evaluation = judge_again(run, out, repetition=repetition)
    if save:
        from naysay.reports.formats import save as write

        write(evaluation)
    present(evaluation, as_json=as_json)


COMMAND = judge
