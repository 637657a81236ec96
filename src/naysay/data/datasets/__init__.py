"""The papers' data sets: their catalogue, their location, and their download.

None of them is part of naysay. Each is described by a TOML file of a suite: its licence, its
origin, and the size and SHA-256 of every file.
"""

from __future__ import annotations

from naysay.data.datasets.catalogue import (
    DATASETS,
    Dataset,
    PinnedFile,
    check,
    find,
    find_file,
    require,
)
from naysay.data.datasets.download import get

__all__ = ["DATASETS", "Dataset", "PinnedFile", "check", "find", "find_file", "get", "require"]
