"""Misprimes: a word and a question mark before the question.

A is any word, B an answer to another question of the same relation, C the model's own best wrong
answer, and D is C at a distance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from naysay.core.keys import draw
from naysay.core.probes import Fill
from naysay.data.datasets import require
from naysay.data.lama import Fault, Primed, read_primed
from naysay.suites.lama.source import PRIMED, UPSTREAM_FACTS, FactSource
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
    unit: Unit, wanted: str, fill: Fill, words: Sequence[str], fillers: Sequence[str]
) -> dict[str, str]:
    """The primes that are made for this model and this fact; a class without one is not there.

    What the model ranks next but holds for nearly as likely may be right too, so C has to be
    clearly less likely.
    """
    right = next(guess.logprob for guess in fill.top if guess.word == wanted)
    wrong = [g.word for g in fill.top if g.word != wanted and g.logprob <= right + LOWER]
    found = {
        "A": _any_but(words, wanted, unit.key, "A"),
        "B": _any_but(fillers, wanted, unit.key, "B"),
        "C": wrong[0] if wrong else None,
    }
    return {name: prime for name, prime in found.items() if prime is not None}


def _any_but(words: Sequence[str], wanted: str, *seed: str) -> str | None:
    """One of the words, drawn by the seed, but not the wanted one in any letters."""
    others = len(words)
    start = draw(*seed) % others if others else 0
    for k in range(others):
        word = words[(start + k) % others]
        if word.lower() != wanted.lower():
            return word
    return None


def fillers_of(source: FactSource) -> dict[str, tuple[str, ...]]:
    """The distinct answers of each relation."""
    relations = source.relations
    return {
        name: tuple(dict.fromkeys(f.answer for f in facts)) for name, facts in relations.items()
    }


def released_primes(setting: Setting) -> Mapping[str, Mapping[str, tuple[str, str]]]:
    """The released primes by fact and class: the word, and the whole question."""
    data_dir = setting.spec.data_dir
    return _released(require(PRIMED, data_dir), require(UPSTREAM_FACTS, data_dir))


def released_faults(setting: Setting) -> tuple[Fault, ...]:
    """What is wrong in the released files of primes."""
    data_dir = setting.spec.data_dir
    return _read(require(PRIMED, data_dir), require(UPSTREAM_FACTS, data_dir)).faults


@lru_cache(maxsize=1)
def _read(primed: Path, lama: Path) -> Primed:
    return read_primed(primed, lama)


@lru_cache(maxsize=1)
def _released(primed_files: Path, lama: Path) -> dict[str, dict[str, tuple[str, str]]]:
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for primed in _read(primed_files, lama).facts:
        found.setdefault(primed.fact.key, {})[primed.prime_class] = primed.prime, primed.text
    return found
