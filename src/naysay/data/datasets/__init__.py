"""Upstream's data sets: what they are, where they are, and how they are fetched.

None of them ships with naysay. Each is described by one TOML file here: its licence, its origin,
and the size and SHA-256 of every file.
"""

from __future__ import annotations

from naysay.data.datasets.catalogue import DATASETS, Dataset, PinnedFile
from naysay.data.datasets.download import get
from naysay.data.datasets.folders import check, find, require

__all__ = ["DATASETS", "Dataset", "PinnedFile", "check", "find", "get", "require"]
