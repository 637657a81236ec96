"""Misprimed LAMA: does a word before the question lead a model astray? (Kassner and Schütze 2020)

"Dinosaurs? Munich is located in ▢." Only what the model answers right without the prime is asked.
"""

from naysay.suites.lama_misprimed.suite import SUITE

__all__ = ["SUITE"]
