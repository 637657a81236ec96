"""All runs in one line: how many there are, are being judged or written, or are broken."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.view.folder import SeenRun
from naysay.view.verdicts import Judged

LIVE = 600.0
"""Seconds after the last shard within which a run counts as being written."""


def counts(runs: Sequence[SeenRun], known: dict[str, Judged]) -> str:
    """How many runs there are, and how many are not shown as yet."""
    parts = [f"{len(runs):,} run{'' if len(runs) == 1 else 's'}"]
    unfinished = sum(run.manifest is not None and not run.finished for run in runs)
    counted = {
        "being judged": sum(one.pending for one in known.values()),
        "not finished": unfinished,
        "broken": len(broken_runs(runs, known)),
    }
    return ", ".join(parts + [f"{count:,} {what}" for what, count in counted.items() if count])


def broken_runs(runs: Sequence[SeenRun], known: dict[str, Judged]) -> list[tuple[SeenRun, str]]:
    """The runs that cannot be read or judged, and why."""
    return [
        (run, known[run.slug].problem)
        for run in runs
        if known[run.slug].problem and (run.manifest is None or run.finished)
    ]


def is_still(runs: Sequence[SeenRun], known: dict[str, Judged]) -> bool:
    """Whether nothing is being judged or written, so that a page need not be asked for again."""
    if any(one.pending for one in known.values()):
        return False
    return all(run.finished or run.manifest is None or run.age > LIVE for run in runs)
