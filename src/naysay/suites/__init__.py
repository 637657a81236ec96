"""The tests, one folder each: procedure, patterns' use, figures and card."""

from __future__ import annotations

from naysay.protocols import Suite
from naysay.registry import Registry, modules_in

SUITES: Registry[Suite] = Registry(
    "suite", "naysay.suites", lambda: modules_in("naysay.suites", "SUITE")
)
