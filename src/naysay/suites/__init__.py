"""The tests, one folder each: procedure, patterns' use, figures and card."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from naysay.core.registry import Registry, members_of, modules_in, suite_folders
from naysay.suites.protocol import LAST, Suite, card_in


@cache
def place_of(name: str) -> int:
    """Where a suite stands in lists, by its card; read without importing the suite."""
    folder = suite_folders().get(name)
    try:
        card = card_in(folder) if folder else {}
    except (OSError, ValueError):  # what is wrong with it is told where the suite is loaded
        card = {}
    return order if isinstance(order := card.get("order"), int) else LAST


SUITES: Registry[Suite] = Registry(
    "suite",
    "naysay.suites",
    lambda: modules_in("naysay.suites", "SUITE", folders=True),
    needs=lambda: members_of(Suite),
    order=place_of,
)


def in_order(names: Iterable[str]) -> list[str]:
    """Names of suites in the order of their papers."""
    return sorted(names, key=lambda name: (place_of(name), name))


def watched_suites() -> tuple[str, ...]:
    """The suites that a training is tested by where none is named."""
    return tuple(suite.name for suite in SUITES.all() if suite.watched)
