"""Analyses of several runs: comparison, gate, calibration, missed items."""

from naysay.analysis.comparison import Change, ComparedTable, Comparison, compare

__all__ = ["Change", "ComparedTable", "Comparison", "compare"]
