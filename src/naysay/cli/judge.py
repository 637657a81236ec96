"""`naysay judge`: measure a run again, without the model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import Json, Out, Repetition, present


def judge(
    run: Annotated[str, typer.Argument(help="A run's folder, its name, or how its key begins.")],
    repetition: Repetition = None,
    out: Out = Path("runs"),
    as_json: Json = False,
) -> None:
    """Measure a finished run again, without the model."""
    from naysay.run.evaluation import judge as judge_again

    present(judge_again(run, out, repetition=repetition), as_json=as_json)


COMMAND = judge
