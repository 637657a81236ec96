"""What a suite has to offer. Whatever offers it can be plugged in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from naysay.core.files import read_toml
from naysay.core.options import Options
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit

if TYPE_CHECKING:
    from naysay.core.examples import Example
    from naysay.core.measures import Analysis
    from naysay.core.spec import RunSpec
    from naysay.data.items import AntonymItem
    from naysay.data.languages import Language
    from naysay.data.lexicon import Lexicon


LexiconReader = Callable[[str, Path | None], dict[str, Any]]
"""Reads word lists for a language out of a data folder, as the tables of a lexicon."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest piece of work of a suite: picklable, and named by its own content."""

    key: str
    slots: tuple[tuple[str, str], ...]

    def __getitem__(self, slot: str) -> str:
        return dict(self.slots)[slot]


@dataclass(frozen=True, eq=False)
class Setting:
    """A spec with its language and word lists read: all that a suite needs to make its items."""

    spec: RunSpec
    language: Language
    lexicon: Lexicon
    suite: Suite

    @cached_property
    def units(self) -> Sequence[Unit]:
        """The suite's units, drawn once."""
        return self.suite.units(self)

    @cached_property
    def digest(self) -> str:
        """The hash of all that the suite's items are made of, computed once."""
        return self.suite.digest(self)


LAST = 1_000
"""The place of suites whose card names none."""


@dataclass(frozen=True, slots=True)
class Card:
    """Where a suite comes from, and where it departs from there."""

    title: str
    paper: str
    citation: str
    data_licence: str
    departures: tuple[str, ...]
    order: int = LAST
    """Its place in lists: suites are shown in the order of their papers."""


@cache
def card_in(folder: Path) -> Mapping[str, Any]:
    """Return what the card in a suite's folder says, as it stands there."""
    return read_toml(folder / "card.toml")


class Suite(Protocol):
    """A test: the paper's procedure as a program, and its figures."""

    name: str
    version: int
    """Raised whenever the same spec would give other rows."""
    default: bool
    """Whether it is run where no suite is named."""
    options_type: type[Options]
    """Its own options, each with a help text."""
    lexicons: Mapping[str, LexiconReader]
    """Readers of word lists that its paper's authors released, by the name of the lexicon."""
    frames: Path | None
    """The file of frames that its own items are made of, if they are."""
    item_sets: tuple[str, ...]
    """The names under which `items` has upstream's set and naysay's own; none if it reads none."""
    watched: bool
    """Whether a training is tested by it, before and after, where no suite is named."""
    default_limit: int | None
    """How many units are drawn where nothing is said; None is all of them."""
    grain: int
    """How many of its units make as much work as one pair; so many go into a shard for each."""
    unit_name: str
    """What its units are called, in the plural."""
    patterns: str
    """The name of the pattern file that a language must have for it."""
    summary: str
    needs: frozenset[type]
    """The kinds of probe it asks."""
    row_type: type
    """The dataclass of its rows; its annotations are the Parquet schema."""
    judged: tuple[str, ...]
    """The columns that judging and measuring read."""
    folder: Path

    @property
    def card(self) -> Card:
        """The suite's card."""

    def speaks(self, language: Language) -> bool:
        """Whether the language has the patterns this suite needs."""

    def wording(self, spec: RunSpec) -> Mapping[str, str]:
        """The options that word all questions: runs that differ in one have no item in common."""

    def check(self, setting: Setting) -> None:
        """Raise an error where the options and the language do not go together."""

    def digest(self, setting: Setting) -> str:
        """A hash of all that its items are made of."""

    def units(self, setting: Setting) -> Sequence[Unit]:
        """All units in their fixed order."""

    def fit(self, model: Model, setting: Setting) -> Fit:
        """What of the word list this model can be asked."""

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[Any]:
        """Ask, look, ask again; yields rows of `row_type` in the order of the units."""

    def judge(self, rows: Table) -> Table:
        """The rows with their verdict columns: pure, so it can be done again without the model."""

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """All that is measured in judged rows, and how it decides; computes nothing yet."""

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Judged rows as items to look at, the conditions of each side by side.

        `lexicon` is given where the items are to be asked again.
        """


@runtime_checkable
class ParaphraseSuite(Protocol):
    """A suite that asks for the paraphrase among three sentences, whatever kind of model it asks.

    Runs of all such suites can be compared item by item: an item is known by its sentences.
    """

    def by_item(self, verdicts: Table) -> Table:
        """One judged row for each item."""

    def item_of(self, row: Mapping[str, Any]) -> AntonymItem:
        """The item of a row, ready to be asked again."""

    def choice_of(self, row: Mapping[str, Any]) -> str:
        """The role of the option that was chosen as the paraphrase."""
