"""Two or more runs on the same items, and whether one is good enough beside another."""

from naysay.analysis.comparison import Change, ComparedTable, Comparison, compare

__all__ = ["Change", "ComparedTable", "Comparison", "compare"]
