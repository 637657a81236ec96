"""The templates of the pages, and where a page is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from naysay.core import VERSION
from naysay.reports.page import page_environment
from naysay.view.marking import against, blanks, said
from naysay.view.queries import EMPTY

ASSETS = Path(__file__).parent / "assets"
FILE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)
"""What pages that are files may do; on the server, its headers say so."""


@dataclass(frozen=True)
class Place:
    """Where a page is: its title, its part of the app, and how it links to others."""

    title: str
    part: str = ""
    """The entry of the navigation bar that it belongs to."""
    lead: str = ""


@cache
def templates() -> Any:
    """Return the environment of the templates, which every server of this process shares."""
    found = page_environment(ASSETS)
    found.globals |= {"version": VERSION, "policy": FILE_POLICY, "empty": EMPTY}
    found.filters |= {"blanks": blanks, "said": said, "against": against}
    return found
