"""Extraction of sentences with a negation and a contrast word from a plain-text corpus.

These are the training data of Gubelmann and Handschuh (2022, appendix D). Sentences that resemble
test items are counted and left out.
"""

from __future__ import annotations

from naysay.train.extraction.guard import Leak
from naysay.train.extraction.harvest import extract
from naysay.train.extraction.leaks import LeakPattern, leak_patterns
from naysay.train.extraction.outcome import Extraction
from naysay.train.extraction.rules import RULES

__all__ = ["RULES", "Extraction", "Leak", "LeakPattern", "extract", "leak_patterns"]
