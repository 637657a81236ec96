"""The papers' printed figures, a file for each suite, matched by condition and model.

Each file names its paper, lists rows of figures by model, and says where the paper contradicts
itself (`[[contradiction]]`: in which table, about which models) and which figure is shown.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from naysay.core.registry import suite_folders


@cache
def papers() -> dict[str, dict[str, Any]]:
    """What is printed for each suite, from the file `published.toml` in its folder."""
    found = {}
    for suite, folder in suite_folders().items():
        if (path := folder / "published.toml").is_file():
            found[suite] = read_paper(path)
    return found


@cache
def read_paper(path: Path) -> dict[str, Any]:
    """A file of printed figures."""
    with path.open("rb") as stream:
        return tomllib.load(stream)


def printed_name(suite: str, model: str) -> str | None:
    """The name under which the suite's paper prints this model, if it does.

    A local folder goes by its last part, so that a downloaded copy is recognised.
    """
    paper = papers().get(suite)
    if paper is None:
        return None
    _, _, address = model.rpartition(":")
    address = address.rstrip("/")
    given = {address.lower(), address.rpartition("/")[2].lower()}
    names: set[str] = {name for row in paper["row"] for name in row["values"]}
    aliases: dict[str, list[str]] = paper.get("aliases", {})
    for name in sorted(names):
        if given & {name.lower(), *(alias.lower() for alias in aliases.get(name, []))}:
            return name
    return None


def printed(suite: str, table: str, condition: str, metric: str) -> dict[str, float]:
    """All printed figures of one measure, by the paper's name of the model."""
    return printed_in(papers().get(suite, {}), table, condition, metric)


def printed_in(
    paper: Mapping[str, Any], table: str, condition: str, metric: str
) -> dict[str, float]:
    """The same from one paper's figures."""
    rows = paper.get("row", [])
    return {
        name: float(value)
        for row in rows
        if (row["table"], row["condition"], _measure(row)) == (table, condition, metric)
        for name, value in row["values"].items()
    }


def _measure(row: dict[str, Any]) -> str:
    """What a row measures; a paper may print one measure under several variants of its test."""
    return " ".join([row["metric"], *([row["variant"]] if "variant" in row else [])])


def figure(
    suite: str, table: str, condition: str, metric: str, model: str, language: str | None = None
) -> float | None:
    """The printed figure, None where there is none, or where it is about another language."""
    name = printed_name(suite, model)
    if name is None or language not in (None, papers()[suite]["paper"]["language"]):
        return None
    return printed(suite, table, condition, metric).get(name)


def contradictions(
    suite: str, tables: Collection[str], model: str, language: str | None = None
) -> list[str]:
    """Where the paper contradicts itself in one of these tables about this model."""
    name = printed_name(suite, model)
    if name is None or language not in (None, papers()[suite]["paper"]["language"]):
        return []
    return [
        f"{entry['source']}: {entry['says']}"
        for entry in papers()[suite].get("contradiction", [])
        if entry["table"] in tables and name in entry.get("models", [name])
    ]
