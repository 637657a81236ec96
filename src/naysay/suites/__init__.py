"""The tests, one folder each: procedure, patterns' use, figures and card."""

from __future__ import annotations

from naysay.core.registry import Registry, modules_in
from naysay.suites.protocol import Suite

SUITES: Registry[Suite] = Registry(
    "suite", "naysay.suites", lambda: modules_in("naysay.suites", "SUITE", folders=True)
)


def watched_suites() -> tuple[str, ...]:
    """The suites that a training is tested by where none is named."""
    return tuple(suite.name for suite in SUITES.all() if suite.watched)
