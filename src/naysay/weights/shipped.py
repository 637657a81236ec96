"""Models that come with naysay: small, made by itself, and known to mind negation or not.

`naysay train calibration` makes them again.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent / "mini"
SHIPPED = {
    "mini-aware": "a small BERT for which negation decides what follows (masked, English)",
    "mini-blind": "the same BERT, for which negation decides nothing (masked, English)",
}


def folder_of(name: str) -> Path | None:
    """The folder of a model that comes with naysay, None if it is not one."""
    return _HERE / name if name in SHIPPED else None
