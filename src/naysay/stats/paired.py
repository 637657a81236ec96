"""Tests on pairs of answers to the same items."""

from __future__ import annotations

from collections.abc import Sequence


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value of McNemar's test, from the two discordant counts.

    >>> mcnemar(0, 0)
    1.0
    >>> round(mcnemar(1, 9), 4)
    0.0215
    """
    from scipy.special import bdtr

    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    # The smaller count, so that the two in the other order give the very same figure.
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), discordant, 0.5)))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values, for several tests that are told together; None stays None.

    >>> holm([0.01, 0.04, 0.03, None])
    [0.03, 0.06, 0.06, None]
    """
    known = sorted((p, k) for k, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for passed, (p, k) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - passed)))
        adjusted[k] = highest
    return adjusted
