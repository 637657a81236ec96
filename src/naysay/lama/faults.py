"""What can be wrong with upstream's rows, and how often it was met."""

from __future__ import annotations

from collections import Counter
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
"""The faults for which a row is left out; with any other one it stays."""

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
    """Something that was found wrong or left out, how often, and the first case of it."""

    corpus: str
    relation: str
    what: str
    count: int
    example: str

    @property
    def left_out(self) -> bool:
        """Whether it is for this that rows were left out."""
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
        """Count a fault; the first example of its kind is kept."""
        self.counts[corpus, relation, what] += 1
        self.examples.setdefault((corpus, relation, what), str(example)[:200])

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults, in the order in which they were met first."""
        return tuple(
            Fault(*place, count, self.examples[place]) for place, count in self.counts.items()
        )
