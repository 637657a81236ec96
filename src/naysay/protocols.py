"""What a model, an adapter and a suite have to offer. Whatever offers it can be plugged in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from naysay.probes import Answer, Pieces, Probe
from naysay.records import Finding, Fit

if TYPE_CHECKING:
    from pathlib import Path

    from naysay.examples.item import Item
    from naysay.languages import Language
    from naysay.outcomes import Outcome
    from naysay.patterns.lexicon import Lexicon
    from naysay.spec import RunSpec

Table = Any
"""A pyarrow.Table; pyarrow is imported only where rows are read or written."""


class Model(Protocol):
    """Something that answers probes. Order is kept, and a batch of one equals a batch of n."""

    @property
    def name(self) -> str:
        """The name by which the user asked for it."""

    @property
    def kind(self) -> str:
        """The adapter's name: masked, causal, known, …"""

    @property
    def answers(self) -> frozenset[type]:
        """The kinds of probe it can answer."""

    @property
    def digest(self) -> str:
        """A hash of all that can change an answer: weights, tokenizer, precision, adapter."""

    def prepare(self) -> None:
        """Load what is needed to answer; the digest is known before, so finished runs skip this."""

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """The answers, one for each probe and in the same order; all probes are of one kind."""

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """How each word is cut at the blank of `text`, or on its own with `bare`."""

    def facts(self) -> dict[str, Any]:
        """What the manifest records about it: device, precision, size, revision."""

    def close(self) -> None:
        """Give back memory."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """How a model is wanted."""

    precision: str = "fp32"
    device: str = "auto"
    token_budget: int = 2048
    language: str = "en"
    pooling: str | None = None
    prompt: str | None = None
    label: str | None = None
    allow_pickle: bool = False
    trust_remote_code: bool = False


class Adapter(Protocol):
    """One way of asking models; each file in `naysay/models` holds one."""

    kind: str
    prefixes: tuple[str, ...]
    """What may stand before a colon in a model's name to ask for this adapter."""
    summary: str
    options: tuple[str, ...]
    """The options of the spec that are read by this adapter only."""

    def open(self, address: Any, request: ModelRequest) -> Model:
        """The model at `address`: the name without the prefix, or `Weights` located by name."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest piece of work of a suite: picklable, and named by its own content."""

    key: str
    slots: tuple[tuple[str, str], ...]

    def __getitem__(self, slot: str) -> str:
        return dict(self.slots)[slot]


@dataclass(frozen=True, slots=True)
class Setting:
    """A spec with its language and word lists read: all that a suite needs to make its items."""

    spec: RunSpec
    language: Language
    lexicon: Lexicon


@dataclass(frozen=True, slots=True)
class Card:
    """Where a suite comes from, and where it departs from there."""

    title: str
    paper: str
    citation: str
    data_licence: str
    departures: tuple[str, ...]


class Suite(Protocol):
    """A test: the paper's procedure as a program, and its figures."""

    name: str
    version: int
    """Raised whenever the same spec would give other rows."""
    default: bool
    """Whether it is run where no suite is named."""
    options: tuple[str, ...]
    """The options of the spec that decide which rows come out."""
    sources: tuple[str, ...]
    """The options that say where its items come from; these enter the key by their content."""
    item_sets: tuple[str, ...]
    """The names under which `items` has upstream's set and naysay's own; none if it reads none."""
    judging: tuple[str, ...]
    """The options of the spec that decide how rows are judged."""
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

    def outcomes(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Iterable[Outcome]:
        """The figures that two runs can be compared on, item by item, from judged rows."""

    def measure(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Finding:
        """The suite's tables, with intervals, from judged rows."""

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Item]:
        """Judged rows as items to look at, the conditions of each side by side.

        `lexicon` is given where the items are to be asked again.
        """
