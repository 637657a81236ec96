"""Negated antonyms by likelihood: SemAntoNeg (Vahtola and others 2022) for causal models."""

from naysay.suites.semantoneg_likelihood.suite import SUITE

__all__ = ["SUITE"]
