"""The suite's outcomes: repetition by polarity, after misprimes, and of another person."""

from __future__ import annotations

from collections.abc import Iterator

from naysay.outcomes import Outcome
from naysay.protocols import Table
from naysay.spec import RunSpec
from naysay.suites._templates.outcomes import Repetitions
from naysay.suites.gh22.figures import (
    MARKINGS,
    MISPRIMES,
    POLARITIES,
    TITLES,
    headline,
    named,
    shown,
)


def outcomes(suite: str, verdicts: Table, spec: RunSpec) -> Iterator[Outcome]:
    """Experiments 1 to 3 at the headline's ranks."""
    items = Repetitions(suite, verdicts, spec.repetition)
    rows = items.rows
    here = shown(rows, spec) & rows.where(rank=headline(spec))
    for polarity in POLARITIES:
        yield items.outcome(
            "polarity", polarity, TITLES["polarity"],
            here & rows.where(experiment=1, polarity=polarity),
            "low" if polarity == "negated" else "high",
        )  # fmt: skip
    second, third = (here & rows.where(experiment=k) for k in (2, 3))
    for extra, marking in MISPRIMES:
        yield items.outcome(
            "misprime", named(extra, marking), TITLES["misprime"],
            second & rows.where(extra=extra, marking=marking), "low",
        )  # fmt: skip
    yield items.outcome("misprime", "all", TITLES["misprime"], second, "low")
    for marking in MARKINGS["negated"]:
        yield items.outcome(
            "referent", marking, TITLES["referent"], third & rows.where(marking=marking), None
        )
    yield items.outcome("referent", "all", TITLES["referent"], third, None)
