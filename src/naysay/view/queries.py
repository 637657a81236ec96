"""Filters as the part of an address after the question mark, so that a link keeps every state."""

from __future__ import annotations

from collections.abc import Mapping

from naysay.view.rows import Filters

FACET = "is."
"""Begins the name of a column in an address."""
EMPTY = "(empty)"
"""Stands for the empty value, since a field that is left empty does not filter."""
LONGEST = 300
"""How many letters of a value in an address are read."""


def filters_of(query: Mapping[str, str]) -> Filters:
    """Return the filters that an address names."""
    values = {
        name.removeprefix(FACET): "" if value == EMPTY else value[:LONGEST]
        for name, value in query.items()
        if name.startswith(FACET) and value
    }
    verdict = query.get("verdict", "")
    return Filters(
        values,
        query.get("q", "")[:LONGEST],
        verdict if verdict in ("right", "wrong") else "",
        query.get("measure", "")[:LONGEST],
    )


def query_of(filters: Filters) -> dict[str, str]:
    """Return the part of an address that names the filters."""
    values = {f"{FACET}{name}": value or EMPTY for name, value in filters.values.items()}
    given = {"q": filters.text, "verdict": filters.verdict, "measure": filters.measure}
    return {**{name: value for name, value in given.items() if value}, **values}
