"""Pairs of name and profession: the units of the suites whose people have both."""

from __future__ import annotations

from collections.abc import Iterable

from naysay.keys import seeded_order
from naysay.languages import Language
from naysay.patterns.lexicon import GENDERS
from naysay.protocols import Setting, Unit
from naysay.spec import RunSpec


def pair(gender: str, name: str, profession: str, language: Language) -> Unit:
    """A pair of name and profession as a unit; the pronoun is the subject of its target."""
    if gender not in GENDERS:
        raise ValueError(gender)
    pronoun = language.pronouns[gender]
    slots = (("NAME", name), ("PROF", profession), ("PRON", pronoun), ("SUBJ", pronoun))
    return Unit(f"{gender}/{name}/{profession}", slots)


def drawn_pairs(setting: Setting, default_limit: int | None) -> list[Unit]:
    """All pairs, or a sample drawn by the seed."""
    lexicon, spec = setting.lexicon, setting.spec
    pairs = [
        pair(gender, name, profession, setting.language)
        for gender in GENDERS
        for name in lexicon.names[gender]
        for profession in lexicon.professions[gender]
    ]
    return drawn(pairs, spec, default_limit)


def drawn(units: Iterable[Unit], spec: RunSpec, default_limit: int | None) -> list[Unit]:
    """As many of the units as the spec says, drawn by its seed."""
    by_key = {unit.key: unit for unit in units}
    limit = spec.limit_or(default_limit)
    return [by_key[key] for key in seeded_order(by_key, spec.seed)[:limit]]


def gender_of(unit: Unit) -> str:
    """The gender that a pair's key begins with."""
    return unit.key.partition("/")[0]
