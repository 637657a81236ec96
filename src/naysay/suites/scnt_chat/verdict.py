"""The paper's rule where there are two options: chance, 50 %, is the line for every condition.

In a contradiction a model must choose the other verb more often than by chance, and clearly more
often than in both controls. In the controls it must choose the verb more often than by chance: if
it does not in CpTv, nothing can be concluded; if it does not in CnTn, a pass is partial.
"""

from __future__ import annotations

from collections.abc import Sequence

from naysay.core.measures import Ruling
from naysay.core.records import FAILS, NO_EFFECT, PART, PASSES, UNDECIDED, Estimate
from naysay.suites._questions.analysis import HALF, IN_WORDS
from naysay.suites.scnt.selection import BASELINE, CONTRADICTIONS, CONTROLS
from naysay.suites.scnt.verdict import IN_WORDS as MEANINGS
from naysay.suites.scnt.verdict import LESSER
from naysay.suites.verdicts import above, below, both, clear, listed, nil, ruled

RULE = (
    f"(by chance {HALF:.0f}; wanted: contradictions above it, and clearly above both controls; "
    "controls below it)"
)


def verdict(estimates: Sequence[Estimate], effect: float) -> Ruling:
    """The outcome, the reason in a sentence, and the figures."""
    drops = {e.condition: e for e in estimates if e.table == f"drops{IN_WORDS}"}
    differences = {e.condition: e for e in estimates if e.table == f"adjusted{IN_WORDS}"}
    claims = {
        one: both(
            above(drops[one], HALF),
            *(clear(differences[f"{one}-{control}"], effect) for control in CONTROLS),
        )
        for one in CONTRADICTIONS
    }
    control, double = below(drops[BASELINE], HALF), below(drops[LESSER], HALF)
    figures = (
        f"Drops: {listed([drops[one] for one in CONTRADICTIONS])}; "
        f"controls: {listed([drops[one] for one in CONTROLS])} {RULE}."
    )
    small = [one for one in CONTRADICTIONS if above(drops[one], HALF).holds is False]
    if all(nil(e, effect) for e in differences.values()) and not small:
        return ruled(NO_EFFECT, _NIL, figures)
    if control.holds is False:
        return ruled(FAILS, _BY_CONTROL, figures)
    seen = [one for one, claim in claims.items() if claim.holds]
    failed = [one for one, claim in claims.items() if claim.holds is False]
    if len(failed) == len(claims):
        return ruled(FAILS, _CHOOSES if len(small) == len(claims) else _NO_MORE, figures)
    if not control.holds or not seen:
        return ruled(UNDECIDED, _OPEN, figures, [*claims.values(), control])
    if len(seen) < len(claims):
        [(other, claim)] = [(name, claim) for name, claim in claims.items() if name not in seen]
        rest = "but not" if claim.holds is False else "and it is open whether it also notices"
        why = f"it notices {MEANINGS[seen[0]]} ({seen[0]}), {rest} {MEANINGS[other]} ({other})."
        return ruled(PART, why, figures, claims.values())
    if not double.holds:
        return ruled(PART, _DOUBLE if double.holds is False else _DOUBLE_OPEN, figures, [double])
    return ruled(PASSES, _PASSES, figures)


_PASSES = (
    "it chooses the other verb where the first is a contradiction, and seldom where it is not."
)
_CHOOSES = "it goes on choosing the verb where that is a contradiction."
_NO_MORE = "it chooses the other verb hardly more often in contradictions than in the controls."
_BY_CONTROL = (
    "its answers also change where nothing is contradicted (a mere “very”), so that nothing can be "
    "concluded from changes after “not”."
)
_NIL = (
    "negation makes hardly a difference: the verb is dropped as often where it contradicts nothing."
)
_OPEN = "these answers leave open whether it notices the negation."
_DOUBLE = (
    "it notices each negation, but not that two of them agree: it also chooses the other verb "
    "where both sentences are negated."
)
_DOUBLE_OPEN = (
    "it notices each negation; whether also that two of them agree is open (CnTn should be low)."
)
