"""Which words of a list a model can be asked, and how that is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from naysay.probes import Pieces
from naysay.records import Fit


def fitting(verbs: Sequence[str], problems: Mapping[str, str | None]) -> Fit:
    """The verbs without a problem, and the others with theirs."""
    used = tuple(verb for verb in verbs if problems[verb] is None)
    left_out = tuple((verb, problem) for verb in verbs if (problem := problems[verb]) is not None)
    return Fit(used, left_out)


def unspelled(cut: Pieces) -> str | None:
    """Why a word cannot be scored piece by piece, None if it can."""
    return None if cut.spelled else cut.problem


def fit_note(suite: str, fit: Fit, readout: str) -> str:
    """How many verbs could be asked, and why the others could not."""
    every = len(fit.used) + len(fit.left_out)
    can = "can be scored" if readout == "likelihood" else "are one piece for the model"
    note = f"{len(fit.used):,} of {every:,} verbs {can} at the blank"
    if not fit.left_out:
        return f"{note}."
    reasons = Counter(reason.partition(":")[0] for _, reason in fit.left_out)
    listed = ", ".join(f"{count:,} × {reason}" for reason, count in reasons.most_common(5))
    return f"{note}; {len(fit.left_out):,} are left out ({listed}; all in {suite}-fit.json)."
