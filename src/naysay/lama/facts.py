"""Facts of LAMA as naysay holds them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from naysay.lama.faults import Fault

CORPORA = ("google_re", "trex", "conceptnet", "squad")
"""The four corpora, in the order of the paper's tables."""
TEMPLATED = ("google_re", "trex")
"""Those whose queries come from one template a relation."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with one answer, and the same question negated."""

    key: str
    """corpus/relation/subject/answer, with /2 and so on where another query has the same."""
    corpus: str
    relation: str
    """As upstream names it, such as place_of_birth, P19 or HasPrerequisite; empty for SQuAD."""
    kind: str
    """For T-REx 1-1, N-1 or N-M, else empty."""
    subject: str
    answer: str
    query: str
    """The positive query, with one blank."""
    negated: str | None
    """The negated query, with one blank; None where it cannot be negated."""
    negation: str
    """Where that comes from: released, template, built or none."""


@dataclass(frozen=True, slots=True)
class Template:
    """The sentence of a relation, plain and negated: [X] is the subject, [Y] is asked for."""

    corpus: str
    relation: str
    kind: str
    positive: str
    negated: str | None
    negation: str
    """Where that comes from: template (upstream's own), built or none."""


@dataclass(frozen=True)
class Facts:
    """What was read: facts, faults, the number of rows, and the templates."""

    facts: tuple[Fact, ...]
    faults: tuple[Fault, ...]
    read: dict[str, int]
    """Rows read, by corpus/relation, before anything was left out."""
    templates: tuple[Template, ...] = ()


@dataclass
class Keys:
    """Gives each fact a key that tells what it says, and a number where that is not enough.

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
        """The key of a fact, the same whenever it is asked for."""
        # A template leaves no choice: there the query is no part of what a fact is.
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
