"""Pairs of models, one sensitive to negation and one not, and how well each suite separates them.

`known:aware` and `known:blind` follow a rule and can be asked everything. `mini-aware` and
`mini-blind` are real models, trained in the same way; in the sentences of one, negation decides
what follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.analysis.items import measures_of
from naysay.core.console import Progress, Silent
from naysay.core.errors import UnknownNameError
from naysay.core.protocols import ModelRequest
from naysay.core.records import FAILS, NO_EFFECT, PART, PASSES, Estimate, Finding
from naysay.core.spec import DEFAULT_LANGUAGE
from naysay.models import open_model
from naysay.run.evaluation import Evaluation, evaluate
from naysay.run.options import spec_of
from naysay.run.plan import setting_of, why_not
from naysay.suites import SUITES
from naysay.suites.base import languages_of
from naysay.suites.protocol import Suite

PAIRS = {"rules": ("known:aware", "known:blind"), "models": ("mini-aware", "mini-blind")}
"""By kind: the model that is sensitive to negation, and the one that is not."""
_ENGLISH = ("models",)  # the pairs that know no other language
_PAIRS_ASKED = 40  # of names and professions; of other units, as many as make the same work


@dataclass(frozen=True)
class FigurePair:
    """One figure in both models."""

    aware: Estimate
    blind: Estimate
    wanted: str

    @property
    def difference(self) -> float | None:
        """How much higher it is in the model that is sensitive to negation."""
        if self.aware.value is None or self.blind.value is None:
            return None
        return self.aware.value - self.blind.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of the difference, from the two intervals (square-and-add, Zou and Donner 2008).

        The two models are asked separately, often about other items, so nothing is paired.
        """
        one, other, delta = self.aware, self.blind, self.difference
        bounds = one.low, one.high, other.low, other.high
        if delta is None or any(bound is None for bound in bounds):
            return None
        low, high, other_low, other_high = (float(bound or 0) for bound in bounds)
        one_value, other_value = float(one.value or 0), float(other.value or 0)
        return (
            delta - math.hypot(one_value - low, other_high - other_value),
            delta + math.hypot(high - one_value, other_value - other_low),
        )

    @property
    def separates(self) -> bool:
        """Whether the interval of the difference lies on the expected side of zero."""
        if self.interval is None:
            return False
        low, high = self.interval
        return low > 0 if self.wanted == "high" else high < 0


@dataclass(frozen=True)
class Separation:
    """The result of one suite for a pair of models; without figures, the reason."""

    suite: str
    pair: str
    evaluations: tuple[Evaluation, ...] = ()
    figures: tuple[FigurePair, ...] = ()
    reason: str = ""

    @property
    def findings(self) -> list[Finding]:
        """The two findings, the model that is sensitive to negation first."""
        return [finding for evaluation in self.evaluations for finding in evaluation.findings]

    @property
    def clearest(self) -> FigurePair | None:
        """The first figure that separates the models, or else the first."""
        apart = [figure for figure in self.figures if figure.separates]
        return next(iter(apart or self.figures), None)

    @property
    def separates(self) -> bool:
        """Whether one passes, the other fails, and a figure separates them."""
        outcomes = [finding.outcome for finding in self.findings]
        if len(outcomes) < 2:  # a model of this kind cannot be asked
            return False
        apart = outcomes[0] in (PASSES, PART) and outcomes[1] in (FAILS, NO_EFFECT)
        return apart and any(f.separates for f in self.figures)

    def as_dict(self) -> dict[str, Any]:
        """As plain values, ready for JSON."""
        return {
            "suite": self.suite,
            "models": list(PAIRS[self.pair]),
            "asked": bool(self.evaluations),
            "reason": self.reason,
            "separates": self.separates,
            "outcomes": [finding.outcome for finding in self.findings],
            "figures": [
                {
                    "table": one.aware.table,
                    "condition": one.aware.condition,
                    "metric": one.aware.metric,
                    "unit": one.aware.unit,
                    "wanted": one.wanted,
                    "aware": one.aware.value,
                    "blind": one.blind.value,
                    "difference": one.difference,
                    "interval": one.interval,
                    "separates": one.separates,
                }
                for one in self.figures
            ],
        }


def calibrate(
    suites: Sequence[str] | None = None,
    *,
    pairs: Sequence[str] = tuple(PAIRS),
    limit: int = _PAIRS_ASKED,
    seed: int = 0,
    out: Path = Path("runs"),
    report: Callable[[str], None] = lambda line: None,
    progress: Callable[[], Progress] = Silent,
) -> Iterator[Separation]:
    """Ask both models of each pair in each suite, on naysay's own items.

    `limit` counts pairs of names and professions; of other units as many as make the same work.
    `report` receives a line per model, `progress` makes what shows its questions.
    """
    chosen = [SUITES.get(name) for name in suites] if suites else list(SUITES.all())
    for pair in pairs:
        if pair not in PAIRS:
            raise UnknownNameError("pair of models", pair, PAIRS)
    for number, suite in enumerate(chosen, 1):
        for pair in pairs:
            options: dict[str, Any] = {
                "limit": limit * suite.grain,
                "seed": seed,
                "out": out,
                "language": next(iter(languages_of([suite])), DEFAULT_LANGUAGE),
            }
            if suite.item_sets:
                options["items"] = suite.item_sets[-1]  # naysay's own, which are always there
            if reason := _refusal(suite, pair, options):
                yield Separation(suite.name, pair, reason=reason)
                continue
            evaluations = []
            for model in PAIRS[pair]:
                report(f"{suite.name} (suite {number} of {len(chosen)}): asking {model}")
                evaluations.append(evaluate(model, suite.name, progress=progress(), **options))
            figures = tuple(_figures(suite, *evaluations))
            yield Separation(suite.name, pair, tuple(evaluations), figures)


def _refusal(suite: Suite, pair: str, options: dict[str, Any]) -> str | None:
    """Why a pair of models cannot be asked, None if it can."""
    model = PAIRS[pair][0]
    if pair in _ENGLISH and options["language"] != "en":
        return f"{model} and its counterpart know English only"
    setting = setting_of(spec_of(model, (suite.name,), options))
    opened = open_model(model, ModelRequest(language=options["language"]))
    try:
        return why_not(setting, opened)
    finally:
        opened.close()


def _figures(suite: Suite, aware: Evaluation, blind: Evaluation) -> Iterator[FigurePair]:
    """The figures of the suite that have an expected direction."""
    other = {_name(estimate): estimate for estimate in blind}
    wanted = {
        measure.name[1:]: measure.wanted
        for measure in measures_of(aware.manifest, suite, aware.spec)
    }
    for estimate in aware:
        name = _name(estimate)
        if (side := wanted.get(name)) is not None and name in other:
            yield FigurePair(estimate, other[name], side)


def _name(estimate: Estimate) -> tuple[str, str, str]:
    return estimate.table, estimate.condition, estimate.metric
