"""What holds of every reading of LAMA's files, upstream's and toy ones."""

from __future__ import annotations

from collections import Counter

from naysay.core.probes import BLANK
from naysay.data.lama import Fact, FactSet, Primed
from naysay.data.lama import facts as names


def counts(read: FactSet | Primed) -> dict[tuple[str, str], int]:
    """The faults by relation (or corpus) and what they are, but for missing files."""
    return {
        (fault.relation or fault.corpus, fault.what): fault.count
        for fault in read.faults
        if fault.what != names.NO_FILE
    }


def assert_all_rows_accounted_for(read: FactSet | Primed) -> None:
    """Each row that was read is a fact, or a fault that says why it is none."""
    facts = [item if isinstance(item, Fact) else item.fact for item in read.facts]
    told = Counter(f"{item.corpus}/{item.relation}" for item in facts)
    for fault in read.faults:
        if fault.left_out:
            told[f"{fault.corpus}/{fault.relation}"] += fault.count
    assert told == read.read
    assert all(item.query.count(BLANK) == 1 for item in facts)
    assert all(item.negated is None or item.negated.count(BLANK) == 1 for item in facts)
    assert all((item.negated is None) == (item.negation == "none") for item in facts)


def by_key(read: FactSet) -> dict[str, Fact]:
    """The facts by their keys, which no two share."""
    assert_all_rows_accounted_for(read)
    assert len({item.key for item in read.facts}) == len(read.facts)
    return {item.key: item for item in read.facts}
