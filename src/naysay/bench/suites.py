"""Suites of masked models end to end: naysay's runs against the procedures as released."""

from __future__ import annotations

from pathlib import Path

from naysay.bench.procedures import MASKED, measure_kind
from naysay.bench.results import Result
from naysay.bench.sizes import Sizes

TITLE = "Suites of masked models, end to end"


def measure(sizes: Sizes, folder: Path, rounds: int) -> list[Result]:
    """Time all suites that ask masked models."""
    return list(measure_kind(MASKED, sizes, folder, rounds))
