"""What holds of every reading of LAMA's files, and rows for toy ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

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


def write(path: Path, rows: Iterable[Any]) -> None:
    """Write rows as upstream does, one JSON object on each line; texts stay as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def fact(subject: str | None, answer: str | None, **more: Any) -> dict[str, Any]:
    """A row of a corpus with templates."""
    return {"sub_label": subject, "obj_label": answer, "evidences": ["…"] * 3, **more}


def cloze(answer: str, *sentences: str, **more: Any) -> dict[str, Any]:
    """A row of SQuAD."""
    return {"masked_sentences": list(sentences), "obj_label": answer, "sub_label": "Squad", **more}


def concept(relation: str, subject: str | None, answer: str, sentence: str, **more: Any) -> Any:
    """A row of ConceptNet."""
    return {**cloze(answer, sentence), "pred": relation, "sub_label": subject, **more}


def released(subject: str, answer: str, prime: str, query: str, negated: str, **more: Any) -> Any:
    """A released row with its prime."""
    return {
        "sub_label": subject, "obj_label": answer, "masked_sentences": [query],
        "masked_negations": [negated], "masked_misprimed": [f"{prime} {query}"], **more,
    }  # fmt: skip
