"""Facts, what is wrong with some of them, and the files they are read from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from naysay.core.errors import DatasetError, UnknownNameError
from naysay.core.files import opened, read_text

NO_JSON = "not a JSON object"
NO_SUBJECT = "no subject"
NO_ANSWER = "no answer"
NO_TEMPLATE = "no template"
NO_BLANK = "no blank"
MANY_BLANKS = "several blanks"
LONG = "longer than 100 words"
RATED_WRONG = "more raters say no than yes"
DOUBLED = "doubled"
NO_PRIME = "no prime before the query"
GOLD_PRIME = "prime is the answer"
NOT_IN_SUBSET = "outside the paper's easy-to-negate subset"
LEFT_OUT = frozenset({
    NO_JSON, NO_SUBJECT, NO_ANSWER, NO_TEMPLATE, NO_BLANK, MANY_BLANKS, LONG, RATED_WRONG, DOUBLED,
    NO_PRIME, GOLD_PRIME, NOT_IN_SUBSET,
})  # fmt: skip
"""The faults that exclude a row; rows with other faults are kept."""

NO_FILE = "no file"
NOT_IN_VOCABULARY = "answer not in the common vocabulary"
ANSWER_IS_SUBJECT = "answer is the subject"
DAMAGED = "damaged letters"
NOT_EASY = "not easy to negate"
NOT_NEGATED = "released negation is not negated"
NOT_NEGATED_TEMPLATE = "released template is not negated"
NOT_IN_LAMA = "fact not in LAMA's file"
LONG_PRIME = "prime of several words"
MAYBE_ACRONYM = "prime may be an acronym"
MANY_MARKS = "doubled question mark"
LOST_ACRONYM = "acronym in small letters"
LOST_CAPITALS = "capitals within the prime lost"


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault, its number of cases, and the first one."""

    corpus: str
    relation: str
    what: str
    count: int
    example: str

    @property
    def left_out(self) -> bool:
        """Whether the fault excludes rows."""
        return self.what in LEFT_OUT


@dataclass
class Tally:
    """Counts rows and faults while files are read."""

    read: Counter[str] = field(default_factory=Counter)
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def row(self, corpus: str, relation: str) -> None:
        """Count a row that was read."""
        self.read[f"{corpus}/{relation}"] += 1

    def fault(self, corpus: str, relation: str, what: str, example: object) -> None:
        """Count a fault and keep the first example of its kind."""
        self.counts[corpus, relation, what] += 1
        self.examples.setdefault((corpus, relation, what), str(example)[:200])

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults, in the order of their first occurrence."""
        return tuple(
            Fault(*place, count, self.examples[place]) for place, count in self.counts.items()
        )


CORPORA = ("google_re", "trex", "conceptnet", "squad")
"""The four corpora, in the order of the paper's tables."""
TEMPLATED = ("google_re", "trex")
"""The corpora with one template per relation."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with one answer, and the same question negated."""

    key: str
    """corpus/relation/subject/answer, with /2 and so on if another query has the same key."""
    corpus: str
    relation: str
    """The upstream name, such as place_of_birth, P19 or HasPrerequisite; empty for SQuAD."""
    kind: str
    """For T-REx 1-1, N-1 or N-M, else empty."""
    subject: str
    answer: str
    query: str
    """The positive query, with one blank."""
    negated: str | None
    """The negated query, with one blank; None if it cannot be negated."""
    negation: str
    """The source of the negated query: released, template, built or none."""


@dataclass(frozen=True, slots=True)
class RelationTemplate:
    """The sentence of a relation, plain and negated: [X] is the subject, [Y] the answer."""

    corpus: str
    relation: str
    kind: str
    positive: str
    negated: str | None
    negation: str
    """The source of the negated template: template (upstream's own), built or none."""


@dataclass(frozen=True)
class FactSet:
    """The facts, faults, numbers of rows and templates of a reading."""

    facts: tuple[Fact, ...]
    faults: tuple[Fault, ...]
    read: dict[str, int]
    """Rows read, by corpus/relation, before any exclusion."""
    templates: tuple[RelationTemplate, ...] = ()


