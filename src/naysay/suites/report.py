"""How a suite's findings are reported: the file `report.toml` in the suite's folder.

It may begin with `counted`, which says what the shares of the key figures are of; shown once above
them. It may have several kinds of entries, each any number of times:

- `[[figure]]`: a figure that decides, shown beside the verdict
- `[[condition]]`: a paper's label, and what it means in words; shown beside it
- `[[chart]]`: a table of the suite as a chart
- `[[reason]]`: an option of the run, or a fact about its model, that can explain a difference from
  the paper's figures
- `[[own_items]]`: a table that a training is compared by, where items depend on the model

A suite without the file gets a chart for each table with intervals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from naysay.core.errors import BrokenPluginError
from naysay.core.files import read_toml
from naysay.core.records import Difference, Estimate
from naysay.core.registry import suite_folders

FILE = "report.toml"
NOT_GIVEN = "default"
"""Stands for the value of an option that was not given."""
_GROUPS = frozenset({"row", "series", "x"})
T = TypeVar("T")


class Place(NamedTuple):
    """Where a figure stands in a chart: its row, its kind of line, and its place on the axis."""

    row: str
    series: str = ""
    x: float | None = None


@dataclass(frozen=True, kw_only=True)
class KeyFigure:
    """A figure that decides, and its short name."""

    table: str
    condition: str
    metric: str
    name: str
    words: str = ""
    """What it is in words; if empty, what its label means."""

    @property
    def key(self) -> tuple[str, str, str]:
        """Which estimate it is."""
        return self.table, self.condition, self.metric


@dataclass(frozen=True, kw_only=True)
class ConditionRule:
    """A label that a paper gives to a condition, and what it means.

    Where an option changes the wording, it holds for runs in which the option is one of `run`.
    """

    label: str
    words: str
    option: str = ""
    run: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.option) != bool(self.run):
            raise ValueError("option and run need each other")


@dataclass(frozen=True, kw_only=True)
class ChartRecipe:
    """How one table of a suite becomes a chart."""

    table: str
    quantity: str
    """What the figures are; the title of their axis."""
    about: str = ""
    """A sentence that says how to read the chart."""
    title: str = ""
    """The chart's title; the table's if empty."""
    metrics: tuple[str, ...] = ()
    """The metrics in the chart; all if empty."""
    conditions: tuple[str, ...] = ()
    """The conditions in the chart; all if empty."""
    bars: bool = False
    along: str = ""
    """The title of the axis along which the figures are joined by lines."""
    row: str = "condition"
    """What a row of the chart is: `condition`, `metric` or `both`."""
    series: str = ""
    """What a kind of line is: `condition`, `metric`, or nothing."""
    pattern: str = ""
    """A regular expression for the whole condition, or for the metric if that is the row.

    Its groups `row`, `series` and `x` are the row's label, the kind of line and the place on the
    axis.
    """
    words: Mapping[str, str] = field(default_factory=dict)
    """Labels for rows."""
    lines: Mapping[str, float] = field(default_factory=dict)
    """Chance and thresholds by name, drawn as lines; a condition of the same name is no point."""

    def __post_init__(self) -> None:
        _one_of("row", self.row, ("condition", "metric", "both"))
        _one_of("series", self.series, ("", "condition", "metric"))
        groups = set(_compiled("pattern", self.pattern).groupindex)
        if unknown := groups - _GROUPS:
            raise ValueError(f"pattern has the unknown group {min(unknown)!r}")
        if bool(self.along) != ("x" in groups):
            raise ValueError("along and the group x of pattern need each other")

    def takes(self, estimate: Estimate) -> bool:
        """Whether an estimate of the table is a point of the chart."""
        if estimate.condition in self.lines:
            return False
        return (not self.metrics or estimate.metric in self.metrics) and (
            not self.conditions or estimate.condition in self.conditions
        )

    def place(self, estimate: Estimate) -> Place:
        """Where an estimate stands in the chart."""
        text = estimate.metric if self.row == "metric" else estimate.condition
        row = f"{text}: {estimate.metric}" if self.row == "both" else text
        series = str(getattr(estimate, self.series)) if self.series else ""
        found: Mapping[str, str | None] = {}
        if self.pattern:
            match = re.fullmatch(self.pattern, text)
            if match is None:
                raise BrokenPluginError(
                    f"{FILE} of suite {estimate.suite!r}: the pattern of chart {self.table!r} "
                    f"does not match {text!r}"
                )
            found = match.groupdict()
        row, series, x = found.get("row") or row, found.get("series") or series, found.get("x")
        return Place(self.words.get(row, row), series, None if x is None else float(x))


@dataclass(frozen=True, kw_only=True)
class ReasonRule:
    """An option of the run or a fact about its model, and what to say where it is not the paper's.

    It holds where the run's value is one of `run`; without these, where it is not `paper`, or none
    of these values if `paper` is a list; without either, where there is a value.
    """

    tag: str
    text: str
    """What to say; `{value}` is the run's value."""
    option: str = ""
    fact: str = ""
    """What the manifest records about the model, such as its `kind`; instead of an option."""
    paper: str | bool | int | tuple[str, ...] | None = None
    run: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    """The tables whose figures it changes; all if empty."""

    def __post_init__(self) -> None:
        if bool(self.option) == bool(self.fact):
            raise ValueError("either option or fact must be given")

    def holds(self, value: Any) -> bool:
        """Whether the run, where the option has this value, differs from the paper."""
        if self.run:
            return _shown(value) in self.run
        if isinstance(self.paper, tuple):
            return _shown(value) not in self.paper
        if isinstance(value, tuple):
            return self.paper is None or self.paper not in value
        return bool(value != self.paper)

    def words(self, value: Any) -> str:
        """The text for a run where the option has this value."""
        return self.text.replace("{value}", _shown(value))


