"""Negated LAMA: does "not" change what a model says of facts? (Kassner and Schütze 2020)

Each fact is asked as it is and negated. A model that reads "not" gives another answer, and ranks
the words of the vocabulary in another order.
"""

from naysay.suites.lama.suite import SUITE

__all__ = ["SUITE"]
