"""The Self-Contained Neg Test's controls on coreference (Kletz, Amsili and Candito 2023).

Does the model give a verb up because of the negation, or because of the person it was said of?
"""

from naysay.suites.scnt_controls.suite import SUITE

__all__ = ["SUITE"]
