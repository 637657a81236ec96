"""The verdict in plain words, for suites that compare positive and negated contexts.

A model passes when it repeats the verb after fewer than half of the negated contexts, misprimed or
not, and clearly less than after the positive ones. "Clearly" is an interval above zero.
"""

from __future__ import annotations

from naysay.records import Estimate

HALF = 50.0


def verdict(
    negated: Estimate,
    positive: Estimate,
    delta: Estimate,
    misprimed: Estimate | None = None,
    referent: Estimate | None = None,
) -> tuple[str, str]:
    """The outcome in one word, and the sentence that gives the reasons."""
    if negated.value is None or positive.value is None:
        return "not measured", "cannot be judged: no question could be asked."
    low = [negated]
    reason = (
        f"after a negated context it repeats the verb in {shown(negated)} % of the cases, "
        f"after a positive one in {shown(positive)} %"
    )
    if misprimed is not None and misprimed.value is not None:
        low.append(misprimed)
        reason += f", after a misprime in {shown(misprimed)} %"
    rule = f"(wanted: below {HALF:.0f} % where it is negated, and clearly more where it is not)"
    failed = [e for e in low if e.low is not None and e.low >= HALF]
    if failed or (delta.high is not None and delta.high <= 0) or delta.value == 0:
        return "fails", f"fails, because {reason} {rule}."
    sure = all(e.high is not None and e.high < HALF for e in low)
    if not sure or delta.low is None or delta.low <= 0:
        return "undecided", f"undecided, because {reason} {rule}; more pairs would settle it."
    return "passes", f"passes, because {reason} {rule}.{_caution(positive, referent)}"


def _caution(positive: Estimate, referent: Estimate | None) -> str:
    """A word on repetition that is rare everywhere: then not all of it is understanding."""
    rare = []
    if positive.high is not None and positive.high < HALF:
        rare.append(f"after a positive context ({shown(positive)} %)")
    if referent is not None and referent.high is not None and referent.high < HALF:
        rare.append(f"where somebody else is asked about ({shown(referent)} %)")
    if not rare:
        return ""
    return f" But it seldom repeats the verb {' or '.join(rare)} either, where nothing forbids it."


def shown(e: Estimate) -> str:
    """A figure with its interval."""
    bounds = "no interval" if e.low is None else f"{e.low:.1f} to {e.high:.1f}"
    return f"{e.value:.1f} ({bounds})"
