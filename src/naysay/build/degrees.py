"""Degree words, and which of them leave a paraphrase sound."""

from __future__ import annotations

MILD = {"very", "really", "quite"}
"""These may stand before the word with the antonym, but should be looked at."""
STRONG = {"too", "that", "this", "so", "as", "such", "enough", "all", "much", "nearly", "half"}
"""These may not: what is not too bad need not be good."""
