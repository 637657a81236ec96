"""Pairs of name and profession: the units of most suites, and the clusters that they come in.

Names and professions are two kinds of cluster that cross: a name stands in many pairs, and so does
a profession. The verbs of the questions are a third.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from naysay.core.keys import seeded_order
from naysay.core.measures import Strings
from naysay.core.protocols import Table
from naysay.data.languages import Language
from naysay.data.lexicon import GENDERS
from naysay.suites.protocol import Setting, Unit

if TYPE_CHECKING:
    from naysay.stats.clusters import Codes


def pair(gender: str, name: str, profession: str, language: Language) -> Unit:
    """A pair of name and profession as a unit; the pronoun is the subject of its target."""
    if gender not in GENDERS:
        raise ValueError(gender)
    pronoun = language.pronouns[gender]
    slots = (("NAME", name), ("PROF", profession), ("PRON", pronoun), ("SUBJ", pronoun))
    return Unit(pair_key(gender, name, profession), slots)


def drawn_pairs(setting: Setting, default_limit: int | None) -> list[Unit]:
    """All pairs, or a sample drawn by the seed."""
    lexicon, spec = setting.lexicon, setting.spec
    lists = tuple((g, lexicon.names[g], lexicon.professions[g]) for g in GENDERS)
    drawn = _drawn_pairs(lists, spec.seed, spec.limit_or(default_limit))
    return [pair(*words, setting.language) for words in drawn]


def available_pairs(setting: Setting) -> int:
    """How many pairs there are, drawn or not."""
    lexicon = setting.lexicon
    return sum(len(lexicon.names[g]) * len(lexicon.professions[g]) for g in GENDERS)


@lru_cache(maxsize=4)
def _drawn_pairs(
    lists: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...], seed: int, limit: int | None
) -> list[tuple[str, str, str]]:
    """Gender, name and profession of each pair that is drawn.

    All pairs are put into order to draw a few, and many runs of one process draw the same ones.
    """
    by_key = {
        pair_key(gender, name, profession): (gender, name, profession)
        for gender, names, professions in lists
        for name in names
        for profession in professions
    }
    return [by_key[key] for key in seeded_order(by_key, seed)[:limit]]


def pair_key(gender: str, name: str, profession: str) -> str:
    """By which a pair is known."""
    return f"{gender}/{name}/{profession}"


def gender_of(unit: Unit) -> str:
    """The gender that a pair's key begins with."""
    return unit.key.partition("/")[0]


def cluster_codes(table: Table, places: Codes | None = None) -> dict[str, Codes]:
    """The name, the profession and the verb of each row, or of those at some places, as numbers."""
    from naysay.stats.shares import codes

    def here(column: str) -> tuple[Sequence[str], Codes]:
        words, code = codes(table, column)
        return words, code if places is None else code[places]

    units, unit = here("unit")
    found = {kind: code[unit] for kind, code in pair_codes(units).items()}
    return {**found, "verbs": here("verb")[1]}


def pair_codes(units: Sequence[str]) -> dict[str, Codes]:
    """The name and the profession of each pair, as numbers."""
    import numpy as np

    return {
        kind: np.unique(labels, return_inverse=True)[1].astype(np.int32)
        for kind, labels in _kinds(units).items()
    }


def cluster_labels(table: Table) -> dict[str, str | Strings]:
    """The name, the profession and the verb in words, by which two runs find the same clusters."""
    import pyarrow as pa

    from naysay.stats.shares import codes

    units, unit = codes(table, "unit")
    numbers = pa.array(unit, pa.int32())
    found: dict[str, str | Strings] = {}
    for kind, labels in _kinds(units).items():
        encoded = pa.array(labels).dictionary_encode()
        found[kind] = pa.DictionaryArray.from_arrays(
            encoded.indices.take(numbers), encoded.dictionary
        )
    return {**found, "verbs": "verb"}


def _kinds(units: Sequence[str]) -> dict[str, list[str]]:
    """The name and the profession of each pair; a name belongs to one gender."""
    parts = [unit.split("/", 2) for unit in units]
    return {
        "names": [f"{gender}/{name}" for gender, name, _ in parts],
        "professions": [profession for *_, profession in parts],
    }
