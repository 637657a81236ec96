"""The Self-Contained paper's replication of Context Matters (Kletz, Amsili and Candito 2023).

Four targets, each after a positive and a negated context, with nothing else varied.
"""

from naysay.suites.scnt_table2.suite import SUITE

__all__ = ["SUITE"]
