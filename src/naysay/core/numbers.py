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
