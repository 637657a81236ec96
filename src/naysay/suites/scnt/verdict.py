"""The verdict in plain words.

A model passes when it gives most verbs up where repeating them is a contradiction, and clearly
more there than in the controls. "Most" is half or more; "clearly" is an interval above zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from naysay.records import Estimate
from naysay.suites.scnt.conditions import CONTRADICTIONS, CONTROLS

MOST = 50.0
"""The percentage of repetitions that must be given up in each contradiction."""

HIGH_CONTROL = 20.0
"""A control surely above this gets a word of caution."""


def verdict(estimates: Sequence[Estimate]) -> tuple[str, str]:
    """The outcome in one word, and the sentence that gives the reasons."""
    drops = [e for e in estimates if e.table == "drops" and e.condition in CONTRADICTIONS]
    controls = [e for e in estimates if e.table == "drops" and e.condition in CONTROLS]
    differences = [e for e in estimates if e.table == "adjusted"]
    checks = [
        *((e, MOST, f"the drop of {e.condition} is {_shown(e)}") for e in drops),
        *((e, 0.0, f"{e.condition} is {_shown(e, sign=True)}") for e in differences),
    ]
    failed = [reason for e, bound, reason in checks if e.high is not None and e.high < bound]
    unclear = [
        reason
        for e, bound, reason in checks
        if e.low is None or e.high is None or e.low < bound <= e.high or (bound == 0 == e.low)
    ]
    rule = f"(wanted: drops of {MOST:.0f} or more, differences above 0)"
    if failed:
        return "fails", f"fails, because {'; '.join(failed)} {rule}."
    if unclear:
        return (
            "undecided",
            f"undecided, because {'; '.join(unclear)} {rule}; more pairs would settle it.",
        )
    return "passes", (
        "passes, because both contradictions make it give up the verb "
        f"({_and(drops)}), clearly more than the controls do ({_and(controls)})."
        f"{_caution(controls)}"
    )


def _caution(controls: Sequence[Estimate]) -> str:
    """A word on controls that are high themselves: then not all of the drop is negation's."""
    high = [e for e in controls if e.low is not None and e.low > HIGH_CONTROL]
    if not high:
        return ""
    which = " and ".join(e.condition for e in high)
    return f" But {which} should be low: the model also wavers where nothing is contradicted."


def _and(estimates: Sequence[Estimate]) -> str:
    return " and ".join(f"{e.condition} {_shown(e)}" for e in estimates)


def _shown(e: Estimate, *, sign: bool = False) -> str:
    form = "+.1f" if sign else ".1f"
    bounds = "no interval" if e.low is None else f"{e.low:{form}} to {e.high:{form}}"
    return f"{e.value:{form}} ({bounds})"
