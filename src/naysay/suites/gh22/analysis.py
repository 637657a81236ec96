"""What is measured: repetition by polarity, after misprimes, and about another person.

The tables are those of the paper's figures where it has one; its figures are charts, so that few of
their numbers are printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial

import numpy as np

from naysay.core.measures import Analysis, Measure, Ruling, Wanted
from naysay.core.protocols import Table
from naysay.core.records import Estimate
from naysay.stats.shares import Mask
from naysay.suites._templates.analysis import (
    SEED_TITLES,
    Facet,
    Frequencies,
    Rows,
    Seeds,
    verdict,
)
from naysay.suites._templates.suite import (
    BEFORE,
    MISPRIMED,
    PAPER,
    REFERENT,
    RELEASED,
    WANTED,
    wanted,
)
from naysay.suites.gh22.suite import ContextOptions

HEADLINE = (0, 50)
"""The ranks over which the paper averages."""
POLARITIES = tuple(WANTED)
MARKINGS = {"negated": ("contrast", "does", "none"), "positive": ("so", "none")}
ACTS = ("1 ACT", "2 ACT", "3 ACT")
MISPRIMES = (
    ("but not", "contrast"),
    ("but not", "none"),
    ("of course", "contrast"),
    ("of course", "none"),
    ("unrelated", "none"),
)
INSERTED: dict[str, tuple[dict[str, Facet], str]] = {
    "MP": ({"experiment": MISPRIMED, "extra": "of course"}, "of course, many people"),
    "MP_but": ({"experiment": MISPRIMED, "extra": "but not"}, "many people, but not"),
    "1rand": ({"experiment": MISPRIMED, "extra": "unrelated"}, "an unrelated sentence"),
    "Cleo": ({"experiment": REFERENT}, "about Cleopatra"),
}
"""What is said between context and target, by the label of Figure 3; with and without marking."""
GENDERS = ("female", "male")
PROPOSALS: dict[str, dict[str, Facet]] = {
    "p1": {"experiment": 1, "polarity": "negated", "acts": 3},
    "p2": {"experiment": 1, "polarity": "positive", "acts": 3},
    "p3": {"experiment": REFERENT, "marking": "contrast"},
}
"""The templates that each proposal on style changed (appendix C): 3, 2 and 1, for each gender."""
OVERALL = "overall"
"""All negated templates of experiment 1, of which the first proposal changed a third."""
DIFFERING: dict[str, list[dict[str, Facet]]] = {
    PAPER: [],
    RELEASED: [{"experiment": MISPRIMED, "marking": "contrast"}],
    BEFORE: list(PROPOSALS.values()),
}
"""The templates whose wording is not the paper's, by style."""
TITLES = {
    "polarity": "Repetition of the verb, experiment 1",
    "delta": "Positive minus negated",
    "marking": "By marking (Figure 1)",
    "acts": "By number of verbs",
    "rank": "By rank (Figure 2)",
    "gender": "By gender",
    "figure3": "Experiments 2 and 3, by inserted element (Figure 3)",
    "misprime": "Experiment 2: misprimes",
    "referent": "Experiment 3: Cleopatra, where repetition is allowed",
    "figure4": "Negated templates of experiments 1 and 2, by gender (Figure 4)",
    "style": "Before minus after the proposals on style (Table 4)",
    "predictions": "The answers at the mask, by rank of the verb",
    **SEED_TITLES,
    "extremes": "Lowest and highest of all templates",
    "templates": "Every template (Figures 5 to 12)",
}


def analyse(
    suite: str, verdicts: Table, options: ContextOptions, listed: Sequence[str]
) -> Analysis:
    """All measures of one run, and its verdict; `listed` are notes on the word list."""
    rows = Rows(verdicts)
    own, figures = Seeds(suite, rows), TemplateFigures(suite, rows, options)
    notes = (
        *listed,
        f"Where no rank is named, ranks {' and '.join(map(str, figures.ranks))} are averaged.",
        *own.notes(),
    )
    return Analysis(
        (
            *figures.measures(),
            *figures.predictions(),
            *own.measures(options.ranks),
            *figures.extremes(),
            *figures.templates,
        ),
        {name: title for name, title in TITLES.items() if name != "style" or figures.both},
        lambda found: decide(found, options.smallest_effect),
        notes,
        details=frozenset({"templates"}),
    )


