"""Suites end to end: naysay's runs against the procedures as released."""

from __future__ import annotations

from pathlib import Path

from naysay.bench.results import Result
from naysay.bench.selection import measure_selection
from naysay.bench.sizes import Sizes
from naysay.bench.templates import measure_templates

TITLE = "Suites of masked models, end to end"

SHARES = (
    ("scnt", 0.217, "bert-base-cased", 20.0),
    ("scnt", 0.619, "roberta-base", 20.0),
    ("scin", 0.255, "b-b-it-c", 100.0),
)
"""The suite, the share of verbs that a model of its paper repeats, that model, and the target."""


def measure(sizes: Sizes, folder: Path, rounds: int) -> list[Result]:
    """Time all suites that ask masked models."""
    found: list[Result] = [
        measure_selection(suite, share, like, least, sizes, folder / f"{suite}-{like}", rounds)
        for suite, share, like, least in SHARES
    ]
    return [*found, measure_templates("gh22", 8.0, sizes, folder / "gh22", rounds)]
