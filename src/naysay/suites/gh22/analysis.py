"""The suite's outcomes: repetition by polarity, after misprimes, and of another person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from naysay.core.measures import Outcome
from naysay.core.protocols import Table
from naysay.core.records import Estimate, Finding
from naysay.core.spec import RunSpec
from naysay.stats.shares import Mask, Shares
from naysay.suites._templates import analysis as seeds
from naysay.suites._templates.analysis import Facet, Repetitions, Rows, verdict

HEADLINE = (0, 50)
"""The ranks over which the paper averages."""
POLARITIES = ("negated", "positive")
MARKINGS = {"negated": ("contrast", "does", "none"), "positive": ("so", "none")}
MISPRIMES = (
    ("but not", "contrast"),
    ("but not", "none"),
    ("of course", "contrast"),
    ("of course", "none"),
    ("unrelated", "none"),
)
PROPOSALS = {"p1": 1, "p2": 2, "p3": 3}
"""The experiment whose contrast-marked templates each proposal on style touches."""
TITLES = {
    "polarity": "Repetition of the verb, experiment 1",
    "delta": "Positive less negated",
    "marking": "By marking",
    "acts": "By number of verbs",
    "rank": "By rank",
    "gender": "By gender",
    "misprime": "Experiment 2: misprimes",
    "referent": "Experiment 3: Cleopatra, where repetition is allowed",
    "style": "Before less after the proposals on style (Table 4)",
    **seeds.TITLES,
    "templates": "Every template",
}


def measure(suite: str, verdicts: Table, spec: RunSpec, told: Sequence[str]) -> Finding:
    """All estimates of one run, and its verdict; `told` are notes on the list of words."""
    rows = Rows(verdicts)
    own = seeds.Seeds(suite, rows)
    figures = TemplateFigures(suite, rows, spec)
    estimates = [
        *figures.estimates(),
        *(e for rank in spec.ranks for e in own.verbs(rank)),
        *(own.unusable(rank) for rank in spec.ranks),
        own.first_is_no_word(),
        *figures.templates(),
    ]
    outcome, words = verdict(
        figures.named("polarity", "negated"),
        figures.named("polarity", "positive"),
        figures.named("delta", "positive-negated"),
        figures.named("misprime", "all"),
        figures.named("referent", "all"),
    )
    titles = {name: title for name, title in TITLES.items() if name != "style" or figures.both}
    notes = (
        *told,
        f"Where no rank is named, ranks {' and '.join(map(str, figures.ranks))} are averaged.",
        own.note(),
        f"{rows.ties:,} of {int(rows.asked.sum()):,} answers are ties within rounding.",
    )
    return Finding(
        suite, tuple(estimates), titles, outcome, words, notes, details=frozenset({"templates"})
    )


class TemplateFigures:
    """Choices of rows by name, and the estimates over them."""

    def __init__(self, suite: str, rows: Rows, spec: RunSpec) -> None:
        self.ranks = headline(spec)
        self.both = len(spec.style) > 1
        self._rows, self._spec, self._shown = rows, spec, shown(rows, spec)
        self._choices: dict[str, Mask] = {}
        self._templates = list(self._each_template())
        for name, facets in self._facets().items():
            self._choices[name] = self._mask(**facets)
        for experiment in PROPOSALS.values():
            for style in spec.style:
                marked = rows.where(experiment=experiment, marking="contrast", rank=self.ranks)
                self._choices[f"{style} {experiment}"] = marked & rows.where(style=style)
        self._shares: Shares = rows.shares(suite, spec.repetition, self._choices, spec.seed)
        self._made = {(e.table, e.condition): e for e in self._estimates()}

    def _mask(self, **facets: Facet) -> Mask:
        """The rows of the shown style with these facets; the headline's ranks if none is said."""
        return self._rows.where(**{"rank": self.ranks, **facets}) & self._shown

    def _facets(self) -> dict[str, dict[str, Facet]]:
        """The choices that estimates are made of, by name."""
        found: dict[str, dict[str, Facet]] = {}
        for polarity in POLARITIES:
            first: dict[str, Facet] = {"experiment": 1, "polarity": polarity}
            found[polarity] = first
            for marking in MARKINGS[polarity]:
                found[f"{polarity} {marking}"] = {**first, "marking": marking}
            for acts in (1, 2, 3):
                found[f"{polarity} {acts} ACT"] = {**first, "acts": acts}
            for rank in self._spec.ranks:
                found[f"{polarity} rank {rank}"] = {**first, "rank": rank}
            for gender in ("female", "male"):
                found[f"{polarity} {gender}"] = {**first, "gender": gender}
        found["misprime all"] = {"experiment": 2}
        for extra, marking in MISPRIMES:
            found[f"misprime {named(extra, marking)}"] = {
                "experiment": 2, "extra": extra, "marking": marking,
            }  # fmt: skip
        found["referent all"] = {"experiment": 3}
        for marking in MARKINGS["negated"]:
            found[f"referent {marking}"] = {"experiment": 3, "marking": marking}
        for label, facets in self._templates:
            found[label] = facets
        return found

    def _each_template(self) -> Iterator[tuple[str, dict[str, Facet]]]:
        for gender in ("male", "female"):
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
                    **who, "experiment": 2, "extra": extra, "marking": marking,
                }  # fmt: skip
        for marking in MARKINGS["negated"]:
            yield f"exp. 3, male: Cleopatra, {marking}", {
                "gender": "male", "experiment": 3, "marking": marking,
            }  # fmt: skip

    def named(self, table: str, condition: str) -> Estimate:
        """One of the estimates."""
        return self._made[table, condition]

    def estimates(self) -> list[Estimate]:
        """All of them but those of single templates."""
        return list(self._made.values())

    def templates(self) -> list[Estimate]:
        """The repetition in each of the 43 templates."""
        return [self._share("templates", label, label) for label, _ in self._templates]

    def _estimates(self) -> Iterator[Estimate]:
        for polarity in POLARITIES:
            wanted = "wanted: low" if polarity == "negated" else "wanted: high"
            yield replace(self._share("polarity", polarity, polarity), note=wanted)
        yield self._difference("delta", "positive-negated", "positive", "negated")
        for part in ("1 ACT", "2 ACT", "3 ACT", *(f"rank {rank}" for rank in self._spec.ranks)):
            label = f"{part}: positive-negated"
            yield self._difference("delta", label, f"positive {part}", f"negated {part}")
        for polarity in POLARITIES:
            for marking in MARKINGS[polarity]:
                yield self._share("marking", f"{polarity} {marking}", f"{polarity} {marking}")
        for table, parts in (
            ("acts", ("1 ACT", "2 ACT", "3 ACT")),
            ("rank", tuple(f"rank {rank}" for rank in self._spec.ranks)),
            ("gender", ("female", "male")),
        ):
            for polarity in POLARITIES:
                for part in parts:
                    yield self._share(table, f"{polarity} {part}", f"{polarity} {part}")
        for extra, marking in (*MISPRIMES, ("all", "none")):
            name = named(extra, marking)
            yield replace(self._share("misprime", name, f"misprime {name}"), note="wanted: low")
        for marking in (*MARKINGS["negated"], "all"):
            share = self._share("referent", marking, f"referent {marking}")
            yield replace(share, note="repetition allowed")
        if self.both:
            for proposal, experiment in PROPOSALS.items():
                yield self._difference(
                    "style", proposal, f"paper {experiment}", f"revised {experiment}"
                )

    def _share(self, table: str, condition: str, choice: str) -> Estimate:
        return self._shares.share(table, condition, "repetition", choice)

    def _difference(self, table: str, condition: str, one: str, other: str) -> Estimate:
        return self._shares.difference(table, condition, one, other)


