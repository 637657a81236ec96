"""The questions of a suite of triplets, as a run asks them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from naysay.core.keys import seeded_order
from naysay.core.probes import FillBlank
from naysay.core.spec import RunSpec
from naysay.run.plan import setting_of
from naysay.suites.protocol import Setting
from naysay.suites.scnt.selection import SELECTION, TESTS
from naysay.suites.scnt.suite import SelfContainedNegTest

VERBS_PER_PAIR = 20  # as in the first step of a run
CONDITIONS = (SELECTION, *TESTS)


def suite_setting(suite: str, limit: int | None = None, **options: Any) -> Setting:
    """Return a suite with its words, drawn as `naysay run --limit` draws them."""
    setting = setting_of(RunSpec(model="", suites=(suite,), limit=limit))
    if not options:
        return setting
    spec = setting.spec
    own = replace(spec.options[suite], **options)
    return replace(setting, spec=replace(spec, options={**spec.options, suite: own}))


def masked_questions(number: int, conditions: Sequence[str] = CONDITIONS) -> list[FillBlank]:
    """Return distinct questions of scnt, cycling through the conditions, grouped by pair.

    The word that each asks about is not in its text, since some libraries would mask both.
    """
    setting = suite_setting("scnt", -(-number // VERBS_PER_PAIR))
    items = cast(SelfContainedNegTest, setting.suite).items(setting)
    found = []
    for unit in setting.units:
        *verbs, last = seeded_order(setting.lexicon.verbs, 0, unit.key)[: VERBS_PER_PAIR + 1]
        for place, verb in enumerate(verbs):
            text = items.text(conditions[place % len(conditions)], unit, verb)
            found.append(FillBlank(text, words=(last,)))
    return found[:number]
