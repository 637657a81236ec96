"""Tests on pairs of answers to the same items."""

from __future__ import annotations


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value of McNemar's test, from the two discordant counts.

    >>> mcnemar(0, 0)
    1.0
    >>> round(mcnemar(1, 9), 4)
    0.0215
    """
    from scipy.stats import binomtest

    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    return float(binomtest(only_first, discordant, 0.5).pvalue)
