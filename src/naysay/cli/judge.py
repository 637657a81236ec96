"""`naysay judge`: recompute the figures of a run, without the model."""

from __future__ import annotations

from typing import Annotated

import typer

from naysay.cli._output import (
    RUNS,
    Full,
    Json,
    OnlyRuns,
    Repetition,
    SmallestEffect,
    present,
    run_argument,
)


def judge(
    run: Annotated[str, run_argument()],
    repetition: Repetition = None,
    smallest_effect: SmallestEffect = None,
    save: Annotated[
        bool, typer.Option("--save", help="Write the figures to the run's directory.")
    ] = False,
    folder: OnlyRuns = RUNS,
    full: Full = False,
    as_json: Json = False,
) -> None:
    """Recompute the figures of a finished run, without the model; --save also writes them."""
    from naysay.api import judge as judge_again

    evaluation = judge_again(run, folder, repetition=repetition, smallest_effect=smallest_effect)
    if save:
        from naysay.reports.formats import save as write

        write(evaluation)
    present(evaluation, as_json=as_json, full=full)


COMMAND = judge
