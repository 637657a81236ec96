"""Checking the instrument: do the suites tell who minds negation from who does not?"""

from naysay.calibrate.separation import PAIRS, Apart, Separation, calibrate

__all__ = ["PAIRS", "Apart", "Separation", "calibrate"]
