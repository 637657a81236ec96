"""The papers' printed figures, a file for each suite, matched by condition and model.

Each file names its paper, lists rows of figures by model, and says where the paper contradicts
itself (`[[contradiction]]`: in which table, or in all; about which models, or all) and which figure
is shown. A model
is recognised by the name in the paper, by one of its `[aliases]`, or by the SHA-256 of its weight
files (`[weights]`). What kind of model it is and how many parameters it has may be said as well
(`[models]`), where that is well known. A row may be `approximate`, or a `bound`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from naysay.core.console import notify
from naysay.core.errors import BrokenPluginError
from naysay.core.files import read_toml
from naysay.core.records import APPROXIMATE, BOUNDS
from naysay.core.registry import suite_folders
from naysay.suites.identity import ModelIdentity


class PrintedNumber(float):
    """A number with the digits that the paper prints: 1.40 is not shown as 1.4."""

    text: str

    def __new__(cls, text: str) -> PrintedNumber:
        """Read the number and keep its text."""
        made = super().__new__(cls, text)
        made.text = text
        return made


@dataclass(frozen=True)
class PrintedFigure:
    """One figure of a paper."""

    value: float
    text: str
    """Its digits as printed."""
    approximate: bool = False
    bound: str | None = None
    """One of `BOUNDS`, if the paper prints no more than a bound."""

    @classmethod
    def of(cls, row: Mapping[str, Any], value: float) -> PrintedFigure:
        """A value of a row."""
        bound = row.get("bound")
        if bound is not None and bound not in BOUNDS:
            raise BrokenPluginError(f"bound must be one of {', '.join(BOUNDS)}, not {bound!r}")
        digits = f"{value:,}" if row.get("unit") == "count" else str(value)
        text = getattr(value, "text", digits)
        return cls(float(value), text, bool(row.get("approximate")), bound)

    @property
    def shown(self) -> str:
        """The figure as it is shown, without its unit.

        >>> PrintedFigure(8.0, "8", approximate=True).shown, PrintedFigure(0.03, "0.03").shown
        ('≈ 8', '0.03')
        >>> PrintedFigure(12.0, "12", bound="at most").shown
        '≤ 12'
        """
        sign = BOUNDS[self.bound] if self.bound else APPROXIMATE if self.approximate else ""
        return f"{sign} {self.text}" if sign else self.text


@dataclass(frozen=True)
class PrintedModel:
    """What is known of a model of a paper beside its figures."""

    kind: str = ""
    """One of the kinds of adapters, such as `masked`; empty if it is none, or not known."""
    parameters: int | None = None


@cache
def papers() -> dict[str, dict[str, Any]]:
    """What is printed for each suite, from the file `published.toml` in its folder."""
    found = {}
    for suite, folder in suite_folders().items():
        if (path := folder / "published.toml").is_file():
            try:
                found[suite] = read_paper(path)
            except (OSError, ValueError) as error:  # of another package; the others are shown
                notify(f"left out: {path} cannot be read: {error}")
    return found


@cache
def read_paper(path: Path) -> dict[str, Any]:
    """A file of printed figures."""
    return read_toml(path, parse_float=PrintedNumber)


@cache
def printed_name(suite: str, model: ModelIdentity) -> str | None:
    """The name under which the suite's paper prints this model, if it does."""
    paper = papers().get(suite)
    if paper is None:
        return None
    names: set[str] = {name for row in paper["row"] for name in row["values"]}
    aliases: dict[str, list[str]] = paper.get("aliases", {})
    weights: dict[str, list[str]] = paper.get("weights", {})
    for name in sorted(names):
        if model.is_one_of((name, *aliases.get(name, ())), weights.get(name, ())):
            return name
    return None


def printed_model(name: str) -> PrintedModel:
    """What the files say of the model that papers print under a name."""
    for paper in papers().values():
        about = paper.get("models", {}).get(name)
        if about is not None:
            return PrintedModel(str(about.get("kind", "")), about.get("parameters"))
    return PrintedModel()


def has_weights(suite: str, model: ModelIdentity) -> bool:
    """Whether the model's weights are those that the suite's file lists."""
    listed = papers().get(suite, {}).get("weights", {}).values()
    return any(model.is_one_of((), digests) for digests in listed)


def printed(suite: str, table: str, condition: str, metric: str) -> dict[str, float]:
    """All printed figures of one measure, by the paper's name of the model."""
    return printed_in(papers().get(suite, {}), table, condition, metric)


def printed_in(
    paper: Mapping[str, Any], table: str, condition: str, metric: str
) -> dict[str, float]:
    """The same from one paper's figures."""
    return {
        name: float(value)
        for row in _rows(paper, table, condition, metric)
        for name, value in row["values"].items()
    }


def printed_rows(suite: str, table: str) -> list[dict[str, Any]]:
    """The rows of a table with all that the file says of them."""
    return [row for row in papers().get(suite, {}).get("row", ()) if row["table"] == table]


def _rows(
    paper: Mapping[str, Any], table: str, condition: str, metric: str
) -> Iterator[Mapping[str, Any]]:
    for row in paper.get("row", ()):
        if (row["table"], row["condition"], measure_of(row)) == (table, condition, metric):
            yield row


def measure_of(row: Mapping[str, Any]) -> str:
    """What a row measures; a paper may print one measure under several variants of its test."""
    return " ".join([row["metric"], *([row["variant"]] if "variant" in row else [])])


def figure(
    suite: str,
    table: str,
    condition: str,
    metric: str,
    model: ModelIdentity,
    language: str | None = None,
) -> PrintedFigure | None:
    """The printed figure, None where there is none, or where it is about another language."""
    name = printed_name(suite, model)
    if name is None or language not in (None, papers()[suite]["paper"]["language"]):
        return None
    found = None
    for row in _rows(papers()[suite], table, condition, metric):
        if name in row["values"]:
            found = PrintedFigure.of(row, row["values"][name])
    return found


def contradictions(
    suite: str, tables: Collection[str], model: ModelIdentity, language: str | None = None
) -> list[str]:
    """Where the paper contradicts itself in one of these tables about this model."""
    name = printed_name(suite, model)
    if name is None or language not in (None, papers()[suite]["paper"]["language"]):
        return []
    return [
        f"{entry['source']}: {entry['says']}"
        for entry in papers()[suite].get("contradiction", [])
        if (entry["table"] in tables if "table" in entry else tables)
        and name in entry.get("models", [name])
    ]
