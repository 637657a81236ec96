"""Sources of weights: a folder, a file, the package index, or the hub."""

from __future__ import annotations

from naysay.models.files.weights import Weights, locate, located

__all__ = ["Weights", "locate", "located"]
