"""Reading the released primes of Misprimed LAMA, with their faults corrected."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.data.lama import facts as faults
from naysay.data.lama.corpora import read_facts
from naysay.data.lama.facts import (
    CORPORA,
    LOST_ACRONYM,
    LOST_CAPITALS,
    MAYBE_ACRONYM,
    VOCABULARY,
    Fact,
    FactSet,
    Fault,
    Keys,
    Tally,
    beside,
    common_vocabulary,
    corpus_folders,
    relations,
)
from naysay.data.lama.negator import is_negation, negate
from naysay.data.lama.released import MASK, ReleasedRow, released_rows, shown

_Spellings = dict[str, set[str]]


class Capitals:
    """The spellings of a prime among the answers of its relation, and in the common vocabulary.

    A prime is corrected if exactly one spelling remains, and it has other capitals after its first
    letter. For random primes only the vocabulary counts. For the others, which are answers or a
    model's guesses, the answers of the relation take precedence; if all of these are capitalised,
    so is the prime. A prime with several spellings is kept, and recorded if one of them is an
    acronym.

    >>> answers = [("trex", "P108", "IBM"), ("trex", "P108", "Apple")]
    >>> capitals = Capitals(answers, ("gold", "YouTube", "HP", "hp", "IT", "It", "it"))
    >>> capitals.mended("Ibm", "trex", "P108"), capitals.mended("Hp", "trex", "P108")
    (('IBM', 'acronym in small letters'), ('HP', 'acronym in small letters'))
    >>> capitals.mended("Youtube", "trex", "P1"), capitals.mended("Gold", "trex", "P1")
    (('YouTube', 'capitals within the prime lost'), ('Gold', ''))
    >>> capitals.mended("It", "trex", "P108")
    ('It', 'prime may be an acronym')
    """

    def __init__(self, answers: Iterable[tuple[str, str, str]], vocabulary: Iterable[str]) -> None:
        """Take answers as (corpus, relation, answer), and the vocabulary."""
        self._answers: dict[tuple[str, str], _Spellings] = defaultdict(lambda: defaultdict(set))
        for corpus, relation, answer in answers:
            self._answers[corpus, relation][answer.lower()].add(answer)
        self._vocabulary: _Spellings = defaultdict(set)
        for word in vocabulary:
            self._vocabulary[word.lower()].add(word)
        self._names = {
            place
            for place, spellings in self._answers.items()
            if not any(word.islower() for words in spellings.values() for word in words)
        }

    def mended(
        self, prime: str, corpus: str, relation: str, *, random: bool = False
    ) -> tuple[str, str]:
        """Return the prime with its capitals, and the fault that was found, if any."""
        place = corpus, relation
        spellings = self._vocabulary.get(prime.lower(), set())
        if not random and place in self._answers:
            spellings = self._answers[place].get(prime.lower()) or spellings
            if place in self._names:
                spellings = {word for word in spellings if not word.islower()}
        if len(spellings) == 1:
            return _restored(prime, *spellings)
        doubtful = any(_is_acronym(word) and word != prime for word in spellings)
        return prime, MAYBE_ACRONYM if doubtful else ""


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def _restored(prime: str, word: str) -> tuple[str, str]:
    if prime[1:] == word[1:]:
        return prime, ""
    return word, LOST_ACRONYM if _is_acronym(word) else LOST_CAPITALS


_PRIME = re.compile(r"(?P<prime>[^?]+)\?(?P<more>(?:\s*\?)*)\s*")


@dataclass(frozen=True, slots=True)
class PrimedFact:
    """A fact with a word before its query."""

    fact: Fact
    prime_class: str
    """A random word, B an answer of another fact of the relation, C a wrong answer ranked high."""
    prime: str
    """The word as in the text, without the question mark."""
    text: str
    """The prime, a question mark, and the query."""


@dataclass(frozen=True)
class Primed:
    """The primed facts, faults and numbers of rows of a reading."""

    facts: tuple[PrimedFact, ...]
    faults: tuple[Fault, ...]
    read: dict[str, int]
    """Rows read, by corpus/relation, over all classes."""


def read_primed(
    primed: Path,
    data: Path | None = None,
    corpora: Sequence[str] | None = None,
    *,
    facts: FactSet | None = None,
    spaces: bool = False,
) -> Primed:
    """Read the released misprimed queries; faults are corrected or excluded, and counted.

    `data` is the folder of LAMA: it provides the kinds of relations, the common vocabulary, and,
    unless given, the facts, which determine the keys of the primed facts. Without it, kinds are
    empty, keys come from the released rows, and capitals from answers only.

    Repeated question marks and primes with lost capitals, such as "Ibm" (see `Capitals`), are
    corrected. Primes that are the answer, ignoring case, are excluded. Every row is either a primed
    fact or counted under a fault that excludes it.
    """
    tally = Tally()
    for corpus in CORPORA if corpora is None else ():
        if corpus not in corpus_folders(primed):
            tally.fault(corpus, "", faults.NO_FILE, f"no folder of {corpus} in {primed}")
    if facts is None and data is not None:
        there = corpus_folders(data)
        asked = None if corpora is None else [corpus for corpus in corpora if corpus in there]
        facts = read_facts(data, primed, asked, spaces=spaces) if there and asked != [] else None
    about = relations(data) if data else {}
    kinds = {name: str(entry.get("type", "")) for name, entry in about.items()}
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
    """The facts of LAMA, to match with the released rows."""

    def __init__(
        self, facts: FactSet | None, kinds: dict[str, str], spaces: bool, tally: Tally
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
        # Upstream's spaces do not make a different query.
        return self.keys.of(corpus, relation, subject, answer, shown(query, spaces=False))

    def fact(self, row: ReleasedRow) -> Fact:
        """Return the fact of a row: LAMA's own if the query is the same, else one with its key."""
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
