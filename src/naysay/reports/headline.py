"""The one example that says most about a model: its worst answer, or a right one if it has none."""

from __future__ import annotations

from naysay.core.records import FAILS, NO_EFFECT, NOT_MEASURED, PART, PASSES, UNDECIDED
from naysay.reports.models import ReportedModel
from naysay.reports.sections import ShownSide
from naysay.suites import in_order

_GRAVITY = (FAILS, NO_EFFECT, PART, UNDECIDED, PASSES, NOT_MEASURED)
"""The outcomes, the most damning first."""


def headline_of(model: ReportedModel) -> tuple[str, ShownSide] | None:
    """The example and its suite: wrong before right, and a contradiction before other mistakes.

    Of the suite with the gravest outcome, it is the answer that the model is surest of; ties are
    broken by the text, so that a page always has the same one.
    """
    places = {suite: place for place, suite in enumerate(in_order(model.findings))}
    gravity = {suite: _GRAVITY.index(f.outcome) for suite, (_, f) in model.findings.items()}
    found = [
        (suite, side)
        for suite, kept in model.examples.items()
        for example in kept.examples
        for side in example.sides
        if side.answer and side.good is not None
    ]

    def order(one: tuple[str, ShownSide]) -> tuple[object, ...]:
        suite, side = one
        telling = not side.contradicts if side.good is False else not side.forbids
        return (
            side.good, telling, gravity[suite], places[suite], -side.score, len(side.text),
            side.text,
        )  # fmt: skip

    return min(found, key=order, default=None)
