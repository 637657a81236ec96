"""Negated LAMA (Kassner and Schütze 2020) as questions to models that chat.

A fact and its negation are asked with the right answer and that of another fact to choose from.
"""

from naysay.suites.lama_chat.suite import SUITE

__all__ = ["SUITE"]
