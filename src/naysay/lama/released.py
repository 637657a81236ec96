"""The released rows of Misprimed LAMA, which also have the negated queries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from naysay.lama import faults
from naysay.lama.facts import TEMPLATED
from naysay.lama.faults import Tally
from naysay.lama.files import asked_corpora, corpus_folders, rows, sentence_of, word_of
from naysay.lama.wording import MASK, filled, recovered

CLASSES = {"random": "A", "low_ranked": "B", "high_ranked": "C"}
"""Folders of the released files, and what the paper calls the primes in them."""
_SUFFIX = re.compile(r"_(?:random|low_ranked|high_ranked|test)$")


@dataclass(frozen=True, slots=True)
class ReleasedRow:
    """A row as upstream has it, its texts with [MASK]."""

    corpus: str
    relation: str
    prime_class: str
    subject: str
    answer: str
    query: str
    negated: str
    misprimed: str

    @property
    def identity(self) -> tuple[str, ...]:
        """What makes it the same fact as another row, of whatever class."""
        return (self.corpus, self.relation, self.subject, self.answer, self.query)


def released_rows(
    primed: Path, corpora: Sequence[str] | None, tally: Tally
) -> Iterator[ReleasedRow]:
    """The usable rows of the released files, class by class; the others are counted."""
    folders = corpus_folders(primed)
    for corpus in asked_corpora(primed, list(folders), corpora):
        for folder, prime_class in CLASSES.items():
            # Upstream has one of the files a folder deeper than the others.
            files = sorted((folders[corpus] / folder).glob("**/*.jsonl"))
            if not files:
                tally.fault(corpus, "", faults.NO_FILE, f"{folders[corpus].name}/{folder}")
            for path in files:
                yield from _rows_of(path, corpus, prime_class, tally)


def _rows_of(path: Path, corpus: str, prime_class: str, tally: Tally) -> Iterator[ReleasedRow]:
    relation = _SUFFIX.sub("", path.stem) if corpus in TEMPLATED else ""
    for row in rows(path):
        if isinstance(row, str):
            tally.row(corpus, relation)
            tally.fault(corpus, relation, faults.NO_JSON, row)
            continue
        found = ReleasedRow(
            corpus,
            word_of(row, "pred") if corpus == "conceptnet" else relation,
            prime_class,
            word_of(row, "sub_label"),
            word_of(row, "obj_label"),
            sentence_of(row, "masked_sentences"),
            sentence_of(row, "masked_negations", "negated"),
            sentence_of(row, "masked_misprimed"),
        )
        tally.row(corpus, found.relation)
        if what := _fault_of(found):
            tally.fault(corpus, found.relation, what, found.misprimed or found.query or row)
        else:
            yield found


def _fault_of(row: ReleasedRow) -> str:
    blanks = row.query.count(MASK)
    checks = {
        faults.NO_SUBJECT: not row.subject,
        faults.NO_ANSWER: not row.answer,
        faults.NO_BLANK: blanks == 0,
        faults.MANY_BLANKS: blanks > 1,
        faults.NO_PRIME: not row.misprimed.endswith(row.query) or "?" not in row.misprimed,
    }
    return next((what for what, wrong in checks.items() if wrong), "")


@dataclass
class Negations:
    """The released negations: of single facts, and the templates that can be read off them."""

    of_facts: dict[tuple[str, ...], str] = field(default_factory=dict)
    templates: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """By corpus, relation and positive template."""


def released_negations(primed: Path) -> Negations:
    """All negations of the released files.

    A template is what most rows of a relation have in common once their subjects are taken out.
    """
    found = Negations()
    pairs: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for row in released_rows(primed, None, Tally()):
        if not row.negated or row.identity in found.of_facts:
            continue
        found.of_facts[row.identity] = row.negated
        pair = recovered(row.query, row.subject), recovered(row.negated, row.subject)
        if filled(pair[1], row.subject) == row.negated and row.corpus in TEMPLATED:
            pairs.setdefault((row.corpus, row.relation), Counter())[pair] += 1
    for place, counts in pairs.items():
        (positive, negated), _ = counts.most_common(1)[0]
        found.templates[*place, positive] = negated
    return found
