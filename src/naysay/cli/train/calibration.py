"""`naysay train calibration`: train the two small models that calibrate the suites."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import OUTPUT
from naysay.core.extras import need


def calibration(
    out: Annotated[Path, typer.Option(*OUTPUT, help="Output directory for the two models.")] = Path(
        "calibration"
    ),
    seed: Annotated[int, typer.Option(help="Seed of the corpus, the weights and the order.")] = 0,
    steps: Annotated[int | None, typer.Option(min=1, help="Training steps.")] = None,
) -> None:
    """Train mini-aware, a small BERT that is sensitive to negation, and mini-blind, which is not.

    To resume interrupted training, run the same command again.
    """
    need("hf", "naysay train calibration")
    from naysay.train.calibration.models import KINDS, make

    for kind in KINDS:
        made = make(kind, out, seed=seed, steps=steps)
        print(f"{made.name}: loss {made.trained.loss:.3f} after {made.trained.steps:,} steps")
        print(f"  test it with: naysay run -m {made.folder}")


COMMAND = calibration
