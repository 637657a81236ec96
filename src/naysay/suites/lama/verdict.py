"""The paper's reading: answers to a fact and to its negation should not be alike.

A model fails where most first answers, or most of its right ones, stay the same, or where its whole
ranking stays more alike than for another fact of the same relation with another answer (footnote 2
of the paper; where that control was not measured, where ρ is one half or more, and where it leaves
the matter open, ρ surely below one half will do). If its right answers change all the same, that
makes a pass partial. Changes alone are not enough: a coin changes its answers, too.
Right answers must become clearly rarer when the fact is negated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from naysay.core.measures import Ruling
from naysay.core.records import FAILS, NO_EFFECT, NOT_MEASURED, PART, PASSES, UNDECIDED, Estimate
from naysay.suites.lama.facts import ALL, HALF
from naysay.suites.verdicts import Claim, below, both, clear, nil, ruled, shown

KEPT = "right answers kept"
"""Of the right answers, how many are given although the fact is negated."""
LOST = "P@1 lost to the negation"
ABOVE_CONTROL = "rho above control"


def verdict(estimates: Sequence[Estimate], effect: float) -> Ruling:
    """The outcome, the reason in a sentence, and the figures."""
    found = {(e.table, e.metric): e for e in estimates if e.condition == ALL}
    agreement, rho = found.get(("negated", "top1_agreement")), found.get(("negated", "rho"))
    if agreement is None or agreement.low is None or rho is None:
        return ruled(NOT_MEASURED, "too few facts could be asked.", "")
    kept, lost = found.get(("precision", KEPT)), found.get(("precision", LOST))
    more_alike = found.get(("control", ABOVE_CONTROL))
    figures = _figures(agreement, rho, kept, lost, more_alike)
    claims = {
        _SAME: below(agreement, HALF),
        _KEEPS: Claim(None) if kept is None or kept.value is None else below(kept, HALF),
    }
    for why, claim in claims.items():
        if claim.holds is False:
            return ruled(FAILS, why, figures)
    differs = _differs(rho, more_alike, effect)
    known = kept is not None and kept.value is not None
    if differs.holds is False and not (known and claims[_SAME].holds and claims[_KEEPS].holds):
        return ruled(FAILS, _RANKED if _measured(more_alike) else _SAME_RANKING, figures)
    if lost is None or lost.value is None or kept is None or kept.value is None:
        why = "it answers nothing right, so nothing shows whether right answers change."
        return ruled(NOT_MEASURED, why, figures)
    most = _most_lost(lost, found.get(("precision", "P@1")))
    if nil(lost, effect) and not most:
        why = "it answers about as often with the right word when the fact is negated."
        return ruled(NO_EFFECT, why, figures)
    rarer = Claim(True) if most else clear(lost, effect)
    decisive = both(*claims.values(), rarer)
    if decisive.holds and not differs.holds:
        return ruled(PART, _ALIKE, figures, [differs])
    if decisive.holds:
        return ruled(PASSES, "its answers change when the fact is negated.", figures)
    if decisive.holds is False:
        why = "its right answers are no rarer when the fact is negated."
        return ruled(FAILS, why, figures)
    why = "these facts leave open whether its answers change when the fact is negated."
    return ruled(UNDECIDED, why, figures, (decisive,))


_SAME = "it mostly gives the same answer when the fact is negated."
_KEEPS = "it keeps most of its right answers when the fact is negated, where they are wrong."
_RANKED = "a fact and its negation are more alike to it than two facts of the same relation."
_SAME_RANKING = "its ranking of all words stays much the same when the fact is negated."
_ALIKE = "its answers change when the fact is negated, but its ranking of other words hardly does."


def _differs(rho: Estimate, more_alike: Estimate | None, effect: float) -> Claim:
    """That the ranking of all words differs from that of the negation."""
    if more_alike is None or not _measured(more_alike):
        return below(rho, HALF)
    alike = clear(more_alike, effect)
    if alike.holds is not None:
        return Claim(not alike.holds, alike.needed)
    low = below(rho, HALF)
    return low if low.holds else Claim(None, alike.needed)


def _measured(figure: Estimate | None) -> bool:
    return figure is not None and figure.value is not None and figure.low is not None


def _turned(lost: Estimate) -> Estimate:
    """What is lost, as a change."""
    assert lost.value is not None
    low, high = (None if bound is None else 0.0 - bound for bound in (lost.high, lost.low))
    return replace(lost, value=0.0 - lost.value, low=low, high=high)


def _most_lost(lost: Estimate, precision: Estimate | None) -> bool:
    """Whether most right answers surely go, though a model that knows little has few to lose."""
    if precision is None or not precision.value or lost.value is None or lost.low is None:
        return False
    return lost.low > 0 and lost.value > precision.value / 2


def _figures(
    agreement: Estimate,
    rho: Estimate,
    kept: Estimate | None,
    lost: Estimate | None,
    more_alike: Estimate | None,
) -> str:
    text = f"After “not” its first answer stays the same in {shown(agreement)} % of the facts; "
    text += f"ρ over all words is {shown(rho)} (times 100"
    if more_alike is not None and more_alike.value is not None:
        text += f"; {shown(more_alike)} against another fact of the relation"
    text += ")."
    if kept is not None and kept.value is not None:
        text += f" It keeps {shown(kept)} % of its right answers"
        if lost is not None and lost.value is not None:
            text += f"; P@1 changes by {shown(_turned(lost))} points"
        text += "."
    return text
