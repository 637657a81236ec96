"""Where the facts come from: upstream's LAMA, naysay's own, or a file of relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from naysay.core.errors import DatasetError
from naysay.core.files import read_toml
from naysay.core.keys import content_key, seeded_order
from naysay.core.paths import user_path
from naysay.core.probes import BLANK
from naysay.core.spec import RunSpec
from naysay.data.datasets import find, require
from naysay.data.lama import Fact, Fault, RelationTemplate, common_vocabulary, read_facts
from naysay.suites.base import items_here
from naysay.suites.protocol import Setting, Unit

ITEM_SETS = UPSTREAM_FACTS, OWN_FACTS = "lama", "facts"
PRIMED, NEGATED = "lama_primed", "lama_negated"
Primes = Mapping[str, tuple[str, str]]
"""By the kind of prime: the word, and the whole question with it."""


@dataclass(frozen=True)
class FactSource:
    """Facts, the words that count as answers, and what was found wrong on the way."""

    name: str
    facts: tuple[Fact, ...]
    vocabulary: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    read: Mapping[str, int] = field(default_factory=dict)
    """Rows read of each relation, where they come from files of rows."""
    templates: tuple[RelationTemplate, ...] = ()
    primes: Mapping[str, Primes] = field(default_factory=dict)
    """The released primes of each fact, where the released rows are the facts."""

    @cached_property
    def digest(self) -> str:
        """A hash of what is asked and of the words that count."""
        asked = [[f.key, f.kind, f.query, f.negated, f.negation] for f in self.facts]
        return content_key([asked, list(self.vocabulary), self.primes])

    @cached_property
    def relations(self) -> dict[str, tuple[Fact, ...]]:
        """The facts by relation, in the order of the files."""
        found: dict[str, list[Fact]] = {}
        for fact in self.facts:
            found.setdefault(relation_of(fact), []).append(fact)
        return {name: tuple(facts) for name, facts in found.items()}

    @cached_property
    def right(self) -> dict[tuple[str, str], frozenset[str]]:
        """All right answers, in small letters, by relation and subject.

        Without relations, as in SQuAD, there are no subjects either: it is by the question then.
        """
        found: dict[tuple[str, str], set[str]] = {}
        for fact in self.facts:
            place = relation_of(fact), fact.subject if fact.relation else fact.query
            found.setdefault(place, set()).add(fact.answer.lower())
        return {place: frozenset(answers) for place, answers in found.items()}

    def right_for(self, unit: Unit) -> frozenset[str]:
        """All right answers to a unit's question, in small letters."""
        alone = unit["relation"] == unit["corpus"]
        return self.right[unit["relation"], unit["query" if alone else "subject"]]

    def drawn(self, spec: RunSpec, default_limit: int | None) -> list[Unit]:
        """The facts as units: all, or a sample that takes equally many of each relation.

        Facts of a relation stand together, each before the one that it is compared with.
        """
        ordered = {name: _ordered(facts, spec.seed) for name, facts in self.relations.items()}
        taken = _evenly(
            {n: len(facts) for n, facts in ordered.items()}, spec.limit_or(default_limit)
        )
        units = []
        for name, facts in ordered.items():
            answers = _answers(facts)
            units += [_unit(facts[k], _other(facts, answers, k)) for k in range(taken[name])]
        return units


def relation_of(fact: Fact) -> str:
    """The name of the relation, with its corpus.

    A corpus without relations is one relation by itself.
    """
    return f"{fact.corpus}/{fact.relation}" if fact.relation else fact.corpus


def source_of(
    setting: Setting, asked: str | None, corpora: tuple[str, ...] | None, *, easy: bool = True
) -> FactSource:
    """The facts that are asked for by name or file, or those that are here.

    With `easy`, those of ConceptNet are the paper's easy-to-negate subset.
    """
    spec = setting.spec
    name = asked or items_here(ITEM_SETS, spec)
    if name == OWN_FACTS:
        if corpora is not None:
            raise DatasetError("--corpora chooses among LAMA's; naysay's own facts have none")
        patterns = setting.language.patterns("lama")
        return _from_relations(name, patterns, setting.lexicon.verbs)
    if name == UPSTREAM_FACTS:
        folder = require(UPSTREAM_FACTS, spec.data_dir)
        primed, negated = (find(name, spec.data_dir) for name in (PRIMED, NEGATED))
        return _upstream(folder, primed, negated, corpora, easy)
    path = user_path(name)
    if not path.is_file():
        raise DatasetError(
            f"--items {name}: it is neither one of {', '.join(ITEM_SETS)} nor a file"
        )
    try:
        data = read_toml(path)
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path} cannot be read as TOML: {error}") from error
    return _from_relations(name, data, setting.lexicon.verbs)


