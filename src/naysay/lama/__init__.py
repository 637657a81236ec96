"""Negated and Misprimed LAMA (Kassner and Schütze 2020): reading upstream's files.

`read_facts` reads the facts with their negated queries, `read_primed` the released misprimed
queries. Both count what they leave out and what is wrong in the files.
"""

from __future__ import annotations

from naysay.lama.corpora import read_facts
from naysay.lama.facts import CORPORA, Fact, Facts, Template
from naysay.lama.faults import Fault
from naysay.lama.files import common_vocabulary
from naysay.lama.negator import negate
from naysay.lama.primed import Primed, PrimedFact, read_primed

__all__ = [
    "CORPORA",
    "Fact",
    "Facts",
    "Fault",
    "Primed",
    "PrimedFact",
    "Template",
    "common_vocabulary",
    "negate",
    "read_facts",
    "read_primed",
]
