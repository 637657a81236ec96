"""What a page consists of: sections, and in them prose, tables, charts, examples and code.

All text is plain: the page escapes it, so that whatever a model or a file is called stays text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from naysay.reports.tables import TextTable

_LONG = 24  # letters, of a word
_ABREAST = 5  # tests in a line of a screen
_ROOMY = 2  # such lines on a screen, with everything in words


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
    answer: str = ""
    """What the model says; it fills the blank."""
    meaning: str = ""
    """What the label means in words."""
    forbids: bool = False
    """Whether the text rules an answer out."""
    contradicts: bool = False
    """Whether the answer is the one that it rules out."""
    score: float = 0.0
    """The model's score for its answer; 0 if it is not known."""
    scale: str = ""
    """What the score is: a probability, a cosine, …"""
    wanted: str = ""
    """The right answer, if there is one."""

    @property
    def shown(self) -> str:
        """The score of the answer as it is printed; empty if it is not known."""
        return next((one.shown for one in self.guesses if one.text == self.answer), "")

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

    @property
    def contradicts(self) -> bool:
        """Whether an answer is one that its text rules out."""
        return any(side.contradicts for side in self.sides)


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
class MarkFigure:
    """A figure that decides, in short."""

    name: str
    words: str
    """What it is in words; may be empty."""
    value: str
    interval: str
    """Its bounds; empty if it has none."""


@dataclass(frozen=True)
class Mark:
    """The outcome of one test for one model, at a glance."""

    outcome: str
    """One of the outcomes of verdicts; or nothing if it was not run."""
    figures: tuple[MarkFigure, ...] = ()
    """The figures that decide."""
    target: str = ""
    """The anchor of the test's section."""
    why: str = ""
    """The reason for the outcome, in a sentence."""
    counted: str = ""
    """What the figures count."""


@dataclass(frozen=True)
class ScoreboardRow:
    """A model at a glance: its verdicts, and the one example that says most about it."""

    model: str
    headline: str
    marks: tuple[Mark, ...]
    """Its mark in each test, in their order."""
    example: ShownSide | None = None
    test: str = ""
    """The test that the example is from."""

    def missing(self, tests: Sequence[tuple[str, str]]) -> list[str]:
        """The names of the tests that the model was not asked."""
        return [name for (name, _), mark in zip(tests, self.marks, strict=True) if not mark.outcome]


@dataclass(frozen=True)
class Scoreboard:
    """All models and all tests at a glance."""

    title: str
    tests: tuple[tuple[str, str], ...]
    """Their names, and what they are called in full."""
    rows: tuple[ScoreboardRow, ...]
    controls: tuple[ScoreboardRow, ...] = ()
    """Models whose answers are known; shown below the others, in grey."""
    about_controls: str = ""

    @property
    def density(self) -> str:
        """How closely it is set, so that a first screen has as much of it as it can."""
        asked = (sum(bool(mark.outcome) for mark in row.marks) for row in self.rows)
        lines = sum(-(-count // _ABREAST) for count in asked)
        return "roomy" if lines <= _ROOMY else "" if lines <= _ROOMY + 1 else "dense"


@dataclass(frozen=True)
class Verdict:
    """The verdict of a test on a model."""

    model: str
    outcome: str
    words: str
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What the labels in the words mean; shown when one points at them."""


@dataclass(frozen=True)
class ChartGrid:
    """Charts side by side where there is room."""

    parts: tuple[Chart, ...]


@dataclass(frozen=True)
class Details:
    """Parts that are folded until opened, and not printed."""

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
    printed: bool = True
    """Whether it is on paper, too."""
    headed: bool = True
    """Whether its title is seen, and not only read aloud."""


Part = (
    Prose
    | Code
    | FactList
    | Chart
    | TextTable
    | Examples
    | Scoreboard
    | Verdict
    | ChartGrid
    | Details
    | Section
)


def charts_in(parts: Sequence[Part]) -> list[Chart]:
    """All charts of a page, in their order."""
    found: list[Chart] = []
    for part in parts:
        if isinstance(part, Chart):
            found.append(part)
        elif isinstance(part, Section | Details | ChartGrid):
            found += charts_in(part.parts)
    return found