@dataclass
class Keys:
    """Assigns each fact a readable key, with a number if necessary.

    >>> keys = Keys()
    >>> keys.of("squad", "", "Squad", "gold", "It is ▢.")
    'squad//Squad/gold'
    >>> keys.of("squad", "", "Squad", "gold", "The bar was ▢.")
    'squad//Squad/gold/2'
    >>> keys.of("squad", "", "Squad", "gold", "It is ▢.")
    'squad//Squad/gold'
    """

    given: dict[Hashable, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def of(self, corpus: str, relation: str, subject: str, answer: str, query: str) -> str:
        """Return the key of a fact, always the same for the same fact."""
        # With a template the query follows from the rest, so it is not part of the identity.
        identity = (corpus, relation, subject, answer, "" if corpus in TEMPLATED else query)
        if identity not in self.given:
            base = key = f"{corpus}/{relation}/{subject}/{answer}"
            number = 1
            while key in self.taken:
                number += 1
                key = f"{base}/{number}"
            self.given[identity] = key
            self.taken.add(key)
        return self.given[identity]


RELATIONS = "relations.jsonl"
VOCABULARY = "common_vocab_cased.txt"
_PLAIN = {name.replace("_", ""): name for name in CORPORA}


def corpus_folders(root: Path) -> dict[str, Path]:
    """Return the folders of the corpora by corpus, in the folder or in its `data`.

    Upstream writes Google_RE or GoogleRE, Squad or SQUAD; both are accepted.
    """
    for place in (root / "data", root):
        if not place.is_dir():
            continue
        folders = {
            _PLAIN[plain]: folder
            for folder in sorted(place.iterdir())
            if (plain := folder.name.lower().replace("_", "")) in _PLAIN and folder.is_dir()
        }
        if folders:
            return {corpus: folders[corpus] for corpus in CORPORA if corpus in folders}
    return {}


def asked_corpora(root: Path, there: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    """Return the corpora to read; named ones must exist, and at least one corpus must."""
    for corpus in asked or ():
        if corpus not in CORPORA:
            raise UnknownNameError("corpus", corpus, CORPORA)
        if corpus not in there:
            raise DatasetError(
                f"{root} has no {corpus}; it has {', '.join(there) or 'no corpus of LAMA'}. "
                "Add it in upstream's layout, or do not request it."
            )
    if not there:
        raise DatasetError(
            f"{root} has no corpus of LAMA: neither it nor its data folder has one of "
            "Google_RE, TREx, ConceptNet, Squad"
        )
    return [corpus for corpus in there if asked is None or corpus in asked]


def beside(root: Path, name: str) -> Path | None:
    """Find a file that upstream keeps in the folder, in its `data`, or next to it."""
    places = (root, root / "data", root.parent, root / "pre-trained_language_models")
    return next((place / name for place in places if (place / name).is_file()), None)


def common_vocabulary(data: Path) -> tuple[str, ...]:
    """Return the words of LAMA's common vocabulary in order, without duplicates."""
    path = beside(data, VOCABULARY)
    if path is None:
        raise DatasetError(f"neither {data} nor its data folder has {VOCABULARY}: put it there")
    try:
        lines = read_text(path, "utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    words = tuple(dict.fromkeys(word for line in lines if (word := line.strip())))
    if not words:
        raise DatasetError(f"{path} has no words")
    return words


def rows(path: Path) -> Iterator[dict[str, Any] | str]:
    """Yield the JSON objects of a file, one per line; an invalid line is yielded as text.

    Lines are read one at a time, since the evidence in some of them is long.
    """
    try:
        with opened(path) as stream:
            for line in stream:
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except ValueError:
                    row = None
                yield row if isinstance(row, dict) else line.decode("utf-8", "replace").strip()
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error


def relations(data: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of relations.jsonl by relation of T-REx; empty without the file."""
    path = beside(data, RELATIONS)
    found = rows(path) if path else ()
    return {row["relation"]: row for row in found if isinstance(row, dict) and "relation" in row}


def word_of(row: dict[str, Any], name: str) -> str:
    """Return a field of a row, stripped; empty if it is not a string."""
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def sentence_of(row: dict[str, Any], *names: str) -> str:
    """Return the sentences of the first field that has any, joined as LAMA joins them."""
    for name in names:
        value = row.get(name)
        parts = [value] if isinstance(value, str) else value
        if isinstance(parts, list) and parts and all(isinstance(part, str) for part in parts):
            return " ".join(parts)
    return ""
