"""Suites of sentence embedders end to end: naysay's runs against the procedures as released."""

from __future__ import annotations

from pathlib import Path

from naysay.bench.procedures import SENTENCE, measure_kind
from naysay.bench.results import Result
from naysay.bench.sizes import Sizes

TITLE = "Sentence embedders"


def measure(sizes: Sizes, folder: Path, rounds: int) -> list[Result]:
    """Time all suites that ask embedders."""
    return list(measure_kind(SENTENCE, sizes, folder, rounds))
