"""Misprimes: a word and a question mark before the question.

A is any word, B an answer to another question of the same relation, C a wrong answer that a model
ranks high, and D is C at a distance. They are made for the tested model, or those that were
released for BERT-large; then the released rows are the facts, too.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

from naysay.core.errors import DatasetError, SpecError
from naysay.core.files import read_text
from naysay.core.keys import content_key, draw
from naysay.core.probes import Fill
from naysay.data.datasets import find_file, require
from naysay.data.lama import common_vocabulary, read_primed
from naysay.suites.base import items_here
from naysay.suites.lama.source import ITEM_SETS, PRIMED, UPSTREAM_FACTS, FactSource
from naysay.suites.protocol import Setting, Unit

LOWER = math.log(0.7)
"""C is at least 30 % less likely than the right answer."""
CLASSES = ("A", "B", "C")
FAR = 20
DISTANCES = (0, 5, 10, FAR)
"""How many neutral sentences stand between C and the question; the farthest is the paper's D."""


def primed_text(prime: str, query: str, between: Sequence[str] = ()) -> str:
    """The question with a prime before it; a small letter at its beginning becomes a capital.

    >>> primed_text("talk", "Birds can ▢.")
    'Talk? Birds can ▢.'
    >>> primed_text("IBM", "He works for ▢.", ["It is late."])
    'IBM? It is late. He works for ▢.'
    """
    return " ".join([f"{prime[0].upper()}{prime[1:]}?", *between, query])


def own_primes(
    unit: Unit,
    wanted: str,
    fill: Fill,
    words: Sequence[str],
    fillers: Sequence[str],
    right: Collection[str] = (),
) -> dict[str, str]:
    """The primes that are made for this model and this fact; a class without one is not there.

    None is a right answer: neither the wanted one nor another one to the same question (`right`, in
    small letters). What the model ranks next but holds for nearly as likely may be right too, so C
    has to be clearly less likely.
    """
    right = {wanted.lower(), *right}
    score = next(guess.logprob for guess in fill.top if guess.word == wanted)
    wrong = [
        guess.word
        for guess in fill.top
        if guess.word.lower() not in right and guess.logprob <= score + LOWER
    ]
    found = {
        "A": _any_but(words, right, unit.key, "A"),
        "B": _any_but(fillers, right, unit.key, "B"),
        "C": wrong[0] if wrong else None,
    }
    return {name: prime for name, prime in found.items() if prime is not None}


def _any_but(words: Sequence[str], right: Collection[str], *seed: str) -> str | None:
    """One of the words, drawn by the seed, but no right answer in any letters."""
    others = len(words)
    start = draw(*seed) % others if others else 0
    for k in range(others):
        word = words[(start + k) % others]
        if word.lower() not in right:
            return word
    return None


def fillers_of(source: FactSource) -> dict[str, tuple[str, ...]]:
    """The distinct answers of each relation; SQuAD is not organized in relations and has none."""
    return {
        name: tuple(dict.fromkeys(fact.answer for fact in facts if fact.relation))
        for name, facts in source.relations.items()
    }


def released_facts(
    setting: Setting, items: str | None, corpora: tuple[str, ...] | None
) -> FactSource:
    """The released rows as facts, with their primes; LAMA's own files need not have them."""
    spec = setting.spec
    if (items or items_here(ITEM_SETS, spec)) != UPSTREAM_FACTS:
        raise SpecError(
            "--primes released asks LAMA's released rows: it goes with --items lama, and needs "
            "LAMA's list of words beside them (naysay data get lama)"
        )
    lama = require(UPSTREAM_FACTS, spec.data_dir)
    return _released(require(PRIMED, spec.data_dir), lama, corpora)


@lru_cache(maxsize=1)
def _released(primed: Path, lama: Path, corpora: tuple[str, ...] | None) -> FactSource:
    read = read_primed(primed, lama, corpora)
    primes: dict[str, dict[str, tuple[str, str]]] = {}
    for row in read.facts:
        primes.setdefault(row.fact.key, {})[row.prime_class] = row.prime, row.text
    facts = {row.fact.key: row.fact for row in read.facts}
    return FactSource(
        UPSTREAM_FACTS, tuple(facts.values()), common_vocabulary(lama), read.faults, read.read,
        primes=primes,
    )  # fmt: skip


PAPERS, OURS = "paper", "own"
"""Whose sentences stand between C and the question."""
_FILE = "derived/neutral_sentences.txt"
_PRINTED = "e295739f766b648877b8a16d6e9143a46e23de3a83749b28ef5243b8676f2738"
"""The digest of the twenty sentences that the paper prints (A.1.2)."""


def neutral_sentences(setting: Setting, own: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Whose neutral sentences there are, and which: the paper's if the data folder has them."""
    path = find_file(_FILE, setting.spec.data_dir)
    if path is None:
        return OURS, tuple(own)
    try:
        lines = read_text(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    found = tuple(line for line in map(str.strip, lines) if line)
    if content_key(list(found)) != _PRINTED:
        raise DatasetError(
            f"{path} does not have the {FAR} sentences that the paper prints (A.1.2), one on each "
            "line: correct it, or remove it to use naysay's own"
        )
    return PAPERS, found
