"""What most suites have in common: a card, patterns in a language, and words to fill them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Protocol

from naysay.keys import content_key
from naysay.languages import Language
from naysay.outcomes import Outcome
from naysay.protocols import Card, Setting, Table
from naysay.records import Fit
from naysay.spec import RunSpec
from naysay.suites._card import read_card


class PatternSuite:
    """A suite whose items come from a language's patterns and words."""

    folder: Path
    patterns: str
    default = True
    default_limit: int | None = 200
    grain = 1
    unit_name = "pairs"
    sources: tuple[str, ...] = ("lexicon",)
    item_sets: tuple[str, ...] = ()
    judging: tuple[str, ...] = ()

    @cached_property
    def card(self) -> Card:
        """Paper, citation, licences, departures."""
        return read_card(self.folder)

    def speaks(self, language: Language) -> bool:
        """Whether the language has this suite's patterns."""
        return language.has_patterns(self.patterns)

    def check(self, setting: Setting) -> None:
        """Anything goes."""

    def digest(self, setting: Setting) -> str:
        """A hash of patterns and words."""
        return content_key([setting.language.digest(self.patterns), setting.lexicon.digest])

    def outcomes(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Iterable[Outcome]:
        """Nothing that two runs could be compared on, unless the suite says more."""
        return ()


class Source(Protocol):
    """Items from a file or a set of them."""

    @property
    def digest(self) -> str:
        """A hash of their content."""


class SourceSuite(PatternSuite, ABC):
    """A suite whose items come from a set: upstream's, naysay's own, or a file."""

    sources = ("items",)

    @abstractmethod
    def source(self, setting: Setting) -> Source:
        """The items that the spec asks for."""

    def check(self, setting: Setting) -> None:
        """Refuse items that are not there or cannot be read."""
        self.source(setting)

    def digest(self, setting: Setting) -> str:
        """A hash of the items."""
        return self.source(setting).digest
