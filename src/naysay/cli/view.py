"""`naysay view`: browse runs, read single items and try a model, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._browser import show_address
from naysay.cli._completion import models as known_models
from naysay.cli._output import RUNS, Runs, runs_argument
from naysay.core.extras import need


def view(
    runs: Annotated[list[str] | None, runs_argument("Or a folder of runs. [default: all]")] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--model",
            metavar="NAME",
            help="Model to offer for trying, beside those that are here; repeatable.",
            autocompletion=known_models,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on this machine. [default: a free one]",
                          show_default=False)
    ] = 0,
    browse: Annotated[
        bool, typer.Option("--open/--no-open", help="Whether to open the browser.")
    ] = True,
    bundle: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the pages as files to this directory instead."),
    ] = None,
    folder: Runs = RUNS,
) -> None:  # fmt: skip
    """Browse runs and single items, compare runs, and try a model, in the browser.

    The server answers only this machine, and changes nothing. Ctrl-C ends it.
    """
    need("view", "naysay view")
    from naysay.view.folder import find_folder

    shown = find_folder(runs or (), folder)
    if bundle is not None:
        from naysay.view.bundle import write_bundle

        count = write_bundle(shown, bundle)
        print(f"written: {count} pages in {bundle}; begin with {bundle / 'index.html'}")
        return
    from naysay.view.server import listening, serve
    from naysay.view.site import Site
    from naysay.view.trial import Trial

    place = listening(port)
    address = f"http://127.0.0.1:{place.getsockname()[1]}/"

    def started() -> None:
        print(f"naysay view: {address} (Ctrl-C ends it)", flush=True)
        if browse:
            show_address(address)

    serve(Site(shown), Trial(models or ()), place, started)


COMMAND = view