def headline(spec: RunSpec) -> tuple[int, ...]:
    """The ranks that are averaged where none is named."""
    return tuple(rank for rank in spec.ranks if rank in HEADLINE) or spec.ranks


def shown(rows: Rows, spec: RunSpec) -> Mask:
    """The rows of the style that is shown; a template with one wording has it in both styles."""
    style = "paper" if "paper" in spec.style else "revised"
    return ~rows.where(marking="contrast") | rows.where(style=style)


def named(extra: str, marking: str) -> str:
    """How a kind of misprime is called."""
    return extra if marking == "none" else f"{extra}, {marking}"


def outcomes(suite: str, verdicts: Table, spec: RunSpec) -> Iterator[Outcome]:
    """Experiments 1 to 3 at the headline's ranks."""
    items = Repetitions(suite, verdicts, spec.repetition)
    rows = items.rows
    here = shown(rows, spec) & rows.where(rank=headline(spec))
    for polarity in POLARITIES:
        yield items.outcome(
            "polarity", polarity, TITLES["polarity"],
            here & rows.where(experiment=1, polarity=polarity),
            "low" if polarity == "negated" else "high",
        )  # fmt: skip
    second, third = (here & rows.where(experiment=k) for k in (2, 3))
    for extra, marking in MISPRIMES:
        yield items.outcome(
            "misprime", named(extra, marking), TITLES["misprime"],
            second & rows.where(extra=extra, marking=marking), "low",
        )  # fmt: skip
    yield items.outcome("misprime", "all", TITLES["misprime"], second, "low")
    for marking in MARKINGS["negated"]:
        yield items.outcome(
            "referent", marking, TITLES["referent"], third & rows.where(marking=marking), None
        )
    yield items.outcome("referent", "all", TITLES["referent"], third, None)
