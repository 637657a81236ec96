"""Suite cards: TOML beside the suite, read into a `Card`."""

from __future__ import annotations

import tomllib
from pathlib import Path

from naysay.protocols import Card


def read_card(folder: Path) -> Card:
    """The card in a suite's folder; every field must be there."""
    with (folder / "card.toml").open("rb") as stream:
        data = tomllib.load(stream)
    return Card(**{**data, "departures": tuple(data["departures"])})
