"""Negated antonyms as a question: SemAntoNeg (Vahtola and others 2022) for models that answer."""

from naysay.suites.semantoneg_prompted.suite import SUITE

__all__ = ["SUITE"]
