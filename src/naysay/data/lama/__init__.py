"""Readers of Negated and Misprimed LAMA (Kassner and Schütze 2020).

`read_facts` reads the facts with their negated queries, `read_primed` the released misprimed
queries. Both count the rows they leave out and the faults in the files.
"""

from __future__ import annotations

from naysay.data.lama.corpora import read_facts
from naysay.data.lama.facts import (
    CORPORA,
    Fact,
    FactSet,
    Fault,
    RelationTemplate,
    common_vocabulary,
)
from naysay.data.lama.negator import is_in_subset, negate
from naysay.data.lama.primed import Primed, PrimedFact, read_primed

__all__ = [
    "CORPORA",
    "Fact",
    "FactSet",
    "Fault",
    "Primed",
    "PrimedFact",
    "RelationTemplate",
    "common_vocabulary",
    "is_in_subset",
    "negate",
    "read_facts",
    "read_primed",
]
