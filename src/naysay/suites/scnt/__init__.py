"""The Self-Contained Neg Test (Kletz, Amsili and Candito 2023).

A context says that somebody likes, or doesn't like, to do something; a target asks what they are,
or aren't, happy to do. Repeating the context's verb is natural where both have one polarity and a
contradiction where they differ, so a model that understands *not* stops repeating it exactly there.
"""

from naysay.suites.scnt.suite import SUITE

__all__ = ["SUITE"]
