"""The facts' outcomes: agreement with the negation, ρ, and right answers; relations count once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from naysay.core.measures import Outcome, Strings, Wanted, joined, strings
from naysay.core.protocols import Table
from naysay.core.records import Appendix, Estimate, Finding, Fit
from naysay.core.spec import RunSpec
from naysay.stats.intervals import Floats
from naysay.stats.shares import Mask
from naysay.suites.lama import certainty
from naysay.suites.lama.certainty import MICRO, NO_FACT, Column, NestedFigures
from naysay.suites.lama.rows import ASKED, BLANK_INSIDE
from naysay.suites.lama.source import OWN_FACTS, UPSTREAM_FACTS

HALF = 50.0
TITLES = {
    "negated": "A fact and its negation, each relation counted once (macro; Table 2): ρ times 100",
    "micro": "The same, relations counted by their facts (micro)",
    "control": "Control: a fact and another one of the same relation",
    "precision": "Right answers, and the right answer said although it is negated",
    **certainty.TITLES,
    "relations": "Each relation",
    "faults": "What was read, left out or found wrong in the data",
}
_PRINTED = {
    "google_re/place_of_birth": "google_re.birth_place",
    "google_re/date_of_birth": "google_re.birth_date",
    "google_re/place_of_death": "google_re.death_place",
}
"""How the paper calls a relation that it prints by itself."""
ALL = "all"
KEPT = "right answers kept"
"""Of what is answered right, how much is said although it is negated."""


class JudgedFacts:
    """Judged facts as arrays."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.relations: list[str] = table["relation"].to_pylist()
        self.asked = np.array(table["asked"].to_pylist(), dtype=object)

    def __len__(self) -> int:
        return len(self._table)

    def true(self, column: str) -> Mask:
        """A column of yes and no."""
        return np.asarray(self._table[column].to_numpy(zero_copy_only=False), dtype=bool)

    def column(self, name: str, *, share: bool = True) -> Column:
        """A column of numbers, or of yes and no."""
        values = self._table[name].to_numpy(zero_copy_only=False)
        return Column(np.asarray(values, dtype=float), share)

    def words(self, name: str) -> list[str]:
        """A column of words."""
        found: list[str] = self._table[name].to_pylist()
        return found

    def conditions(self) -> dict[str, list[str]]:
        """The relations of each row of the paper's tables, of each corpus, and of all facts."""
        found: dict[str, list[str]] = {}
        whole: dict[str, list[str]] = {}
        columns = self.relations, self.words("corpus"), self.words("kind")
        for relation, corpus, kind in dict.fromkeys(zip(*columns, strict=True)):
            name = _PRINTED.get(relation, f"{corpus}.{kind}" if kind else corpus)
            found.setdefault(name, []).append(relation)
            whole.setdefault(corpus, []).append(relation)
        every = list(dict.fromkeys(self.relations))
        corpora = {
            corpus: relations
            for corpus, relations in whole.items()
            if relations not in (*found.values(), every)
        }
        return {**found, **corpora, ALL: every}


def measure(suite: str, table: Table, spec: RunSpec, fit: Fit) -> Finding:
    """All tables and the verdict."""
    facts = JudgedFacts(table)
    conditions = facts.conditions()
    sizes: Mapping[str, int] = fit.about["sizes"]
    asked = facts.asked == ASKED
    compared = NestedFigures(
        suite,
        {"rho": facts.column("rho", share=False), "agrees": facts.column("agrees")},
        facts.relations, asked & facts.true("ranked"), sizes, spec.seed,
    )  # fmt: skip
    control = NestedFigures(
        suite,
        {"rho": facts.column("rho_other", share=False), "agrees": facts.column("agrees_other")},
        facts.relations, facts.true("ranked_other"), sizes, spec.seed,
    )  # fmt: skip
    estimates = [
        *_compared("negated", compared, conditions),
        *_compared("micro", compared, _several(conditions), mean=MICRO),
        *_compared("control", control, conditions),
        *_precision(suite, facts, conditions, sizes, spec.seed),
        *certainty.measure(suite, facts, asked, spec.seed),
        *_compared("relations", compared, {name: [name] for name in conditions[ALL]}),
        *faults(suite, fit),
    ]
    return conclude(suite, estimates, TITLES, _decide, _notes(facts, fit), fit)


