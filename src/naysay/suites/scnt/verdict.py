"""The paper's rule: large drops in both contradictions, clearly above the controls, which are low.

The authors call a drop "of over 50 %" large (section 3.5). A control that drops by much "would
prevent any positive interpretation" (section 3.3): they find 42.9 in CpTv too high and 26.0 small,
so the ceiling lies between, and naysay takes 40, with 30 as the end of what is surely low. CnTn
counts "to a lesser extent": contradictions must be above it, and above 50 it makes a pass partial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from naysay.core.measures import Ruling
from naysay.core.records import FAILS, NO_EFFECT, PART, PASSES, UNDECIDED, Estimate
from naysay.suites.scnt.selection import BASELINE, CONTRADICTIONS, CONTROLS
from naysay.suites.verdicts import Claim, above, below, both, clear, listed, nil, ruled, shown

LARGE = 50.0
"""The percentage of repetitions that must disappear in each contradiction."""
CEILING, LOW = 40.0, 30.0
"""A drop of CpTv above the first fails a model; up to the second it is low."""
HALF = 50.0
"""Above this CnTn makes a pass partial."""
LESSER = "CnTn"
IN_WORDS = {"CpTn": "a negated target", "CnTp": "a negated context"}
RULE = (
    f"(wanted: contradictions {LARGE:.0f} or more, clearly above both controls; "
    f"CpTv not above {CEILING:.0f}, and {LOW:.0f} or less for a pass)"
)
Grade = str
FINE, BORDERLINE, TOO_HIGH, OPEN = "low", "borderline", "too high", "open"


def grade(control: Estimate) -> tuple[Grade, Claim]:
    """How high a control is, and what would settle it where that is open."""
    under, low = below(control, CEILING), below(control, LOW)
    if under.holds is False:
        return TOO_HIGH, under
    if under.holds is None:
        return OPEN, under
    return (FINE, low) if low.holds else (BORDERLINE, low)


def verdict(estimates: Sequence[Estimate], effect: float) -> Ruling:
    """The outcome, the reason in a sentence, and the figures."""
    drops = {e.condition: e for e in estimates if e.table == "drops"}
    differences = {e.condition: e for e in estimates if e.table == "adjusted"}
    large = {one: above(drops[one], LARGE) for one in CONTRADICTIONS}
    claims = {
        one: both(
            large[one], *(clear(differences[f"{one}-{c}"], effect) for c in (BASELINE, LESSER))
        )
        for one in CONTRADICTIONS
    }
    control, settled = grade(drops[BASELINE])
    figures = (
        f"Drops: {listed([drops[one] for one in CONTRADICTIONS])}; "
        f"controls: {listed([drops[one] for one in CONTROLS])} {RULE}."
    )
    small = [one for one, claim in large.items() if claim.holds is False]
    if all(nil(e, effect) for e in differences.values()) and not small:
        return ruled(NO_EFFECT, _NIL, figures)
    if control == TOO_HIGH:
        return ruled(FAILS, _BY_CONTROL, figures)
    shown_in = [one for one, claim in claims.items() if claim.holds]
    failed = [one for one, claim in claims.items() if claim.holds is False]
    if len(failed) == len(claims):
        return ruled(FAILS, _REPEATS if len(small) == len(claims) else _NO_MORE, figures)
    if control == OPEN or not shown_in:
        return ruled(UNDECIDED, _OPEN, figures, [*claims.values(), settled])
    if len(shown_in) < len(claims):
        return ruled(PART, _one_only(shown_in[0], claims), figures, claims.values())
    if control == BORDERLINE:
        return ruled(PART, _borderline(drops[BASELINE]), figures, [settled])
    double = below(drops[LESSER], HALF)
    if not double.holds:
        return ruled(PART, _DOUBLE if double.holds is False else _DOUBLE_OPEN, figures, [double])
    return ruled(PASSES, _PASSES, figures)


_PASSES = "it stops repeating the verb where that is a contradiction, and seldom where it is not."
_REPEATS = "it goes on repeating the verb where that is a contradiction."
_NO_MORE = "it stops repeating the verb hardly more often in contradictions than in the controls."
_BY_CONTROL = (
    "its answers also change where nothing is contradicted (a mere “very”), so that nothing can be "
    "concluded from changes after “not”."
)
_NIL = "negation makes hardly a difference: as many verbs are dropped where none is contradicted."
_OPEN = "these answers leave open whether it notices the negation."
_DOUBLE = (
    "it notices each negation, but not that two of them agree: it also stops repeating the verb "
    "where both sentences are negated."
)
_DOUBLE_OPEN = (
    "it notices each negation; whether also that two of them agree is open (CnTn should be low)."
)


def _one_only(one: str, claims: Mapping[str, Claim]) -> str:
    [(other, claim)] = [(name, claim) for name, claim in claims.items() if name != one]
    rest = "but not" if claim.holds is False else "and it is open whether it also notices"
    return f"it notices {IN_WORDS[one]} ({one}), {rest} {IN_WORDS[other]} ({other})."


def _borderline(control: Estimate) -> str:
    if control.value is not None and control.value <= LOW:
        return (
            "it stops repeating the verb in both contradictions; whether it does so in the control "
            f"as well is open (CpTv {shown(control)}, wanted: {LOW:.0f} or less)."
        )
    return (
        "it stops repeating the verb in both contradictions, but rather often in the control, too "
        f"(CpTv {shown(control)})."
    )