@lru_cache(maxsize=2)
def _upstream(
    folder: Path,
    primed: Path | None,
    negated: Path | None,
    corpora: tuple[str, ...] | None,
    easy: bool,
) -> FactSource:
    found = read_facts(folder, primed, corpora, negated=negated, easy=easy)
    words = common_vocabulary(folder)
    return FactSource(UPSTREAM_FACTS, found.facts, words, found.faults, found.read, found.templates)


def _from_relations(name: str, data: Mapping[str, Any], words: Sequence[str]) -> FactSource:
    """The facts of a file of relations; their answers and the language's verbs are the words."""
    facts, templates = [], []
    for number, relation in enumerate(data.get("relation", ()), 1):
        try:
            facts += _facts(name, relation)
            label, text = str(relation["name"]), str(relation["template"])
            kind, negated = str(relation.get("kind", "")), str(relation["negated"])
            templates.append(RelationTemplate(OWN_FACTS, label, kind, text, negated, "own"))
        except (KeyError, TypeError, ValueError) as error:
            raise DatasetError(f"{name}: relation {number} cannot be used: {error!r}") from error
    if not facts:
        raise DatasetError(f"{name} has no facts: it needs [[relation]] with template and facts")
    if len({fact.key for fact in facts}) < len(facts):
        raise DatasetError(f"{name} has a fact twice in one relation")
    vocabulary = tuple(sorted({fact.answer for fact in facts} | set(words)))
    return FactSource(name, tuple(facts), vocabulary, templates=tuple(templates))


def _facts(corpus: str, relation: Mapping[str, Any]) -> list[Fact]:
    name, kind = str(relation["name"]), str(relation.get("kind", ""))
    forms = [str(relation["template"]), str(relation["negated"])]
    for form in forms:
        if form.count("[X]") != 1 or form.count("[Y]") != 1:
            raise ValueError(f"{form!r} must have [X] and [Y] once each")
    corpus = corpus if corpus == OWN_FACTS else "file"
    return [
        Fact(
            key=f"{corpus}/{name}/{subject}/{answer}",
            corpus=corpus,
            relation=name,
            kind=kind,
            subject=str(subject),
            answer=str(answer),
            query=_filled(forms[0], str(subject)),
            negated=_filled(forms[1], str(subject)),
            negation="own",
        )
        for subject, answer in relation["facts"]
    ]


def _filled(template: str, subject: str) -> str:
    return template.replace("[X]", subject).replace("[Y]", BLANK)


def _ordered(facts: Sequence[Fact], seed: int) -> list[Fact]:
    by_key = {fact.key: fact for fact in facts}
    return [by_key[key] for key in seeded_order(by_key, seed)]


def _evenly(sizes: Mapping[str, int], limit: int | None) -> dict[str, int]:
    """How many of each to take, so that all have as many as they can and the sum is the limit.

    >>> _evenly({"a": 2, "b": 9, "c": 9}, 11)
    {'a': 2, 'b': 5, 'c': 4}
    """
    left = sum(sizes.values()) if limit is None else min(limit, sum(sizes.values()))
    taken = dict.fromkeys(sizes, 0)
    while left:
        for name, size in sizes.items():
            if taken[name] < size and left:
                taken[name] += 1
                left -= 1
    return taken


def _answers(facts: Sequence[Fact]) -> dict[str, set[str]]:
    """All answers to each question, in small letters."""
    found: dict[str, set[str]] = {}
    for fact in facts:
        found.setdefault(fact.query, set()).add(fact.answer.lower())
    return found


def _other(facts: Sequence[Fact], answers: Mapping[str, set[str]], k: int) -> Fact | None:
    """The next question with another answer, from the beginning again after the last.

    Where questions have several right answers, none may be an answer to both.
    """
    order = chain(range(k + 1, len(facts)), range(k))
    own = answers[facts[k].query]
    return next((facts[j] for j in order if own.isdisjoint(answers[facts[j].query])), None)


def _unit(fact: Fact, other: Fact | None) -> Unit:
    return Unit(
        fact.key,
        (
            ("corpus", fact.corpus),
            ("relation", relation_of(fact)),
            ("kind", fact.kind),
            ("subject", fact.subject),
            ("answer", fact.answer),
            ("query", fact.query),
            ("negated", fact.negated or ""),
            ("negation", fact.negation),
            ("other", "" if other is None else other.query),
            ("other_answer", "" if other is None else other.answer),
        ),
    )
