"""Reading the released primes of Misprimed LAMA, with their faults found and mended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.lama import faults
from naysay.lama.capitals import Capitals
from naysay.lama.corpora import read_facts
from naysay.lama.facts import CORPORA, Fact, Facts, Keys
from naysay.lama.faults import Fault, Tally
from naysay.lama.files import VOCABULARY, beside, common_vocabulary, corpus_folders, relations
from naysay.lama.negator import is_negation, negate
from naysay.lama.released import ReleasedRow, released_rows
from naysay.lama.wording import MASK, shown

_PRIME = re.compile(r"(?P<prime>[^?]+)\?(?P<more>(?:\s*\?)*)\s*")


@dataclass(frozen=True, slots=True)
class PrimedFact:
    """A fact with a word before its query."""

    fact: Fact
    prime_class: str
    """A random word, B an answer of another fact of the relation, C a wrong answer ranked high."""
    prime: str
    """The word as it stands in the text, without the question mark."""
    text: str
    """The prime, a question mark, and the query."""


@dataclass(frozen=True)
class Primed:
    """What was read: facts with their primes, faults, and the number of rows."""

    facts: tuple[PrimedFact, ...]
    faults: tuple[Fault, ...]
    read: dict[str, int]
    """Rows read, by corpus/relation, all classes together."""


def read_primed(
    primed: Path,
    data: Path | None = None,
    corpora: Sequence[str] | None = None,
    *,
    facts: Facts | None = None,
    spaces: bool = False,
) -> Primed:
    """The misprimed queries as released, their faults mended or left out, and counted.

    `data` is the folder of LAMA: it tells the kinds of relations and the common vocabulary, and its
    facts are read unless they are given. They give the primed facts their keys. Without it, kinds
    are empty, keys are made from the released rows, and capitals are known from answers only.

    Mended are question marks that are there more than once, and primes that lost capitals, such as
    "Ibm" (see `Capitals`). Left out are primes that are the answer, whatever their capitals. Every
    row is either a primed fact or counted under a fault for which rows are left out.
    """
    tally = Tally()
    for corpus in CORPORA if corpora is None else ():
        if corpus not in corpus_folders(primed):
            tally.fault(corpus, "", faults.NO_FILE, f"no folder of {corpus} in {primed}")
    if facts is None and data is not None and corpus_folders(data):
        facts = read_facts(data, primed, spaces=spaces)
    about = relations(data) if data else {}
    kinds = {name: str(told.get("type", "")) for name, told in about.items()}
    released = list(released_rows(primed, corpora, tally))
    known = _Known(facts, kinds, spaces, tally)
    answers = [(fact.corpus, fact.relation, fact.answer) for fact in facts.facts] if facts else []
    answers += [(row.corpus, row.relation, row.answer) for row in released]
    words = common_vocabulary(data) if data and beside(data, VOCABULARY) else ()
    found = tuple(_primed_facts(released, known, Capitals(answers, words), tally))
    return Primed(found, tally.faults, dict(tally.read))


def _primed_facts(
    released: Sequence[ReleasedRow], known: _Known, capitals: Capitals, tally: Tally
) -> Iterator[PrimedFact]:
    seen: set[tuple[str, ...]] = set()
    for row in released:
        match = _PRIME.fullmatch(row.misprimed.removesuffix(row.query))
        own = (row.prime_class, *row.identity)
        if match is None or own in seen:
            what = faults.DOUBLED if match else faults.NO_PRIME
            tally.fault(row.corpus, row.relation, what, row.misprimed)
            continue
        seen.add(own)
        prime, lost = capitals.mended(
            match["prime"].strip(), row.corpus, row.relation, random=row.prime_class == "A"
        )
        notes = {
            faults.MANY_MARKS: bool(match["more"]),
            faults.LONG_PRIME: " " in prime,
            lost: bool(lost),
            faults.GOLD_PRIME: prime.lower() == row.answer.lower(),
        }
        for what in (what for what, applies in notes.items() if applies):
            tally.fault(row.corpus, row.relation, what, row.misprimed)
        fact = known.fact(row)
        if not notes[faults.GOLD_PRIME]:
            yield PrimedFact(fact, row.prime_class, prime, f"{prime}? {fact.query}")


class _Known:
    """The facts of LAMA, to be met again in the released rows."""

    def __init__(
        self, facts: Facts | None, kinds: dict[str, str], spaces: bool, tally: Tally
    ) -> None:
        self.kinds = kinds
        self.spaces = spaces
        self.tally = tally
        self.read = set(facts.read) if facts else set()
        self.keys = Keys()
        self.facts = {
            self._key(fact.corpus, fact.relation, fact.subject, fact.answer, fact.query): fact
            for fact in (facts.facts if facts else ())
        }

    def _key(self, corpus: str, relation: str, subject: str, answer: str, query: str) -> str:
        # With and without upstream's spaces it is the same query.
        return self.keys.of(corpus, relation, subject, answer, shown(query, spaces=False))

    def fact(self, row: ReleasedRow) -> Fact:
        """The fact of a row: LAMA's own if it asks the same, else one with its key."""
        key = self._key(row.corpus, row.relation, row.subject, row.answer, row.query)
        lama = self.facts.get(key)
        if lama is None and f"{row.corpus}/{row.relation}" in self.read:
            self.tally.fault(row.corpus, row.relation, faults.NOT_IN_LAMA, row.query)
        negated: str | None = row.negated
        negation = "released"
        if row.negated.count(MASK) != 1 or not is_negation(row.query, row.negated):
            self.tally.fault(row.corpus, row.relation, faults.NOT_NEGATED, row.negated)
            negated = negate(row.query)
            negation = "built" if negated else "none"
        query = shown(row.query, spaces=self.spaces)
        if lama and lama.query == query:
            return lama
        return Fact(
            lama.key if lama else key,
            row.corpus,
            row.relation,
            lama.kind if lama else self.kinds.get(row.relation, ""),
            row.subject,
            row.answer,
            query,
            None if negated is None else shown(negated, spaces=self.spaces),
            negation,
        )
