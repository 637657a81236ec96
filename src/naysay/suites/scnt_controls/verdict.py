"""Section 4 of the paper: large drops for the same person, above their controls; small for others.

The paper calls 28.9 and 64.1 large (roberta-large, Table 8b), and 3.9 and 12.6 not (roberta-base),
so naysay takes 25. With other names drops must stay below that, and below those with the same name.
The figures with the pronoun stand beside: where they are much larger, the model may take the
repeated name for another person, and small drops then do not mean that it misunderstands negation.
"""

from __future__ import annotations

from collections.abc import Sequence

from naysay.core.measures import Ruling
from naysay.core.records import FAILS, NO_EFFECT, PART, PASSES, UNDECIDED, Estimate
from naysay.suites.scnt.selection import BASELINE, CONTRADICTIONS, CONTROLS
from naysay.suites.scnt.verdict import BORDERLINE, HALF, LESSER, OPEN, TOO_HIGH, grade
from naysay.suites.verdicts import Claim, above, below, both, clear, nil, ruled, shown

PRONOUN, SAME = "pronoun", "name"
OTHERS = ("same-gender", "other-gender")
LARGE = 25.0
RULE = (
    f"(wanted with the same name: {LARGE:.0f} or more, clearly above its controls and above other "
    f"names; with other names: below {LARGE:.0f})"
)


def verdict(estimates: Sequence[Estimate], effect: float) -> Ruling:
    """The outcome, the reason in a sentence, and the figures."""
    found = {(e.table, e.condition): e for e in estimates}
    drops = {c: e for (table, c), e in found.items() if table == "coreference"}

    def contradiction(one: str) -> Claim:
        return both(
            above(drops[f"{SAME} {one}"], LARGE),
            *(clear(found["adjusted", f"{SAME} {one}-{c}"], effect) for c in CONTROLS),
            *(clear(found["person", f"{one}: {SAME}-{who}"], effect) for who in OTHERS),
            *(below(drops[f"{who} {c}"], LARGE) for who in OTHERS for c in (one, *CONTROLS)),
        )

    claims = {one: contradiction(one) for one in CONTRADICTIONS}
    large = [above(drops[f"{SAME} {one}"], LARGE) for one in CONTRADICTIONS]
    person = [e for (table, _), e in found.items() if table == "person"]
    adjusted = [e for (table, _), e in found.items() if table == "adjusted"]
    control, settled = grade(drops[f"{SAME} {BASELINE}"])
    figures = f"{_figures(drops)} {RULE}.{_beside(found)}"
    same = all(nil(e, effect) for e in (*person, *adjusted))
    if same and not any(claim.holds is False for claim in large):
        why = "neither the negation nor the person makes a difference to speak of."
        return ruled(NO_EFFECT, why, figures)
    if control == TOO_HIGH:
        why = "its answers also change where nothing is contradicted (a mere “very”)."
        return ruled(FAILS, why, figures)
    shown_in = [one for one, claim in claims.items() if claim.holds]
    if all(claim.holds is False for claim in claims.values()):
        return ruled(FAILS, _why_not(large, person, effect), figures)
    if not shown_in or control == OPEN:
        why = "these answers leave open whether it notices a contradiction about the same person."
        return ruled(UNDECIDED, why, figures, [*claims.values(), settled])
    if len(shown_in) < len(claims):
        why = f"it notices the contradiction about the same person in {shown_in[0]} only."
        return ruled(PART, why, figures, claims.values())
    double = below(drops[f"{SAME} {LESSER}"], HALF)
    if control == BORDERLINE or not double.holds:
        why = "it notices contradictions about the same person, but its controls are not low."
        return ruled(PART, why, figures, [settled, double])
    why = "it stops repeating the verb where the same person is meant, and seldom for another."
    return ruled(PASSES, why, figures)


def _why_not(large: Sequence[Claim], person: Sequence[Estimate], effect: float) -> str:
    if all(claim.holds is False for claim in large):
        return (
            "with the name repeated, it goes on repeating the verb where that is a contradiction."
        )
    if any(clear(e, effect).holds is False for e in person):
        return "it stops repeating the verb about as often when somebody else is meant."
    return "it also stops repeating the verb where nothing is contradicted."


def _figures(drops: dict[str, Estimate]) -> str:
    """The drops by whom they are about."""
    conditions = {SAME: (*CONTRADICTIONS, *CONTROLS)} | dict.fromkeys(OTHERS, CONTRADICTIONS)
    parts = [
        f"{who} " + ", ".join(f"{one} {shown(drops[f'{who} {one}'])}" for one in asked)
        for who, asked in conditions.items()
    ]
    return f"Drops: {'; '.join(parts)}"


def _beside(found: dict[tuple[str, str], Estimate]) -> str:
    """The drops with the pronoun, and a word where they are clearly larger."""
    plain = [found.get(("coreference", f"{PRONOUN} {one}")) for one in CONTRADICTIONS]
    known = [e for e in plain if e is not None and e.value is not None]
    if not known:
        return ""
    text = f" With the pronoun: {', '.join(f'{e.condition.split()[1]} {shown(e)}' for e in known)}"
    larger = [e for (table, _), e in found.items() if table == "naming" and (e.low or 0.0) > 0]
    if not larger:
        return f"{text}."
    return f"{text}: more than with the name, which it may take for another person's."
