"""Reading the released rows of Misprimed LAMA, which also have the negated queries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from naysay.core.probes import BLANK
from naysay.data.lama import facts as faults
from naysay.data.lama.facts import (
    TEMPLATED,
    Tally,
    asked_corpora,
    corpus_folders,
    rows,
    sentence_of,
    word_of,
)

MASK = "[MASK]"
"""The blank in upstream's files."""

WORDINGS = {
    "paper": {
        "place_of_birth": "[X] was born in the city of [Y] .",
        "date_of_birth": "[X] (born [Y]).",
        "place_of_death": "[X] died in the city of [Y] .",
    },
    "lama": {
        "place_of_birth": "[X] was born in [Y] .",
        "date_of_birth": "[X] (born [Y]).",
        "place_of_death": "[X] died in [Y] .",
    },
}
"""The templates of Google-RE, as Kassner and Schütze print and release them, and as LAMA has them.

They are not in any data file. LAMA's are those of its scripts; the paper's examples and its
released rows all have "the city of".
"""

UNUSED = frozenset({"P54", "P69", "P102", "P166", "P1923"})
"""Relations of T-REx that relations.jsonl lists and that LAMA has no facts for: 5 of 46."""

_LAST_SIGN = re.compile(r"\s+([.?!])$")


def filled(template: str, subject: str) -> str:
    """Fill in the subject of a template and mask the object.

    >>> filled("[X] died in [Y] .", "Ann Lee")
    'Ann Lee died in [MASK] .'
    """
    return template.replace("[Y]", MASK).replace("[X]", subject)


def recovered(sentence: str, subject: str) -> str:
    """Recover the template of a sentence by replacing the subject and the mask.

    >>> recovered("Ann Lee died in [MASK] .", "Ann Lee")
    '[X] died in [Y] .'
    """
    return sentence.replace(subject, "[X]").replace(MASK, "[Y]")


def shown(text: str, *, spaces: bool) -> str:
    """Convert an upstream text for models: with our blank and normal spacing.

    Spaces before the final punctuation, around the text, and repeated spaces are removed; with
    `spaces` they are kept.

    >>> shown("Ann  Lee died in [MASK] .", spaces=False)
    'Ann Lee died in ▢.'
    >>> shown("Ann  Lee died in [MASK] .", spaces=True)
    'Ann  Lee died in ▢ .'
    """
    text = text.replace(MASK, BLANK)
    return text if spaces else _LAST_SIGN.sub(r"\1", " ".join(text.split()))


def is_damaged(text: str) -> bool:
    """Return whether non-ASCII letters were decoded with the wrong encoding, as upstream once did.

    >>> is_damaged("Jos√© Lee"), is_damaged("José Lee")
    (True, False)
    """
    try:
        return text.encode("mac_roman").decode() != text
    except UnicodeError:
        return False


CLASSES = {"random": "A", "low_ranked": "B", "high_ranked": "C"}
"""Folders of the released files, and the paper's class of the primes in them."""
_SUFFIX = re.compile(r"_(?:random|low_ranked|high_ranked|test)$")


@dataclass(frozen=True, slots=True)
class ReleasedRow:
    """A row as in upstream's file, its texts with [MASK]."""

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
        """The identity of the fact, regardless of the class."""
        return (self.corpus, self.relation, self.subject, self.answer, self.query)


def released_rows(
    primed: Path, corpora: Sequence[str] | None, tally: Tally
) -> Iterator[ReleasedRow]:
    """Yield the usable rows of the released files, class by class; the others are counted."""
    folders = corpus_folders(primed)
    for corpus in asked_corpora(primed, list(folders), corpora):
        for folder, prime_class in CLASSES.items():
            # Earlier versions of upstream have one of the files one folder deeper.
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
    """The released negations of single facts, and the templates recovered from them."""

    of_facts: dict[tuple[str, ...], str] = field(default_factory=dict)
    templates: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """By corpus, relation and positive template."""


def released_negations(primed: Path, corpora: Sequence[str]) -> Negations:
    """Read the negations of the released files of these corpora, as far as there are any.

    The template of a relation is the most frequent one after removing the subjects.
    """
    found = Negations()
    pairs: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    there = [corpus for corpus in corpora if corpus in corpus_folders(primed)]
    for row in released_rows(primed, there, Tally()):
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
