"""The rules of verdicts, on figures made for them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naysay.core.records import OUTCOMES, Estimate, Finding, Fit
from naysay.run.sample import Extent, advice, rounded_up, with_advice
from naysay.suites import SUITES
from naysay.suites.lama.facts import ALL
from naysay.suites.lama.verdict import ABOVE_CONTROL, KEPT, LOST
from naysay.suites.lama.verdict import verdict as lama_verdict
from naysay.suites.lama_misprimed.analysis import verdict as misprimed_verdict
from naysay.suites.scnt.selection import CONTRADICTIONS, CONTROLS
from naysay.suites.scnt.verdict import verdict as scnt_verdict
from naysay.suites.semantoneg.analysis import verdict as semantoneg_verdict
from naysay.suites.verdicts import Claim, above, below, both, clear, nil

EFFECT = 5.0
Bounds = tuple[float, float]


def figure(table: str, condition: str, bounds: Bounds, metric: str = "x") -> Estimate:
    return Estimate("s", table, condition, metric, sum(bounds) / 2, *bounds)


def drops(**found: Bounds) -> list[Estimate]:
    """Drops by condition; the differences have the intervals that independent drops would have."""
    table = {name: figure("drops", name, bounds) for name, bounds in found.items()}
    differences = []
    for one in CONTRADICTIONS:
        for control in CONTROLS:
            (low, high), (least, most) = found[one], found[control]
            middle = (low + high - least - most) / 2
            half = math.hypot((high - low) / 2, (most - least) / 2)
            name = f"{one}-{control}"
            differences.append(figure("adjusted", name, (middle - half, middle + half)))
    return [*table.values(), *differences]


@pytest.mark.parametrize(
    ("cptn", "cntp", "cntn", "cptv", "outcome", "why"),
    [
        ((80, 90), (80, 90), (5, 15), (5, 15), "passes", "seldom where it is not"),
        ((80, 90), (20, 30), (5, 15), (5, 15), "passes in part", "but not a negated context"),
        ((80, 90), (45, 60), (5, 15), (5, 15), "passes in part", "open whether it also notices"),
        ((80, 90), (80, 90), (5, 15), (32, 38), "passes in part", "rather often in the control"),
        ((80, 90), (80, 90), (5, 15), (0, 35), "passes in part", "in the control as well is open"),
        ((80, 90), (80, 90), (55, 65), (5, 15), "passes in part", "two of them agree"),
        ((80, 90), (80, 90), (5, 15), (42, 48), "fails", "nothing is contradicted"),
        ((80, 90), (80, 90), (5, 15), (25, 45), "undecided", "leave open"),
        ((80, 90), (80, 90), (5, 15), (38, 48), "undecided", "leave open"),
        ((80, 90), (80, 90), (5, 15), (28, 38), "passes in part", "rather often"),
        ((80, 90), (80, 90), (45, 60), (5, 15), "passes in part", "is open"),
        ((68, 72), (68, 72), (3, 7), (68, 72), "fails", "nothing is contradicted"),
        ((10, 20), (10, 20), (5, 15), (5, 15), "fails", "goes on repeating"),
        ((70, 74), (70, 74), (70, 74), (36, 39), "fails", "hardly more often"),
        ((45, 60), (30, 40), (5, 15), (5, 15), "undecided", "leave open"),
        ((46, 54), (46, 54), (46, 54), (46, 54), "fails", "nothing is contradicted"),
        ((49.5, 50.5), (49.5, 50.5), (49, 51), (49.5, 50.5), "no effect", "hardly a difference"),
    ],
)
def test_scnt(
    cptn: Bounds, cntp: Bounds, cntn: Bounds, cptv: Bounds, outcome: str, why: str
) -> None:
    ruling = scnt_verdict(drops(CpTn=cptn, CnTp=cntp, CnTn=cntn, CpTv=cptv), EFFECT)
    assert ruling.outcome == outcome, ruling.why
    assert why in ruling.why


@given(
    st.lists(
        st.tuples(st.floats(0, 100), st.floats(0, 30)).map(
            lambda drawn: (max(0.0, drawn[0] - drawn[1]), min(100.0, drawn[0] + drawn[1]))
        ),
        min_size=4,
        max_size=4,
    )
)
def test_no_model_passes_scnt_with_a_high_control(found: list[Bounds]) -> None:
    names = (*CONTRADICTIONS, *CONTROLS)
    ruling = scnt_verdict(drops(**dict(zip(names, found, strict=True))), EFFECT)
    assert ruling.outcome in OUTCOMES
    control = dict(zip(names, found, strict=True))["CpTv"]
    if control[0] > 40:
        assert ruling.outcome in ("fails", "no effect")
    if ruling.outcome == "passes":
        assert control[1] <= 30 and min(found[0][0], found[1][0]) >= 50


def facts(
    agreement: Bounds,
    kept: Bounds,
    lost: Bounds,
    alike: Bounds = (-30, -10),
    rho: Bounds = (80, 90),
) -> list[Estimate]:
    return [
        figure("negated", ALL, agreement, "top1_agreement"),
        figure("negated", ALL, rho, "rho"),
        figure("control", ALL, alike, ABOVE_CONTROL),
        figure("precision", ALL, kept, KEPT),
        figure("precision", ALL, lost, LOST),
    ]


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        (facts((0, 10), (0, 10), (30, 40)), "passes"),
        (facts((60, 70), (0, 10), (30, 40)), "fails"),
        (facts((0, 10), (60, 70), (30, 40)), "fails"),
        (facts((0, 10), (0, 10), (30, 40), alike=(6, 12)), "passes in part"),
        (facts((0, 10), (40, 60), (30, 40), alike=(6, 12)), "fails"),
        # The control leaves it open: the ranking itself decides.
        (facts((0, 10), (0, 10), (30, 40), alike=(-30, 30)), "passes in part"),
        (facts((0, 10), (0, 10), (30, 40), alike=(-30, 30), rho=(-30, 30)), "passes"),
        (facts((0, 10), (0, 10), (-2, 3)), "no effect"),
        (facts((0, 10), (0, 10), (-20, -8)), "fails"),
        (facts((40, 60), (0, 10), (30, 40)), "undecided"),
        (facts((0, 10), (40, 60), (-10, 20)), "undecided"),
        (facts((0, 10), (0, 10), (30, 40))[:2], "fails"),  # ρ alone: alike
    ],
)
def test_lama(found: list[Estimate], outcome: str) -> None:
    assert lama_verdict(found, EFFECT).outcome == outcome


def test_lama_names_a_control_only_where_there_is_one() -> None:
    without, having = (
        facts((0, 10), (40, 60), (30, 40))[:2],
        facts((0, 10), (40, 60), (30, 40), (6, 12)),
    )
    assert "two facts" in lama_verdict(having, EFFECT).why
    assert "its ranking of all words stays" in lama_verdict(without, EFFECT).why


@pytest.mark.parametrize(
    ("own", "anything", "more", "outcome"),
    [
        ((5, 15), (0, 4), (2, 12), "passes"),
        ((60, 80), (5, 15), (40, 70), "fails"),
        ((10, 14), (8, 14), (-3, 4), "no effect"),
        ((10, 20), (8, 14), (-3, 9), "undecided"),
        ((40, 60), (0, 4), (30, 60), "undecided"),
    ],
)
def test_lama_misprimed(own: Bounds, anything: Bounds, more: Bounds, outcome: str) -> None:
    found = [
        figure("misprimed", ALL, own, "drop C"),
        figure("misprimed", ALL, anything, "drop A"),
        figure("meaning", ALL, more),
    ]
    assert misprimed_verdict(found, EFFECT).outcome == outcome


@pytest.mark.parametrize(
    ("bounds", "outcome"),
    [
        ((50, 60), "passes"),
        ((40, 46), "passes in part"),
        ((30, 36), "no effect"),
        ((5, 20), "fails"),
        ((20, 45), "undecided"),
        ((40, 60), "undecided"),
    ],
)
def test_semantoneg(bounds: Bounds, outcome: str) -> None:
    accuracy = figure("accuracy", "all", bounds)
    assert semantoneg_verdict([accuracy], EFFECT).outcome == outcome


def test_claims_hold_with_the_whole_interval() -> None:
    assert above(figure("", "", (50, 60)), 50).holds is True
    assert above(figure("", "", (40, 49.9)), 50).holds is False
    assert above(figure("", "", (40, 60)), 50).holds is None
    assert above(Estimate("s", "t", "c", "m", 100.0), 50).holds is None  # no interval
    assert below(figure("", "", (40, 49.9)), 50).holds is True
    assert both(Claim(True), Claim(None, 3.0), Claim(None, 2.0)) == Claim(None, 3.0)
    assert both(Claim(None, 9.0), Claim(False)).holds is False


def test_a_small_effect_counts_as_none_even_if_it_is_significant() -> None:
    small, large = figure("", "", (1, 4)), figure("", "", (1, 9))
    assert clear(small, EFFECT).holds is False and nil(small, EFFECT)
    assert clear(large, EFFECT).holds is None and not nil(large, EFFECT)
    assert clear(large, 1.0).holds is True


def test_the_sample_that_would_settle_it_follows_from_the_variance() -> None:
    """Four times the sample halves the interval."""
    half = 1.96
    estimate = Estimate(
        "s", "t", "c", "m", 51.0, 51 - half, 51 + half, error=1.0, degrees=1e6, clusters=10
    )
    needed = above(estimate, 50).needed
    assert needed == pytest.approx(half**2, rel=1e-3)


def finding(needed: float | None) -> Finding:
    return Finding("scnt", (), {}, "undecided", "open.", needed=needed)


def test_more_pairs_are_asked_for_only_where_they_would_settle_it() -> None:
    suite = SUITES.get("scnt")
    assert advice(2.0, suite, Extent(200, 18_200, whole=False)) == (
        "About 400 pairs may settle it (--limit 400)."
    )
    assert "would hardly settle it" in advice(math.inf, suite, Extent(200, 18_200, whole=False))
    assert "would hardly settle it" in advice(100.0, suite, Extent(200, 18_200, whole=False))
    for needed in (2.0, math.inf):
        words = advice(needed, suite, Extent(18_200, 18_200, whole=True))
        assert "--limit" not in words and "no larger sample" in words
    assert with_advice(finding(None), suite, Extent(5, None, whole=False)).verdict.endswith("open.")
    assert [rounded_up(number) for number in (7.2, 123.4, 400.0, 3010)] == [8, 130, 400, 3100]


def test_a_finding_without_extent_of_an_earlier_version() -> None:
    suite = SUITES.get("scnt")
    assert "--limit 20" in advice(2.0, suite, Extent(10, Fit(()).about.get("available"), False))