def conclude(
    suite: str,
    estimates: Sequence[Estimate],
    titles: Mapping[str, str],
    decide: Callable[[Sequence[Estimate]], tuple[str, str]],
    notes: tuple[str, ...],
    fit: Fit,
) -> Finding:
    """The finding with those figures that there are facts for."""
    measured = tuple(e for e in estimates if e.note != NO_FACT)
    filled = {estimate.table for estimate in measured}
    outcome, verdict = decide(measured)
    columns = ("relation", "template", "negated", "negation from")
    templates = tuple(tuple(map(str, row)) for row in fit.about["templates"])
    return Finding(
        suite,
        measured,
        {name: title for name, title in titles.items() if name in filled},
        outcome,
        verdict,
        notes,
        frozenset({"sweep", "relations", "faults"}) & filled,
        (Appendix("Templates, for review", columns, templates),),
        comparable=fit.about["items"] == UPSTREAM_FACTS,
    )


def _several(conditions: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Those with more than one relation: with one, macro and micro are the same."""
    return {name: relations for name, relations in conditions.items() if len(relations) > 1}


def _compared(
    table: str, figures: NestedFigures, conditions: Mapping[str, Sequence[str]], mean: str = "macro"
) -> list[Estimate]:
    return [
        figures.estimate(table, name, metric, column, relations, mean=mean, unit=unit)
        for name, relations in conditions.items()
        for metric, column, unit in (("rho", "rho", "rho"), ("top1_agreement", "agrees", "%"))
    ]


def _precision(
    suite: str,
    facts: JudgedFacts,
    conditions: Mapping[str, Sequence[str]],
    sizes: Mapping[str, int],
    seed: int,
) -> list[Estimate]:
    said = np.array([bool(word) for word in facts.words("said")])
    listed = facts.true("listed") & said
    plain = NestedFigures(
        suite, {"P@1": facts.column("right"), "P@10": facts.column("in_top")},
        facts.relations, listed, sizes, seed,
    )  # fmt: skip
    asked = listed & (facts.asked == ASKED)
    column = {"said": facts.column("right_negated")}
    negated, kept = (
        NestedFigures(suite, column, facts.relations, chosen, sizes, seed)
        for chosen in (asked, asked & facts.true("right"))
    )
    shown = (
        (plain, "P@1", "P@1"),
        (plain, "P@10", "P@10"),
        (negated, "P@1 negated", "said"),
        (kept, KEPT, "said"),
    )
    return [
        figures.estimate("precision", name, metric, column, relations)
        for name, relations in conditions.items()
        for figures, metric, column in shown
    ]


def faults(suite: str, fit: Fit) -> list[Estimate]:
    """What was read, left out or found wrong, as counts."""
    read = [
        Estimate(suite, "faults", name.replace("/", " ").strip(), "rows read", float(count),
                 n=int(count), unit="count")
        for name, count in fit.about["read"].items()
    ]  # fmt: skip
    return read + [
        Estimate(
            suite, "faults", f"{corpus} {relation}".strip(), what, float(count), n=int(count),
            unit="count", note=example,
        )
        for corpus, relation, what, count, example in fit.about["faults"]
    ]  # fmt: skip


def _decide(estimates: Sequence[Estimate]) -> tuple[str, str]:
    def find(table: str, metric: str) -> Estimate | None:
        wanted = (table, ALL, metric)
        return next((e for e in estimates if (e.table, e.condition, e.metric) == wanted), None)

    agreement, rho = find("negated", "top1_agreement"), find("negated", "rho")
    if agreement is None or agreement.value is None or agreement.low is None:
        return "not measured", "was not measured: too few facts could be asked."
    kept = find("precision", KEPT)
    other = find("control", "rho")
    beside = (
        f"; {other.value:.1f} with another fact of the relation" if other and other.value else ""
    )
    told = (
        f"after “not” its first answer stays the same in {agreement.value:.1f} % of the facts "
        f"({agreement.low:.1f} to {agreement.high:.1f}), and ρ over all words is "
        f"{rho.value if rho else 0:.1f} (times 100{beside})."
    )
    bounds: list[tuple[float | None, float | None]] = [(agreement.low, agreement.high)]
    if kept is not None and kept.value is not None:
        bounds.append((kept.low, kept.high))
        told += f" Of its right answers it keeps {kept.value:.1f} % where the fact is negated"
        told += "." if kept.low is None else f" ({kept.low:.1f} to {kept.high:.1f})."
    else:
        bounds.append((None, None))
        told += (
            " It answers nothing right that it could keep, so it cannot be told whether it reads."
        )
    if any(low is not None and low >= HALF for low, _ in bounds):
        return "fails", f"fails: {told}"
    if all(high is not None and high < HALF for _, high in bounds):
        return "passes", f"passes: {told}"
    return "undecided", f"is undecided: {told}"


def source_notes(fit: Fit, here: int) -> list[str]:
    """Which facts these are, which words count, and whether anything was found wrong."""
    name, sizes = fit.about["items"], fit.about["sizes"]
    title = {
        UPSTREAM_FACTS: "LAMA",
        OWN_FACTS: "naysay's own; LAMA is got with `naysay data get lama`",
    }.get(name, name)
    every, words = sum(sizes.values()), len(fit.used) + len(fit.left_out)
    told = [
        f"Facts: {title} ({every:,} in {len(sizes)} relations; {here:,} here).",
        f"{len(fit.used):,} of {words:,} words of the vocabulary count for this model.",
    ]
    if faults := fit.about["faults"]:
        told.append(f"{sum(int(row[3]) for row in faults):,} faults or gaps in the data, listed.")
    return told


def _notes(facts: JudgedFacts, fit: Fit) -> tuple[str, ...]:
    told = source_notes(fit, len(facts))
    reasons = Counter(reason for reason in facts.asked.tolist() if reason != ASKED)
    told += [f"{count:,} facts were not compared: {reason}." for reason, count in reasons.items()]
    if fit.about["left_to_right"] and BLANK_INSIDE not in reasons:
        told.append("The model reads from left to right; the blank ends all these questions.")
    if unlisted := int((~facts.true("listed")).sum()):
        told.append(f"{unlisted:,} answers are not among these words, so not in the precision.")
    if unranked := int(((facts.asked == ASKED) & ~facts.true("ranked")).sum()):
        told.append(f"{unranked:,} facts have no ρ, since all words are equally likely there.")
    told.append(f"{int(facts.true('tie').sum()):,} facts have an answer that is a tie by rounding.")
    sources = Counter(facts.words("negation"))
    told.append("Negations: " + ", ".join(f"{n:,} {source}" for source, n in sources.items()) + ".")
    return tuple(told)


class FactOutcomes:
    """The judged rows of a run, as outcomes of all facts and of each corpus."""

    def __init__(self, suite: str, verdicts: Table) -> None:
        self._suite, self._table = suite, verdicts.unify_dictionaries()
        self.facts = JudgedFacts(self._table)
        relations = np.array(self.facts.relations, dtype=object)
        corpora = set(self.facts.words("corpus"))
        self._conditions = {
            name: np.isin(relations, chosen)
            for name, chosen in self.facts.conditions().items()
            if name == ALL or name in corpora
        }

    def of(
        self, table: str, metric: str, title: str, values: Floats, chosen: Mask, wanted: Wanted,
        *, keys: tuple[str, ...], sentence: str, answers: Strings, unit: str = "%",
    ) -> Iterator[Outcome]:  # fmt: skip
        """The figure over the chosen rows, of all facts and of each corpus that has some."""
        for condition, here in self._conditions.items():
            rows = np.flatnonzero(chosen & here)
            if not len(rows):
                continue
            taken = self._table.select(list(dict.fromkeys((*keys, "relation")))).take(rows)
            yield Outcome(
                self._suite, table, condition, metric, title,
                keys=joined(taken, *keys, by="/"), values=values[rows],
                clusters={"relations": strings(taken, "relation")}, unit=unit, wanted=wanted,
                balanced=True, rows=rows, sentence=sentence, answers=answers.take(rows),
            )  # fmt: skip

    def words(self, *columns: str) -> Strings:
        """What the model said: one column, or one after the other."""
        return joined(self._table, *columns, by=" / ")


def outcomes(suite: str, verdicts: Table) -> Iterator[Outcome]:
    """Agreement and ρ, right answers, and how many of these are kept where it is negated."""
    made = FactOutcomes(suite, verdicts)
    facts = made.facts
    asked = facts.asked == ASKED
    both, negated = made.words("said", "said_negated"), made.words("said_negated")
    compared = asked & facts.true("ranked")
    for metric, column, unit in (("rho", "rho", "rho"), ("top1_agreement", "agrees", "%")):
        yield from made.of(
            "negated", metric, TITLES["negated"], facts.column(column).values, compared, "low",
            keys=("unit",), sentence="negated", answers=both, unit=unit,
        )  # fmt: skip
    listed = facts.true("listed") & np.array([bool(word) for word in facts.words("said")])
    yield from made.of(
        "precision", "P@1", TITLES["precision"], facts.column("right").values, listed, "high",
        keys=("unit",), sentence="query", answers=made.words("said"),
    )  # fmt: skip
    yield from made.of(
        "precision", KEPT, TITLES["precision"], facts.column("right_negated").values,
        asked & listed & facts.true("right"), "low",
        keys=("unit",), sentence="negated", answers=negated,
    )  # fmt: skip
