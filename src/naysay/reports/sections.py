"""What a page consists of: sections, and in them prose, tables, charts, examples and code.

All text is plain: the page escapes it, so that whatever a model or a file is called stays text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from naysay.reports.tables import TextTable

_LONG = 24  # letters, of a word


@dataclass(frozen=True)
class Prose:
    """Some paragraphs, then a list."""

    paragraphs: tuple[str, ...]
    items: tuple[str, ...] = ()
    quiet: bool = False
    """Whether it is an aside, in smaller letters."""


@dataclass(frozen=True)
class Code:
    """Text to be copied: a command, an entry for a bibliography."""

    title: str
    text: str


@dataclass(frozen=True)
class FactList:
    """Names and their values."""

    title: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Chart:
    """A chart in Vega-Lite, what it shows in words, and the same figures as a table.

    Colours and letters are left to the page, so the specification should not set them. `models`
    are what its colours and signs mean; with several, a reader can hide each. The specification
    then has a parameter `hidden`, a list of these names.
    """

    name: str
    """A valid file name; unique in the page."""
    title: str
    spec: Mapping[str, Any]
    summary: str
    models: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    """The names of its line styles, if it has several."""
    marks: tuple[str, ...] = ()
    """Other marks in it: `published`."""
    about: str = ""
    """A sentence that says how to read it."""
    table: TextTable | None = None
    context: str = ""
    """What a picture of the chart says under its title, since it stands alone."""


@dataclass(frozen=True)
class ShownGuess:
    """A word or a sentence, and the model's score for it."""

    text: str
    shown: str
    """The figure as it is printed; empty if it is not known."""
    share: float
    """The length of its bar, from 0 to 1."""
    mark: str = ""
    """`wanted`, `unwanted` or nothing."""


@dataclass(frozen=True)
class ShownSide:
    """One question of an example."""

    label: str
    text: str
    guesses: tuple[ShownGuess, ...]
    verdict: str = ""
    good: bool | None = None
    """Whether the answer is right; None if not applicable."""

    @property
    def sentences(self) -> bool:
        """Whether its guesses are too long to stand beside their bars."""
        return any(" " in guess.text or len(guess.text) > _LONG for guess in self.guesses)


@dataclass(frozen=True)
class ShownExample:
    """An item: questions that differ in little, side by side."""

    title: str
    model: str
    sides: tuple[ShownSide, ...]

    @property
    def outcome(self) -> str:
        """`wrong` if any of its questions went wrong, `right` if none did, else nothing."""
        known = [side.good for side in self.sides if side.good is not None]
        return ("right" if all(known) else "wrong") if known else ""


@dataclass(frozen=True)
class Examples:
    """Examples, a few at a time."""

    title: str
    examples: tuple[ShownExample, ...]
    notes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    @property
    def marks(self) -> frozenset[str]:
        """The marks in use, for the legend."""
        sides = (side for example in self.examples for side in example.sides)
        return frozenset(guess.mark for side in sides for guess in side.guesses if guess.mark)


@dataclass(frozen=True)
class Mark:
    """The outcome of one test for one model, at a glance."""

    outcome: str
    """One of the outcomes of verdicts; or nothing if it was not run."""
    figures: tuple[tuple[str, str], ...] = ()
    """Names and values of the key figures."""
    target: str = ""
    """The anchor of the test's section."""


@dataclass(frozen=True)
class Scoreboard:
    """All models and all tests at a glance."""

    title: str
    tests: tuple[tuple[str, str], ...]
    """Their names, and what they are called in full."""
    rows: tuple[tuple[str, str, tuple[Mark, ...]], ...]
    """Model, its headline, and its mark in each test."""


@dataclass(frozen=True)
class Verdict:
    """The verdict of a test on a model."""

    model: str
    outcome: str
    words: str


@dataclass(frozen=True)
class Details:
    """Parts that are folded until opened."""

    summary: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Section:
    """A heading and its parts, which may be sections."""

    title: str
    parts: tuple[Part, ...] = field(default=())
    anchor: str = ""
    """The target of links; made from the title if empty."""
    short: str = ""
    """Its name in the navigation bar, if its title is long."""


Part = (
    Prose
    | Code
    | FactList
    | Chart
    | TextTable
    | Examples
    | Scoreboard
    | Verdict
    | Details
    | Section
)


def charts_in(parts: tuple[Part, ...] | list[Section]) -> list[Chart]:
    """All charts of a page, in their order."""
    found: list[Chart] = []
    for part in parts:
        if isinstance(part, Chart):
            found.append(part)
        elif isinstance(part, Section | Details):
            found += charts_in(part.parts)
    return found
