"""The suite's figures: Tables 5 and 6 with intervals, what negation adds, McNemar, the verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from naysay.errors import RunError
from naysay.protocols import Table
from naysay.records import Estimate, Finding, Fit
from naysay.spec import RunSpec
from naysay.stats.bootstrap import Codes, bootstrap_means
from naysay.stats.intervals import Floats, Interval, difference_interval, share_interval
from naysay.stats.paired import mcnemar
from naysay.suites.scnt.conditions import BASELINE, CONTRADICTIONS, SELECTION, TESTS
from naysay.suites.scnt.verdict import verdict

TITLES = {
    "drops": "Drop of repetition (Table 6)",
    "adjusted": "Contradiction against control",
    "mcnemar": "McNemar's test against CpTv",
    "selection": "Selection in CpTp (Table 5)",
}
_WANTED = {
    "CpTn": "wanted: high",
    "CnTp": "wanted: high",
    "CnTn": "control: low",
    "CpTv": "control: low",
}


@dataclass(frozen=True)
class Answers:
    """Judged rows as arrays: a drop (1) or a repetition (0) for each triplet and condition."""

    drops: Floats
    """Selected triplets × test conditions."""
    pair_of: Codes
    verb_of: Codes
    tested: Floats
    """Questions asked in the selection, by pair."""
    repeated: Floats
    """Repetitions found in the selection, by pair."""
    ties: int
    questions: int


def gather(verdicts: Table) -> Answers:
    """The arrays from judged rows; a triplet without its four conditions is an error."""
    pairs, unit = _codes(verdicts, "unit")
    verbs, verb = _codes(verdicts, "verb")
    labels, label = _codes(verdicts, "condition")
    repeats = np.asarray(verdicts["repeats"].to_numpy(), dtype=bool)
    selecting = label == _place(labels, SELECTION)
    triplet = unit * len(verbs) + verb
    columns = []
    for condition in TESTS:
        chosen = np.flatnonzero(label == _place(labels, condition))
        columns.append(chosen[np.argsort(triplet[chosen], kind="stable")])
    keys = [triplet[column] for column in columns]
    if any(not np.array_equal(key, keys[0]) for key in keys) or len(np.unique(keys[0])) < len(
        keys[0]
    ):
        raise RunError("the rows lack a condition for some triplet, or have one twice")
    return Answers(
        drops=np.stack([1.0 - repeats[column] for column in columns], axis=1),
        pair_of=_renumbered(unit[columns[0]]),
        verb_of=_renumbered(verb[columns[0]]),
        tested=np.bincount(unit[selecting], minlength=len(pairs)).astype(float),
        repeated=np.bincount(unit[selecting & repeats], minlength=len(pairs)).astype(float),
        ties=int(np.count_nonzero(verdicts["tie"].to_numpy())),
        questions=len(verdicts),
    )


def measure(suite: str, verdicts: Table, spec: RunSpec, fit: Fit) -> Finding:
    """All estimates of one run, and its verdict."""
    answers = gather(verdicts)
    selection = _selection(suite, answers, spec, fit)
    notes = [
        f"{len(fit.used):,} of {len(fit.used) + len(fit.left_out):,} verbs are one piece for the "
        f"model at the blank; {len(fit.left_out):,} are left out (listed in {suite}-fit.json).",
        f"{answers.ties:,} of {answers.questions:,} answers are ties within rounding.",
    ]
    if not len(answers.drops):
        empty = [Estimate(suite, "drops", condition, "drop", None) for condition in TESTS]
        return Finding(
            suite,
            (*empty, *selection),
            TITLES,
            "not measured",
            f"cannot be judged: of {answers.questions:,} questions in {SELECTION} none was "
            "answered by repeating the verb, so there is nothing that negation could change.",
            tuple(notes),
        )
    tables = _drops(suite, answers, spec.seed)
    outcome, words = verdict(tables)
    return Finding(suite, (*tables, *selection), TITLES, outcome, words, tuple(notes))


def _drops(suite: str, answers: Answers, seed: int) -> list[Estimate]:
    n = len(answers.drops)
    ways = {"pairs": int(answers.pair_of.max()) + 1, "verbs": int(answers.verb_of.max()) + 1}
    fewest = min(ways.values())
    draws = bootstrap_means(answers.drops, answers.pair_of, answers.verb_of, seed=seed)
    means = answers.drops.mean(axis=0)
    column = {condition: k for k, condition in enumerate(TESTS)}
    blank = Estimate(suite, "", "", "", None, n=n, clusters=fewest, clusters_by=ways)

    def figure(
        table: str, condition: str, metric: str, value: float, interval: Interval
    ) -> Estimate:
        return replace(
            blank,
            table=table,
            condition=condition,
            metric=metric,
            value=100 * value,
            low=_percent(interval.low),
            high=_percent(interval.high),
            design_effect=interval.design_effect,
            method=interval.method,
        )

    drops = []
    for condition, k in column.items():
        mean = float(means[k])
        interval = share_interval(mean, draws[:, k], n, fewest)
        drop = figure("drops", condition, "drop", mean, interval)
        drops.append(replace(drop, note=_WANTED[condition]))
    adjusted = []
    for one, other in _comparisons():
        k, j = column[one], column[other]
        interval = difference_interval(
            (float(means[k]), float(means[j])), (draws[:, k], draws[:, j]), fewest
        )
        label = f"{one}-{other}"
        difference = figure("adjusted", label, "difference", float(means[k] - means[j]), interval)
        adjusted.append(replace(difference, unit="points"))
    tests = [_mcnemar(blank, answers.drops, column, one) for one in CONTRADICTIONS]
    return [*drops, *adjusted, *tests]


def _comparisons() -> list[tuple[str, str]]:
    """The control-adjusted drops first, then the contradictions against the other control."""
    return [(one, BASELINE) for one in CONTRADICTIONS] + [(one, "CnTn") for one in CONTRADICTIONS]


def _mcnemar(blank: Estimate, drops: Floats, column: dict[str, int], one: str) -> Estimate:
    first, second = drops[:, column[one]] == 1, drops[:, column[BASELINE]] == 1
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    return replace(
        blank,
        table="mcnemar",
        condition=f"{one} vs {BASELINE}",
        metric="p",
        unit="p",
        value=mcnemar(only_first, only_second),
        method="exact, on triplets; takes no account of clusters",
        note=f"dropped only in {one}: {only_first:,}; only in {BASELINE}: {only_second:,}",
    )


def _selection(suite: str, answers: Answers, spec: RunSpec, fit: Fit) -> list[Estimate]:
    """Table 5: what was asked, what repeated, and the share that repeats over all verbs."""
    shares = repetition_shares(
        answers.tested, answers.repeated, spec.cap, exhaustive=spec.exhaustive
    )
    pairs = len(shares)
    draws = bootstrap_means(shares[:, None], np.arange(pairs), seed=spec.seed)
    interval = share_interval(float(shares.mean()), draws[:, 0], pairs, pairs)
    counts = {
        "verbs": len(fit.used),
        "pairs": pairs,
        "tested": int(answers.tested.sum()),
        "repeating": int(answers.repeated.sum()),
        "selected": len(answers.drops),
    }
    ratio = Estimate(
        suite, "selection", SELECTION, "ratio", 100 * float(shares.mean()),
        _percent(interval.low), _percent(interval.high), n=counts["tested"], clusters=pairs,
        clusters_by={"pairs": pairs}, method=interval.method,
        note="share of all usable verbs",
    )  # fmt: skip
    counted = [
        Estimate(suite, "selection", SELECTION, metric, float(count), n=count, unit="count")
        for metric, count in counts.items()
    ]
    return [ratio, *counted]


def repetition_shares(tested: Floats, repeated: Floats, cap: int, *, exhaustive: bool) -> Floats:
    """Each pair's share of repeating verbs, without bias even where the walk stopped at the cap.

    A walk that stops at the r-th repetition has met too many of them; (r − 1) / (n − 1) is right on
    average (Haldane 1945), and for r = 1 it is whether the first verb repeated.
    """
    share = repeated / tested
    if exhaustive:
        return share
    stopped = repeated >= cap
    if cap == 1:
        corrected = (tested == 1).astype(float)
    else:
        corrected = (repeated - 1) / np.maximum(tested - 1, 1)
    return np.where(stopped, corrected, share)


def _codes(table: Table, column: str) -> tuple[list[str], npt.NDArray[np.int64]]:
    encoded = table[column].unify_dictionaries().combine_chunks()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


def _place(labels: list[str], label: str) -> int:
    return labels.index(label) if label in labels else -1


def _renumbered(codes: Codes) -> Codes:
    """The same clusters numbered without gaps, so that each number has an observation."""
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
