"""Analyses of several runs: comparison, gate, calibration, missed items."""

from naysay.analysis.changes import Change
from naysay.analysis.comparison import ComparedTable, Comparison, compare

__all__ = ["Change", "ComparedTable", "Comparison", "compare"]
