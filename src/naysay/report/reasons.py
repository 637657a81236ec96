"""What may explain that a figure of ours is not the paper's: facts of the run's own record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from naysay import published
from naysay.evaluation import Evaluation
from naysay.records import Estimate, Finding
from naysay.suites import SUITES

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
