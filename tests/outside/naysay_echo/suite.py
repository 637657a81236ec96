"""Echo: somebody likes to do something, or does not. What does a model say they like?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.core.examples import TOP, Example, ExampleSide, plain_rows
from naysay.core.keys import seeded_order
from naysay.core.measures import Analysis, ItemColumns, Ruling, Wanted
from naysay.core.options import Options, option
from naysay.core.probes import FillBlank
from naysay.core.protocols import Model, Table
from naysay.core.records import Estimate, Fit
from naysay.core.spec import RunSpec
from naysay.data.pattern import Pattern, target
from naysay.suites.base import BaseSuite
from naysay.suites.pairs import drawn_pairs
from naysay.suites.protocol import Setting, Unit
from naysay.suites.verdicts import above, ruled, shown

CONDITIONS = ("liked", "disliked")
WANTED: Mapping[str, Wanted] = {"liked": "high", "disliked": "low"}


@dataclass(frozen=True, kw_only=True)
class EchoOptions(Options):
    """What the suite reads."""

    echoes: int = option(3, "Verbs that each person is asked with.", least=1)


@dataclass(frozen=True, slots=True)
class EchoRow:
    """One question and its answer."""

    unit: str
    verb: str
    form: str
    condition: str
    text: str
    answer: str
    tie: bool


class Echo(BaseSuite[EchoOptions]):
    """A toy after the test of nobody in particular (2026)."""

    name = "echo"
    version = 1
    patterns = "echo"
    options_type = EchoOptions
    default = False
    summary = "does the model repeat what somebody likes, and not what they don't?"
    needs = frozenset({FillBlank})
    row_type = EchoRow
    judged = ("unit", "verb", "form", "condition", "answer", "tie")
    folder = Path(__file__).parent

    def units(self, setting: Setting) -> Sequence[Unit]:
        """Pairs of name and profession."""
        return drawn_pairs(setting, self.default_limit)

    def fit(self, model: Model, setting: Setting) -> Fit:
        """All verbs with a form."""
        return Fit(tuple(v for v in setting.lexicon.verbs if setting.lexicon.form(v)))

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[EchoRow]:
        """Each person with some verbs, liked and disliked."""
        wording = setting.language.patterns(self.patterns)
        contexts = {name: Pattern(wording["contexts"][name]) for name in CONDITIONS}
        blank = target(wording["target"])
        number = self.options(setting.spec).echoes
        asked = [
            (unit, verb, condition)
            for unit in units
            for verb in seeded_order(fit.used, setting.spec.seed, unit.key)[:number]
            for condition in CONDITIONS
        ]
        probes = []
        for unit, verb, condition in asked:
            words = {**dict(unit.slots), "ACT": verb}
            text = f"{contexts[condition].fill(words)} {blank.fill(words)}"
            probes.append(FillBlank(text, (setting.lexicon.form(verb) or verb,), said=(verb,)))
        for (unit, verb, condition), probe, fill in zip(
            asked, probes, model.ask(probes), strict=True
        ):
            yield EchoRow(
                unit.key, verb, probe.words[0], condition, probe.text, fill.best, fill.tie
            )

    def judge(self, rows: Table) -> Table:
        """Whether the verb is repeated."""
        import pyarrow.compute as pc

        form, answer = (rows[column].cast("string") for column in ("form", "answer"))
        return rows.append_column("repeats", pc.equal(form, answer))

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """How often the verb is repeated, and how much less where it is disliked."""
        import numpy as np

        from naysay.stats.shares import Shares, codes

        labels, label = codes(verdicts, "condition")
        chosen = {name: label == labels.index(name) for name in CONDITIONS}
        shares = Shares(
            self.name,
            np.asarray(verdicts["repeats"].to_numpy(), dtype=float),
            {column: codes(verdicts, column)[1] for column in ("unit", "verb")},
            chosen,
            ItemColumns(
                verdicts,
                keys=("unit", "verb"),
                clusters={"unit": "unit", "verb": "verb"},
                answers=("answer",),
            ),
        )
        measures = [
            shares.share(
                "echo", name, "repetition", name, wanted=WANTED[name], compared=True,
                note=f"wanted: {WANTED[name]}",
            )
            for name in CONDITIONS
        ]  # fmt: skip
        measures.append(
            shares.difference("gap", "liked-disliked", "liked", "disliked", wanted="high")
        )
        titles = {"echo": "Repetition of the verb", "gap": "Liked less disliked"}
        return Analysis(measures, titles, _decide)

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Any = None
    ) -> Iterator[Example]:
        """The two questions with one verb, side by side."""
        found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in plain_rows(verdicts):
            found.setdefault((row["unit"], row["verb"]), []).append(row)
        for (unit, verb), rows in found.items():
            yield Example(f"{unit}/{verb}", unit, f"{unit} · {verb}", tuple(map(_side, rows)))


def _side(row: dict[str, Any]) -> ExampleSide:
    liked = row["condition"] == "liked"
    return ExampleSide(
        label=row["condition"],
        text=row["text"],
        answer=row["answer"],
        verdict="repeats" if row["repeats"] else "does not repeat",
        right=row["repeats"] == liked,
        wanted=row["form"] if liked else None,
        unwanted=None if liked else row["form"],
        tie=row["tie"],
        question=FillBlank(row["text"], (row["form"],), TOP, said=(row["verb"],)),
    )


def _decide(estimates: Sequence[Estimate]) -> Ruling:
    gap = next(e for e in estimates if e.table == "gap")
    large = above(gap, 50.0)
    figures = f"The gap is {shown(gap)} points (wanted: 50)."
    if large.holds:
        return ruled("passes", "it repeats what is liked more often.", figures)
    if large.holds is False:
        return ruled("fails", "what is disliked is repeated nearly as often.", figures)
    return ruled("undecided", "the gap may be large or small.", figures, [large])


SUITE = Echo()
