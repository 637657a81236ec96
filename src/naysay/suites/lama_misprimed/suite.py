"""The suite: what the model answers right, with a misleading word before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from naysay.core.errors import TooLongError
from naysay.core.examples import Example
from naysay.core.keys import content_key
from naysay.core.measures import Analysis
from naysay.core.options import option
from naysay.core.probes import Fill, FillBlank, WordList
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.lexicon import Lexicon
from naysay.suites.lama.rows import ASKED, BLANK_INSIDE, goes_on, same_word, wanted_word, word_list
from naysay.suites.lama.source import FactSource, Primes
from naysay.suites.lama.suite import FactOptions, FactSuite
from naysay.suites.lama_misprimed.primes import (
    CLASSES,
    DISTANCES,
    fillers_of,
    neutral_sentences,
    own_primes,
    primed_text,
    released_facts,
)
from naysay.suites.protocol import Setting, Unit

UNPRIMED = "none"
NOT_LISTED, NO_PRIME, TOO_LONG = "answer not among the words", "no such prime", "text too long"
_TOP = 10  # so deep the model's own wrong answers are looked for
_WHOLE = 3  # so many of a causal model's are checked to be whole words; no others are taken for C
OWN, RELEASED = "own", "released"


@dataclass(frozen=True, slots=True)
class PrimedRow:
    """One question about one fact: without a prime, or with one."""

    unit: str
    corpus: str
    relation: str
    kind: str
    answer: str
    prime_class: str
    """`none`, or the kind of prime: A, B or C."""
    distance: int
    """How many neutral sentences stand between the prime and the question."""
    prime: str
    text: str
    asked: str
    said: str
    tie: bool


@dataclass(frozen=True)
class _Asking:
    """A primed question to come."""

    unit: Unit
    wanted: str
    prime_class: str
    distance: int
    prime: str
    text: str


PrimesOf = Callable[[Unit, str, Fill], Primes]
"""Gives a fact that is answered right its primes."""


@dataclass(frozen=True, kw_only=True)
class PrimeOptions(FactOptions):
    """What the test reads."""

    primes: str = option(
        OWN, "Misprimes.",
        choices=(OWN, RELEASED),
    )  # fmt: skip


class MisprimedFacts(FactSuite[PrimeOptions]):
    """Misprimed LAMA of Kassner and Schütze (2020)."""

    name = "lama_misprimed"
    questions_per_unit = 4
    version = 2
    default = False
    default_limit = 2000
    grain = 10
    options_type = PrimeOptions
    summary = "facts after a misleading word: does a correct answer stay correct?"
    needs = frozenset({FillBlank})
    uses = frozenset({WordList})
    row_type = PrimedRow
    judged = (
        "unit", "corpus", "relation", "kind", "answer", "prime_class", "distance", "prime",
        "asked", "said", "tie",
    )  # fmt: skip
    folder = Path(__file__).parent

    def source(self, setting: Setting) -> FactSource:
        """The facts that the spec asks for; with released primes, those of the released rows."""
        options = self.options(setting.spec)
        if options.primes == RELEASED:
            return released_facts(setting, options.items, options.corpora)
        return super().source(setting)

    def digest(self, setting: Setting) -> str:
        """A hash of the facts, and of the sentences between prime and question."""
        return content_key([super().digest(setting), self._neutral(setting)])

    def _neutral(self, setting: Setting) -> tuple[str, tuple[str, ...]]:
        return neutral_sentences(setting, setting.language.patterns(self.patterns)["neutral"])

    def fit(self, model: Model, setting: Setting) -> Fit:
        """The words that count, and whose neutral sentences are used."""
        found = super().fit(model, setting)
        return replace(found, about={**found.about, "sentences": self._neutral(setting)[0]})

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[PrimedRow]:
        """Ask as it is; then what was right, with each prime and at each distance."""
        among, listed = word_list(fit.used), frozenset(fit.used)
        units = list(units)
        wanted = {unit.key: wanted_word(unit["answer"], listed) for unit in units}
        reasons = {unit.key: _why_not(unit, wanted[unit.key], fit) for unit in units}
        asked = [unit for unit in units if reasons[unit.key] == ASKED]
        fills = dict(
            zip(
                (unit.key for unit in asked),
                model.ask(
                    [_question(u["query"], wanted[u.key], among, _TOP, _WHOLE) for u in asked]
                ),
                strict=True,
            )
        )
        primes_of = self._primes(setting, fit)
        _, neutral = self._neutral(setting)
        askings = [
            asking
            for unit in asked
            if (word := wanted[unit.key]) and fills[unit.key].best == word
            for asking in _askings(unit, word, primes_of(unit, word, fills[unit.key]), neutral)
        ]
        answers = _ask(model, askings, among)
        primed: dict[str, list[PrimedRow]] = {}
        for asking, (reason, fill) in zip(askings, answers, strict=True):
            row = _row(asking.unit, asking.wanted, asking.text, reason, fill, asking)
            primed.setdefault(asking.unit.key, []).append(row)
        for unit in units:
            answer = wanted[unit.key] or unit["answer"]
            fill = fills.get(unit.key)
            yield _row(unit, answer, unit["query"], reasons[unit.key], fill)
            yield from primed.get(unit.key, [])

    def _primes(self, setting: Setting, fit: Fit) -> PrimesOf:
        """What gives a fact its primes: the released rows, or the model's own answers."""
        source = self.source(setting)
        if self.options(setting.spec).primes == RELEASED:
            return lambda unit, wanted, fill: source.primes[unit.key]
        fillers = fillers_of(source)

        def own(unit: Unit, wanted: str, fill: Fill) -> Primes:
            if fit.about["left_to_right"]:
                fill = replace(fill, top=fill.top[:_WHOLE])  # the others may be parts of words
            made = own_primes(
                unit, wanted, fill, fit.used, fillers[unit["relation"]], source.right_for(unit)
            )
            return {
                name: (prime, primed_text(prime, unit["query"])) for name, prime in made.items()
            }

        return own

    def judge(self, rows: Table) -> Table:
        """With whether the answer is right, and whether it is the prime."""
        import pyarrow.compute as pc

        said, prime = pc.cast(rows["said"], "string"), pc.cast(rows["prime"], "string")
        right = pc.equal(said, pc.cast(rows["answer"], "string"))
        rows = rows.append_column("right", right)
        says_prime = pc.and_(same_word(said, prime), pc.not_equal(prime, ""))
        return rows.append_column("says_prime", says_prime)

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Facts without a prime and after each."""
        from naysay.suites.lama_misprimed.examples import primed_facts

        return primed_facts(verdicts, fit)

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """What is lost by corpus, kind of prime and distance; and the verdict."""
        from naysay.suites.lama_misprimed.analysis import analyse

        return analyse(self.name, verdicts, spec, fit)


def _askings(unit: Unit, wanted: str, primes: Primes, neutral: Sequence[str]) -> list[_Asking]:
    """The fact with each kind of prime, and with C at each distance."""
    found = []
    for name in CLASSES:
        prime, text = primes.get(name, ("", ""))
        found.append(_Asking(unit, wanted, name, 0, prime, text))
        for distance in DISTANCES[1:] if name == "C" else ():
            far = primed_text(prime, unit["query"], neutral[:distance]) if prime else ""
            found.append(_Asking(unit, wanted, name, distance, prime, far))
    return found


def _why_not(unit: Unit, wanted: str | None, fit: Fit) -> str:
    if fit.about["left_to_right"] and goes_on(unit["query"]):
        return BLANK_INSIDE
    return ASKED if wanted else NOT_LISTED


def _question(
    text: str, wanted: str | None, among: WordList, top_k: int = 1, whole: int = 1
) -> FillBlank:
    return FillBlank(text, (wanted,) if wanted else (), top_k, among=among, whole=whole)


def _ask(
    model: Model, askings: Sequence[_Asking], among: WordList
) -> list[tuple[str, Fill | None]]:
    """The answers; at a distance a text may be longer than the model reads."""
    found: dict[int, tuple[str, Fill | None]] = {}
    for distance in DISTANCES:
        chosen = [k for k, a in enumerate(askings) if a.distance == distance and a.prime]
        probes = [_question(askings[k].text, askings[k].wanted, among) for k in chosen]
        try:
            found |= {k: (ASKED, f) for k, f in zip(chosen, model.ask(probes), strict=True)}
        except TooLongError:
            for k, probe in zip(chosen, probes, strict=True):
                found[k] = _ask_one(model, probe)
    return [found.get(k, (NO_PRIME, None)) for k in range(len(askings))]


def _ask_one(model: Model, probe: FillBlank) -> tuple[str, Fill | None]:
    try:
        return ASKED, model.ask([probe])[0]
    except TooLongError:
        return TOO_LONG, None


def _row(
    unit: Unit,
    wanted: str,
    text: str,
    reason: str,
    fill: Fill | None,
    asking: _Asking | None = None,
) -> PrimedRow:
    return PrimedRow(
        unit=unit.key,
        corpus=unit["corpus"],
        relation=unit["relation"],
        kind=unit["kind"],
        answer=wanted,
        prime_class=asking.prime_class if asking else UNPRIMED,
        distance=asking.distance if asking else 0,
        prime=asking.prime if asking else "",
        text=text,
        asked=reason,
        said=fill.best if fill else "",
        tie=bool(fill and fill.tie),
    )


SUITE = MisprimedFacts()
