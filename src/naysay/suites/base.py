"""What most suites have in common: a card, patterns in a language, and words to fill them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import msgspec

from naysay.core.errors import BrokenPluginError
from naysay.core.keys import content_key, seeded_order
from naysay.core.options import SOURCE, Options, option
from naysay.core.probes import Choice, ChooseWord, Fill, FillBlank, Pieces
from naysay.core.protocols import Model
from naysay.core.records import Fit
from naysay.core.spec import DEFAULT_LANGUAGE, RunSpec
from naysay.data.datasets import find
from naysay.data.languages import LANGUAGES, Language
from naysay.suites.protocol import Card, LexiconReader, Setting, Suite, Unit, card_in
from naysay.suites.verdicts import VerdictOptions


def read_card(folder: Path) -> Card:
    """The card in a suite's folder; every field must be there."""
    path = folder / "card.toml"
    try:
        data = card_in(folder)
        if unknown := sorted(data.keys() - Card.__dataclass_fields__):
            raise ValueError(f"{unknown[0]!r} is no field of a card")
        return msgspec.convert(data, Card)
    except (OSError, ValueError) as error:
        raise BrokenPluginError(f"{path} cannot be read: {error}") from error


def ask(model: Model, probes: Sequence[FillBlank | ChooseWord]) -> Sequence[Fill | Choice]:
    """The answers to questions that are all of one kind; either has its best word."""
    return model.ask(probes)  # type: ignore[arg-type]


def fitting(verbs: Sequence[str], problems: Mapping[str, str | None]) -> Fit:
    """The verbs without a problem, and the others with theirs."""
    used = tuple(verb for verb in verbs if problems[verb] is None)
    left_out = tuple((verb, problem) for verb in verbs if (problem := problems[verb]) is not None)
    return Fit(used, left_out)


def unspelled(cut: Pieces) -> str | None:
    """Why a word cannot be scored piece by piece, None if it can."""
    return None if cut.spelled else cut.problem


def fit_note(suite: str, fit: Fit, readout: str) -> str:
    """How many verbs could be asked, and why the others could not."""
    every = len(fit.used) + len(fit.left_out)
    can = "can be scored" if readout == "likelihood" else "are one piece for the model"
    listed = f" of the list {name}" if (name := fit.about.get("verbs")) else ""
    note = f"{len(fit.used):,} of {every:,} verbs{listed} {can} at the blank"
    if not fit.left_out:
        return f"{note}."
    reasons = Counter(reason.partition(":")[0] for _, reason in fit.left_out)
    counted = ", ".join(f"{count:,} × {reason}" for reason, count in reasons.most_common(5))
    return f"{note}; {len(fit.left_out):,} are left out ({counted}; all in {suite}-fit.json)."


def drawn(units: Iterable[Unit], spec: RunSpec, default_limit: int | None) -> list[Unit]:
    """As many of the units as the spec says, drawn by its seed."""
    by_key = {unit.key: unit for unit in units}
    limit = spec.limit_or(default_limit)
    return [by_key[key] for key in seeded_order(by_key, spec.seed)[:limit]]


READOUTS = ("top1", "likelihood")


@dataclass(frozen=True, kw_only=True)
class WordListOptions(VerdictOptions):
    """What suites over word lists read."""

    lexicon: str | None = option(
        None, "Word lists: own, a paper's name, a TOML file or folder.", role=SOURCE
    )
    verbs: str | None = option(
        None, "List of verbs, where there are several: everyday, wide.", role=SOURCE
    )


@dataclass(frozen=True, kw_only=True)
class PatternOptions(WordListOptions):
    """What suites over word lists read that can be read out in two ways."""

    readout: str = option("top1", "Readout.", choices=READOUTS)


@dataclass(frozen=True, kw_only=True)
class SourceOptions(VerdictOptions):
    """What suites over sets of items read."""

    items: str | None = option(None, "Items: the name of a set, or a file.", role=SOURCE)


O = TypeVar("O", bound=Options)  # noqa: E741


class BaseSuite(Generic[O]):
    """What all suites have in common: a card, options, and patterns in a language."""

    name: str
    folder: Path
    patterns: str
    default = True
    watched = False
    default_limit: int | None = 200
    grain = 1
    unit_name = "pairs"
    questions_per_unit: float | None = None
    """How many questions a unit usually takes, for an estimate before the first are done."""
    item_sets: tuple[str, ...] = ()
    options_type: type[O]
    lexicons: Mapping[str, LexiconReader] = {}
    uses: frozenset[type] = frozenset()
    """What else its questions need of a model: lists of words, likelihoods of given texts."""
    frames: Path | None = None
    """The file of frames that its own items are made of, if they are."""

    def options(self, spec: RunSpec) -> O:
        """The suite's own options in a spec, or their defaults."""
        return spec.options_of(self.name, self.options_type)

    @cached_property
    def card(self) -> Card:
        """Paper, citation, licences, departures."""
        return read_card(self.folder)

    def speaks(self, language: Language) -> bool:
        """Whether the language has this suite's patterns."""
        return language.has_patterns(self.patterns)

    def wording(self, spec: RunSpec) -> Mapping[str, str]:
        """The readout, where it can be chosen."""
        readout = spec.value("readout", self.name)
        return {} if readout is None else {"readout": str(readout)}

    def check(self, setting: Setting) -> None:
        """Anything goes."""

    def digest(self, setting: Setting) -> str:
        """A hash of patterns and words."""
        return content_key([setting.language.digest(self.patterns), setting.lexicon.digest])


class Source(Protocol):
    """Items from a file or a set of them."""

    @property
    def digest(self) -> str:
        """A hash of their content."""


class SourceSuite(BaseSuite[O], ABC):
    """A suite whose items come from a set: upstream's, naysay's own, or a file."""

    @abstractmethod
    def source(self, setting: Setting) -> Source:
        """The items that the spec asks for."""

    def check(self, setting: Setting) -> None:
        """Refuse items that are not there or cannot be read."""
        self.source(setting)

    def digest(self, setting: Setting) -> str:
        """A hash of the items."""
        return self.source(setting).digest


def items_here(item_sets: tuple[str, ...], spec: RunSpec) -> str:
    """The items to ask where none are named: upstream's where they are, else naysay's own."""
    upstream, own = item_sets
    here = spec.language == DEFAULT_LANGUAGE and find(upstream, spec.data_dir) is not None
    return upstream if here else own


def languages_of(suites: Sequence[Suite]) -> list[str]:
    """The languages that all of these suites have patterns for, the default one first."""
    codes = [
        language.code
        for language in LANGUAGES.all()
        if all(suite.speaks(language) for suite in suites)
    ]
    return sorted(codes, key=lambda code: code != DEFAULT_LANGUAGE)