def decide(estimates: Sequence[Estimate], effect: float) -> Ruling:
    """The verdict, from the figures at the headline's ranks."""
    found = {(e.table, e.condition): e for e in estimates}
    return verdict(
        found["polarity", "negated"],
        found["polarity", "positive"],
        found["delta", "positive-negated"],
        effect,
        found["misprime", "all"],
        found["referent", "all"],
    )


class TemplateFigures:
    """Choices of rows by name, and the measures over them."""

    def __init__(self, suite: str, rows: Rows, options: ContextOptions) -> None:
        self.ranks = headline(options)
        self.both = {PAPER, BEFORE} <= set(options.style)
        self._suite = suite
        self._rows, self._options, self._shown = rows, options, shown(rows, options)
        self._templates = list(self._each_template())
        self._shares = rows.shares(suite, options.repetition, dict(self._choices()))

    def _choices(self) -> Iterator[tuple[str, Mask]]:
        """The kinds of rows that are measured, by name."""
        rows, ranks = self._rows, self.ranks
        for name, facets in self._facets().items():
            yield name, self._mask(**facets)
        for proposal, facets in PROPOSALS.items():
            for style in (PAPER, BEFORE):
                yield f"{style} {proposal}", rows.kinds(**facets, rank=ranks, style=style)
        # Of the negated templates, the first proposal changes some; the others are the same.
        every = rows.kinds(experiment=1, polarity="negated", rank=ranks, style=PAPER)
        first = PROPOSALS["p1"]
        before = rows.kinds(**first, rank=ranks, style=BEFORE)
        yield f"{PAPER} {OVERALL}", every
        yield f"{BEFORE} {OVERALL}", (every & ~rows.kinds(**first)) | before

    def _mask(self, **facets: Facet) -> Mask:
        """Kinds of the shown style with these facets, at the headline's ranks by default."""
        return self._rows.kinds(**{"rank": self.ranks, **facets}) & self._shown

    def _facets(self) -> dict[str, dict[str, Facet]]:
        """The choices that are measured, by name."""
        found: dict[str, dict[str, Facet]] = {}
        for polarity in POLARITIES:
            first: dict[str, Facet] = {"experiment": 1, "polarity": polarity}
            found[polarity] = first
            for marking in MARKINGS[polarity]:
                found[f"{polarity} {marking}"] = {**first, "marking": marking}
            for acts in (1, 2, 3):
                found[f"{polarity} {acts} ACT"] = {**first, "acts": acts}
            for rank in self._options.ranks:
                found[f"{polarity} rank {rank}"] = {**first, "rank": rank}
            for gender in GENDERS:
                found[f"{polarity} {gender}"] = {**first, "gender": gender}
        for gender in GENDERS:
            found[f"figure4 {gender}"] = {
                "experiment": (1, MISPRIMED), "polarity": "negated", "gender": gender,
            }  # fmt: skip
        for label, (facets, _) in INSERTED.items():
            found[f"figure3 {label}"] = facets
        found["misprime all"] = {"experiment": MISPRIMED}
        for extra, marking in MISPRIMES:
            found[f"misprime {named(extra, marking)}"] = {
                "experiment": MISPRIMED, "extra": extra, "marking": marking,
            }  # fmt: skip
        found["referent all"] = {"experiment": REFERENT}
        for marking in MARKINGS["negated"]:
            found[f"referent {marking}"] = {"experiment": REFERENT, "marking": marking}
        for label, facets in self._templates:
            found[label] = facets
        return found

    def _each_template(self) -> Iterator[tuple[str, dict[str, Facet]]]:
        for gender in reversed(GENDERS):
            who: dict[str, Facet] = {"gender": gender}
            for polarity in POLARITIES:
                for acts in (1, 2, 3):
                    for marking in MARKINGS[polarity]:
                        yield f"exp. 1, {gender}: {polarity}, {acts} ACT, {marking}", {
                            **who, "experiment": 1, "polarity": polarity, "acts": acts,
                            "marking": marking,
                        }  # fmt: skip
            for extra, marking in MISPRIMES:
                yield f"exp. 2, {gender}: {named(extra, marking)}", {
                    **who, "experiment": MISPRIMED, "extra": extra, "marking": marking,
                }  # fmt: skip
        for marking in MARKINGS["negated"]:
            yield f"exp. 3, male: Cleopatra, {marking}", {
                "gender": "male", "experiment": REFERENT, "marking": marking,
            }  # fmt: skip

    @cached_property
    def templates(self) -> list[Measure]:
        """The repetition in each of the 43 templates."""
        return [self._part("templates", label) for label, _ in self._templates]

    def extremes(self) -> list[Measure]:
        """The lowest and the highest of these, chosen by their value, hence without intervals."""
        return [
            Measure(self._suite, "extremes", name, "repetition", partial(self._most, choose))
            for name, choose in (("lowest", min), ("highest", max))
        ]

    def _most(self, choose: Callable[..., Estimate]) -> Estimate:
        measured = [m.estimate for m in self.templates if m.estimate.value is not None]
        if not measured:
            return Estimate(self._suite, "", "", "", None, note="no such row")
        found = choose(measured, key=lambda estimate: estimate.value or 0.0)
        return Estimate(self._suite, "", "", "", found.value, n=found.n, note=found.condition)

    def predictions(self) -> list[Measure]:
        """The answers at the mask over all templates: how many words, and the most frequent."""
        words = Frequencies(self._suite, self._rows)
        metrics = ("word_types", "top1_share")
        return [
            measure
            for rank in self._options.ranks
            for measure in words.words(
                "predictions", f"rank {rank}", "answer",
                self._rows.having(self._mask(rank=rank)) & self._rows.asked, metrics,
            )
        ]  # fmt: skip

    def measures(self) -> Iterator[Measure]:
        """All measures but those of single templates."""
        for polarity in POLARITIES:
            yield self._main("polarity", polarity, polarity, WANTED[polarity])
        yield self._shares.difference("delta", "positive-negated", "positive", "negated")
        ranks = tuple(f"rank {rank}" for rank in self._options.ranks)
        for part in (*ACTS, *ranks):
            label = f"{part}: positive-negated"
            yield self._shares.difference("delta", label, f"positive {part}", f"negated {part}")
        for polarity in POLARITIES:
            for marking in MARKINGS[polarity]:
                yield self._part("marking", f"{polarity} {marking}")
        for table, parts in (("acts", ACTS), ("rank", ranks), ("gender", GENDERS)):
            for polarity in POLARITIES:
                for part in parts:
                    yield self._part(table, f"{polarity} {part}")
        for label, (facets, words) in INSERTED.items():
            allowed = "" if facets["experiment"] == MISPRIMED else ": repetition allowed"
            yield self._shares.share(
                "figure3", label, "repetition", f"figure3 {label}", note=f"{words}{allowed}"
            )
        for name in (*(named(*misprime) for misprime in MISPRIMES), "all"):
            yield self._main("misprime", name, f"misprime {name}", wanted(MISPRIMED, "negated"))
        for name in (*MARKINGS["negated"], "all"):
            yield self._main("referent", name, f"referent {name}", wanted(REFERENT, "negated"))
        for gender in GENDERS:
            yield self._shares.share("figure4", gender, "repetition", f"figure4 {gender}")
        yield self._shares.difference("figure4", "male-female", "figure4 male", "figure4 female")
        if self.both:
            for proposal in (*PROPOSALS, OVERALL):
                before, after = f"{BEFORE} {proposal}", f"{PAPER} {proposal}"
                yield self._shares.difference("style", proposal, before, after)

    def _main(self, table: str, condition: str, choice: str, direction: Wanted | None) -> Measure:
        """A share that two runs are compared on."""
        note = f"wanted: {direction}" if direction else "repetition allowed"
        return self._shares.share(
            table, condition, "repetition", choice, wanted=direction, note=note, compared=True
        )

    def _part(self, table: str, choice: str) -> Measure:
        """A share that splits another one; its condition is called like its choice of rows."""
        return self._shares.share(table, choice, "repetition", choice)


def headline(options: ContextOptions) -> tuple[int, ...]:
    """The ranks that are averaged where none is named."""
    return tuple(rank for rank in options.ranks if rank in HEADLINE) or options.ranks


def shown(rows: Rows, options: ContextOptions) -> Mask:
    """The kinds of the style that is shown; a template that it leaves alone has the paper's."""
    style = PAPER if PAPER in options.style else options.style[0]
    own = rows.kinds(style=style)
    differing = np.zeros(len(own), dtype=bool)
    for facets in DIFFERING[style]:
        differing |= rows.kinds(**facets)
    return own | (rows.kinds(style=PAPER) & ~differing)


def named(extra: str, marking: str) -> str:
    """The name of a kind of misprime."""
    return extra if marking == "none" else f"{extra}, {marking}"
