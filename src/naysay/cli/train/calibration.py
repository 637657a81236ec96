"""`naysay train calibration`: the two small models that the suites are checked with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def calibration(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the two models.")] = Path(
        "calibration"
    ),
    seed: Annotated[int, typer.Option(help="Decides the corpus, the weights and the order.")] = 0,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps of training.")] = None,
) -> None:
    """Train mini-aware and mini-blind: two small BERTs, one of which minds negation.

    The same command goes on with a training that was interrupted.
    """
    from naysay.train.calibration.models import KINDS, make

    for kind in KINDS:
        made = make(kind, out, seed=seed, steps=steps)
        print(f"{made.name}: loss {made.trained.loss:.3f} after {made.trained.steps:,} steps")
        print(f"  test it with: naysay run -m {made.folder}")


COMMAND = calibration
