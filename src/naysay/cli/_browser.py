"""Showing a page in the browser, where there is one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

DEFAULT_PAGE = Path("report.html")
"""Where a report is written that is to be opened and has no other place."""


def show_page(path: Path) -> None:
    """Open a page in the browser; where there is no screen, print where the page is."""
    import webbrowser

    whole = path.resolve()
    if _has_screen() and webbrowser.open(whole.as_uri()):
        print(f"opened: {path}")
    else:
        print(f"no screen here; open it in a browser: {whole}")


def show_address(address: str) -> None:
    """Open an address in the browser, if there is a screen; it is printed by the caller."""
    import webbrowser

    if _has_screen():
        webbrowser.open(address)


def _has_screen() -> bool:
    """Whether a browser would be seen: not on another machine, nor as text in a terminal."""
    if os.environ.get("BROWSER"):
        return True
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return True
    return sys.platform in ("darwin", "win32") and not os.environ.get("SSH_CONNECTION")
