"""The suite: scnt's procedure in Italian, with one verb per pair."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from naysay.suites.protocol import LexiconReader
from naysay.suites.scin.lexicon import released_words
from naysay.suites.scnt.suite import SelfContainedNegTest


class SelfContainedItalianNegTest(SelfContainedNegTest):
    """The test of Gullace, Kletz, Poibeau, Lenci and Amsili (2024)."""

    name = "scin"
    version = 1
    patterns = "scin"
    verbs_per_pair = 1
    printed: Mapping[str, str] = {"drops": "Table 4", "selection": "Tables 3 and 5"}
    summary = "scnt in Italian: an infinitive in the context, a finite verb at the blank"
    folder = Path(__file__).parent
    lexicons: Mapping[str, LexiconReader] = {"scin": released_words}


SUITE = SelfContainedItalianNegTest()
