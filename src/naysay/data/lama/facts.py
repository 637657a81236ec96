"""Facts of LAMA, and the faults found in its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

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
LEFT_OUT = frozenset({
    NO_JSON, NO_SUBJECT, NO_ANSWER, NO_TEMPLATE, NO_BLANK, MANY_BLANKS, LONG, RATED_WRONG, DOUBLED,
    NO_PRIME, GOLD_PRIME,
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
