"""The Self-Contained Italian Neg Test (Gullace, Kletz, Poibeau, Lenci and Amsili 2024).

scnt's procedure with Italian patterns: the verb is an infinitive in the context and a finite form
at the blank, which stands in the middle of its sentence.
"""

from naysay.suites.scin.suite import SUITE

__all__ = ["SUITE"]
