"""Our figures beside those that papers print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.core.records import Estimate, Finding
from naysay.reports.sections import Chart
from naysay.reports.tables import interval, number
from naysay.reports.vega import scatter
from naysay.run.evaluation import Evaluation
from naysay.suites import SUITES, published

_PAPER_WORDS = {"gh22": "gh22", "scin": "scin"}
"""The suites whose paper's own words can be read, and the name of these words."""
_PREFIX_RULE = ("gh22",)
_RAW_RANKS = ("gh22", "scnt_table2")


@dataclass(frozen=True)
class Reason:
    """Something that is known to be otherwise than in the paper."""

    tag: str
    text: str


def reasons_for(evaluation: Evaluation, finding: Finding, estimate: Estimate) -> Iterator[Reason]:
    """What is known to be otherwise than in the paper, from the run's own record."""
    yield from _of_items(evaluation, finding.suite)
    yield from _of_asking(evaluation, finding.suite)
    yield from _of_model(evaluation)
    told = published.contradictions(
        finding.suite, {estimate.table}, evaluation.model, evaluation.spec.language
    )
    for contradiction in told:
        yield Reason("paper", f"The paper contradicts itself. {contradiction}")


def _of_items(evaluation: Evaluation, suite_name: str) -> Iterator[Reason]:
    spec, suite = evaluation.spec, SUITES.get(suite_name)
    units = evaluation.manifest.units.get(suite_name, 0)
    limit = spec.limit_or(suite.default_limit)
    if limit is not None and units >= limit:
        yield Reason(
            "sample",
            f"{units:,} {suite.unit_name} drawn by seed {spec.seed}, not all of them: "
            "--limit all asks all, as the paper does.",
        )
    if "lexicon" in suite.sources:
        paper = _PAPER_WORDS.get(suite_name)
        if spec.lexicon in (None, "own"):
            hint = f" --lexicon {paper} reads the paper's." if paper else ""
            yield Reason("words", f"naysay's own word lists, not the paper's.{hint}")
        elif spec.lexicon != paper:
            yield Reason("words", f"The words are those of {spec.lexicon}, not the paper's.")
    if "corpora" in suite.options and spec.corpora is not None:
        yield Reason("corpora", f"Only some corpora were asked: {', '.join(spec.corpora)}.")
    if "primes" in suite.options and spec.primes == "own":
        yield Reason(
            "primes",
            "The primes were made for this model by naysay; --primes released uses the files' own, "
            "made for BERT-large.",
        )


def _of_asking(evaluation: Evaluation, suite_name: str) -> Iterator[Reason]:
    spec, suite = evaluation.spec, SUITES.get(suite_name)
    if suite_name in _PREFIX_RULE and spec.repetition == "exact":
        yield Reason(
            "rule",
            "Only the verb itself counts as repeated; the released code also counts words that "
            "begin like it (--repetition prefix).",
        )
    if suite_name in _RAW_RANKS and not spec.raw_ranks:
        yield Reason(
            "ranks",
            "Ranks count whole words; the released code counts every piece (--raw-ranks).",
        )
    if "one_piece" in suite.options and spec.one_piece == "context":
        yield Reason(
            "pieces",
            "Verbs are one piece in their place, with the space before them; the paper's counts "
            "suggest that it tried them bare (--one-piece bare).",
        )
    if spec.readout != "top1":
        yield Reason(
            "readout", "The answer is the likeliest of a list, not the model's first word."
        )
    for option in ("predicate", "prompt", "pooling"):
        if (value := getattr(spec, option)) is not None:
            yield Reason(option, f"--{option} {value} was asked for.")
    if "style" in suite.options and "paper" not in spec.style:
        yield Reason("wording", f"The wording is {' and '.join(spec.style)}, not the paper's.")


def _of_model(evaluation: Evaluation) -> Iterator[Reason]:
    facts = evaluation.manifest.model
    if facts.get("precision") != "fp32":
        yield Reason("precision", f"Computed in {facts.get('precision')}.")
    if Path(evaluation.model).suffix == ".gguf":
        yield Reason("precision", "The weights are of a GGUF file, which may be quantised.")
    if not facts.get("revision"):
        yield Reason(
            "checkpoint",
            "The revision of the weights is not on record: they may not be those of the paper, "
            "which names none either.",
        )


_DIGITS = {"score": 3}


@dataclass(frozen=True)
class PublishedComparison:
    """One of our figures beside the printed one."""

    model: str
    suite: str
    title: str
    """What the table is called."""
    estimate: Estimate
    reasons: tuple[Reason, ...]
    """Why the printed figure may lie outside our interval; empty where it lies inside."""

    @property
    def difference(self) -> float:
        """Ours less the printed one."""
        e = self.estimate
        assert e.value is not None and e.published is not None
        return e.value - e.published

    @property
    def shown(self) -> tuple[str, str, str, str]:
        """Our figure, its interval, the printed figure and the difference, as they are shown."""
        e = self.estimate
        digits = _DIGITS.get(e.unit, 1)
        return (
            number(e.value, e.unit),
            interval(e),
            number(e.published, e.unit),
            f"{self.difference:+.{digits}f}",
        )

    @property
    def where(self) -> str:
        """Where the printed figure lies."""
        return where(self.estimate)


def where(estimate: Estimate) -> str:
    """Where the printed figure lies: inside our interval, below or above it.

    Both are compared as they are shown, since a paper prints so many digits and no more.
    """
    low, high, printed = estimate.low, estimate.high, estimate.published
    if low is None or high is None or printed is None:
        return "no interval"
    digits = _DIGITS.get(estimate.unit, 1)
    if round(printed, digits) < round(low, digits):
        return "below"
    return "above" if round(printed, digits) > round(high, digits) else "inside"


def comparisons(labelled: Sequence[tuple[str, Evaluation]]) -> list[PublishedComparison]:
    """All figures that a paper prints for the tested models, on items that can be compared."""
    found = []
    for label, evaluation in labelled:
        for finding in evaluation.findings:
            if not finding.comparable:
                continue
            for estimate in finding.estimates:
                if estimate.published is None or estimate.value is None:
                    continue
                if estimate.unit == "count":  # sizes of the samples, not what the model does
                    continue
                outside = where(estimate) != "inside"
                reasons = tuple(reasons_for(evaluation, finding, estimate)) if outside else ()
                title = finding.titles[estimate.table]
                found.append(PublishedComparison(label, finding.suite, title, estimate, reasons))
    return found


def against(beside: Sequence[PublishedComparison], models: Sequence[str]) -> Chart:
    """Ours against the printed figures: on the slanting line they are the same."""
    chosen = [one for one in beside if one.estimate.unit in ("%", "rho")] or list(beside)
    points = [
        {
            "model": one.model,
            "of": f"{one.suite}: {one.estimate.condition}, {one.estimate.metric}",
            "published": one.estimate.published,
            "value": round(one.estimate.value or 0.0, 4),
            "figure": one.shown[0],
            "interval": one.shown[1],
            "printed": one.shown[2],
            "lies": one.where,
        }
        | ({} if one.estimate.low is None else {"low": one.estimate.low, "high": one.estimate.high})
        for one in chosen
    ]
    inside = sum(one.where == "inside" for one in chosen)
    present = {one.model for one in chosen}
    return Chart(
        "against-published",
        "Ours against published",
        scatter(points, models),
        f"Scatter chart: {len(chosen)} of our figures against the published ones; {inside} of "
        "these lie inside the interval of ours. The tables have all of them.",
        tuple(model for model in models if model in present),
    )
