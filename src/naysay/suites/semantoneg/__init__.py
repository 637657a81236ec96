"""Negated antonyms in sentence embeddings: SemAntoNeg (Vahtola, Creutz and Tiedemann 2022).

Which of three sentences means the same: the one with the antonym, the one with the other polarity,
or the one with both? It is the last, and it has the fewest words in common.
"""

from naysay.suites.semantoneg.suite import SUITE

__all__ = ["SUITE"]