@dataclass(frozen=True, kw_only=True)
class OwnItemsRule:
    """A table that is compared before and after a training on each model's own items.

    It is for suites whose items depend on the model, so that the two have few in common.
    """

    table: str
    conditions: str = ".*"
    """A regular expression for the whole condition."""

    def __post_init__(self) -> None:
        _compiled("conditions", self.conditions)

    def takes(self, estimate: Estimate) -> bool:
        """Whether an estimate is compared."""
        return estimate.table == self.table and bool(
            re.fullmatch(self.conditions, estimate.condition)
        )


@dataclass(frozen=True)
class SuiteReport:
    """All entries of a file."""

    counted: str = ""
    """What the key figures count, as `How often it repeats the verb`."""
    figure: tuple[KeyFigure, ...] = ()
    chart: tuple[ChartRecipe, ...] = ()
    reason: tuple[ReasonRule, ...] = ()
    own_items: tuple[OwnItemsRule, ...] = ()
    condition: tuple[ConditionRule, ...] = ()

    def meanings(self, values: Callable[[str], Any]) -> dict[str, str]:
        """What each of the paper's labels means, where the options have these values."""
        found: dict[str, str] = {}
        for rule in self.condition:
            if not rule.option or _shown(values(rule.option)) in rule.run:
                found.setdefault(rule.label, rule.words)
        return found

    def differences(
        self, values: Callable[[str], Any], facts: Mapping[str, Any]
    ) -> Iterator[Difference]:
        """What differs from the paper; of one tag the first that holds.

        `values` gives the value of each option in the run, `facts` are those about its model.
        """
        given = set()
        for rule in self.reason:
            value = values(rule.option) if rule.option else facts.get(rule.fact)
            if rule.tag not in given and rule.holds(value):
                given.add(rule.tag)
                yield Difference(rule.tag, rule.words(value), rule.tables)


def report_of(suite: str) -> SuiteReport:
    """What the suite's file says; nothing if it has none."""
    folder = suite_folders().get(suite)
    if folder is None or not (folder / FILE).is_file():
        return SuiteReport()
    return read_report(folder / FILE)


@cache
def read_report(path: Path) -> SuiteReport:
    """Read and check a file; an error says in one line what is wrong and where."""
    try:
        data = read_toml(path)
    except (OSError, ValueError) as error:
        raise BrokenPluginError(f"{path} cannot be read: {error}") from error
    kinds: dict[str, type[Any]] = {
        "figure": KeyFigure,
        "chart": ChartRecipe,
        "reason": ReasonRule,
        "own_items": OwnItemsRule,
        "condition": ConditionRule,
    }
    found: dict[str, Any] = {}
    for name, entries in data.items():
        if name == "counted":
            if not isinstance(entries, str):
                raise BrokenPluginError(f"{path}: counted must be text, not {entries!r}")
            found[name] = entries
            continue
        if name not in kinds:
            raise BrokenPluginError(
                f"{path}: unknown entry {name!r}; known: counted, {', '.join(kinds)}"
            )
        if not isinstance(entries, list):
            raise BrokenPluginError(f"{path}: write [[{name}]], not {name}")
        found[name] = tuple(
            _entry(kinds[name], entry, f"{path}: [[{name}]] number {k}")
            for k, entry in enumerate(entries, 1)
        )
    return SuiteReport(**found)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_CHECKS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("text", lambda value: isinstance(value, str)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "str | bool | int | tuple[str, ...] | None": (
        "text, a number, true or false, or a list of texts",
        lambda value: isinstance(value, str | bool | int) or _texts(value),
    ),
    "tuple[str, ...]": ("a list of texts", _texts),
    "Mapping[str, str]": (
        "a table of texts",
        lambda value: isinstance(value, dict) and _texts(list(value.values())),
    ),
    "Mapping[str, float]": (
        "a table of numbers",
        lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
    ),
}
"""What the fields' annotations allow."""


def _entry(kind: type[T], data: Any, where: str) -> T:
    """An entry as its dataclass."""
    if not isinstance(data, dict):
        raise BrokenPluginError(f"{where} is no table")
    known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
    for key, value in data.items():
        if key not in known:
            raise BrokenPluginError(f"{where}: unknown key {key!r}; known: {', '.join(known)}")
        wanted, allows = _CHECKS[str(known[key].type)]
        if not allows(value):
            raise BrokenPluginError(f"{where}: {key} must be {wanted}, not {value!r}")
    for name, one in known.items():
        if name not in data and one.default is MISSING and one.default_factory is MISSING:
            raise BrokenPluginError(f"{where}: {name} is missing")
    plain = {key: tuple(v) if isinstance(v, list) else v for key, v in data.items()}
    try:
        return kind(**plain)
    except ValueError as error:
        raise BrokenPluginError(f"{where}: {error}") from None


def _compiled(key: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{key} {pattern!r} is no regular expression: {error}") from None


def _one_of(key: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        names = ", ".join(name for name in known if name)
        raise ValueError(f"{key} must be one of {names}, not {value!r}")


def _shown(value: Any) -> str:
    """An option's value as text."""
    if value is None:
        return NOT_GIVEN
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
