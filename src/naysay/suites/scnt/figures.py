"""The suite's figures: Tables 5 and 6 with intervals, what negation adds, McNemar, the verdict."""

from __future__ import annotations

from collections import Counter
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
from naysay.suites.scnt.conditions import (
    BASELINE,
    CONTRADICTIONS,
    CONTROLS,
    SELECTION,
    TESTS,
)
from naysay.suites.scnt.verdict import verdict

TITLES = {
    "drops": "Drop of repetition (Table 6)",
    "adjusted": "Contradiction against control",
    "order": "Between the contradictions, and between the controls",
    "mcnemar": "McNemar's test against CpTv",
    "selection": "Selection in CpTp (Table 5)",
}
ADJUSTING = (BASELINE, "CnTn")
"""The controls against which contradictions are held, the paper's baseline first."""


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
        _fit_note(suite, fit),
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
    tables = Drops(suite, answers, spec.seed).estimates()
    outcome, words = verdict(tables)
    return Finding(suite, (*tables, *selection), TITLES, outcome, words, tuple(notes))


def _fit_note(suite: str, fit: Fit) -> str:
    """How many verbs could be asked, and why the others could not."""
    every = len(fit.used) + len(fit.left_out)
    note = f"{len(fit.used):,} of {every:,} verbs are one piece for the model at the blank"
    if not fit.left_out:
        return f"{note}."
    reasons = Counter(reason.partition(":")[0] for _, reason in fit.left_out)
    listed = ", ".join(f"{count:,} × {reason}" for reason, count in reasons.most_common(5))
    return f"{note}; {len(fit.left_out):,} are left out ({listed}; all in {suite}-fit.json)."


class Drops:
    """The drops of one run with their draws, from which every figure of theirs is made."""

    def __init__(self, suite: str, answers: Answers, seed: int) -> None:
        ways = {"pairs": int(answers.pair_of.max()) + 1, "verbs": int(answers.verb_of.max()) + 1}
        self._n, self._fewest = len(answers.drops), min(ways.values())
        self._dropped = dict(zip(TESTS, answers.drops.T, strict=True))
        self._means = {
            condition: float(column.mean()) for condition, column in self._dropped.items()
        }
        draws = bootstrap_means(answers.drops, answers.pair_of, answers.verb_of, seed=seed)
        self._draws = dict(zip(TESTS, draws.T, strict=True))
        self._blank = Estimate(
            suite, "", "", "", None, n=self._n, clusters=self._fewest, clusters_by=ways
        )

    def estimates(self) -> list[Estimate]:
        """All of them, table by table."""
        return [
            *(self.drop(condition) for condition in TESTS),
            *(self.difference("adjusted", one, c) for c in ADJUSTING for one in CONTRADICTIONS),
            *(self.difference("order", *pair) for pair in (CONTRADICTIONS[::-1], CONTROLS)),
            *(self.mcnemar(one, BASELINE) for one in CONTRADICTIONS),
        ]

    def drop(self, condition: str) -> Estimate:
        """The share of the selected verbs that are given up in a condition."""
        mean = self._means[condition]
        interval = share_interval(mean, self._draws[condition], self._n, self._fewest)
        note = "wanted: high" if condition in CONTRADICTIONS else "control: low"
        return replace(self._figure("drops", condition, mean, interval), metric="drop", note=note)

    def difference(self, table: str, one: str, other: str) -> Estimate:
        """How much more is given up in one condition than in another."""
        means = self._means[one], self._means[other]
        interval = difference_interval(means, (self._draws[one], self._draws[other]), self._fewest)
        figure = self._figure(table, f"{one}-{other}", means[0] - means[1], interval)
        return replace(figure, metric="difference", unit="points")

    def mcnemar(self, one: str, other: str) -> Estimate:
        """Whether the same verbs are given up in two conditions."""
        first, second = self._dropped[one] == 1, self._dropped[other] == 1
        only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
        return replace(
            self._blank,
            table="mcnemar",
            condition=f"{one} vs {other}",
            metric="p",
            unit="p",
            value=mcnemar(only_first, only_second),
            method="exact, on triplets; takes no account of clusters",
            note=f"dropped only in {one}: {only_first:,}; only in {other}: {only_second:,}",
        )

    def _figure(self, table: str, condition: str, share: float, interval: Interval) -> Estimate:
        return replace(
            self._blank,
            table=table,
            condition=condition,
            value=100 * share,
            low=_percent(interval.low),
            high=_percent(interval.high),
            design_effect=interval.design_effect,
            method=interval.method,
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
