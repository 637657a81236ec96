"""Figures as text: as many digits as say something."""

from __future__ import annotations

DIGITS = {"score": 3}
"""Decimals, where they are not one."""
_WHOLE = {"%": 100.0, "rho": 100.0, "score": 1.0}
_NOISE = 1e-6  # what is smaller comes from rounding
_MORE = 3
"""How many decimals are added at most."""


def plain_number(value: float, unit: str) -> str:
    """A figure without its unit, with more decimals where it would be shown as nothing or as all.

    >>> plain_number(0.004, "%"), plain_number(0.0, "%"), plain_number(-0.03, "points")
    ('0.004', '0.0', '-0.03')
    >>> plain_number(0.00001, "%"), plain_number(99.99999, "%")
    ('< 0.0001', '> 99.9999')
    """
    digits = DIGITS.get(unit, 1)
    most = digits + _MORE
    for end in (0.0, _WHOLE.get(unit, 0.0)):
        if abs(value - end) > _NOISE:
            while round(value, digits) == end and digits < most:
                digits += 1
            if round(value, digits) == end:
                sign = "<" if value > end else ">"
                return f"{sign} {end + (1 if value > end else -1) * 10**-digits:.{digits}f}"
    return f"{value:{'+' if unit == 'points' else ''}.{digits}f}"


def amount(count: int, plural: str) -> str:
    """How many there are of something that is named in the plural.

    >>> amount(1, "pairs"), amount(1, "queries"), amount(0, "items"), amount(1200, "facts")
    ('1 pair', '1 query', '0 items', '1,200 facts')
    """
    if count != 1:
        return f"{count:,} {plural}"
    return f"1 {plural[:-3]}y" if plural.endswith("ies") else f"1 {plural.removesuffix('s')}"


def percentage(share: float) -> str:
    """A probability in percent, with two digits that say something.

    >>> [percentage(share) for share in (0.34, 0.034, 0.00021, 0.00001, 0.9971, 0.99999, 1.0)]
    ['34 %', '3.4 %', '0.02 %', '< 0.01 %', '99.7 %', '> 99.9 %', '100 %']
    """
    value = 100 * share
    if 99.95 <= value < 100:
        return "> 99.9 %"
    if 0 <= value < 0.01:
        return "< 0.01 %"
    digits = 1 if 99 <= value < 100 or 1 <= value < 9.95 else 0 if value >= 9.95 else 2
    return f"{value:.{digits}f} %"
