"""The suite's program: pairs, usable verbs, selection, the four test conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from naysay.core.errors import NoUsableWordError, SpecError
from naysay.core.examples import Example
from naysay.core.measures import Analysis
from naysay.core.options import option
from naysay.core.probes import FillBlank
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.data.lexicon import Lexicon
from naysay.suites.base import (
    BaseSuite,
    PatternOptions,
    ask,
    fitting,
    unspelled,
)
from naysay.suites.pairs import available_pairs, drawn_pairs, gender_of
from naysay.suites.protocol import Setting, Unit
from naysay.suites.scnt.selection import (
    SELECTION,
    TESTS,
    Asked,
    Step,
    TripletSentences,
    Walk,
    select,
)


@dataclass(frozen=True, slots=True)
class TripletRow:
    """One question and its answer."""

    unit: str
    gender: str
    name: str
    profession: str
    subject: str
    """Whom the target is about: `pronoun`, `name`, `same-gender` or `other-gender`."""
    verb: str
    form: str
    """The verb as it would stand at the blank."""
    place: int
    """The verb's place in the pair's seeded order, from 0."""
    condition: str
    text: str
    answer: str
    tie: bool


@dataclass(frozen=True, kw_only=True)
class SelectionOptions(PatternOptions):
    """What the test and its relatives read."""

    exhaustive: bool = option(False, "Ask every verb during selection.")
    cap: int | None = option(None, "Most verbs per pair. [default: as in the paper]", least=1)
    one_piece: str = option(
        "context", "Where verbs are one token.",
        choices=("context", "bare"),
    )  # fmt: skip
    predicate: str | None = option(None, "Predicate of the target: in English happy or likes.")


class SelfContainedNegTest(BaseSuite[SelectionOptions]):
    """The Self-Contained Neg Test of Kletz, Amsili and Candito (2023)."""

    name = "scnt"
    questions_per_unit = 200
    version = 2
    watched = True
    patterns = "scnt"
    verbs_per_pair = 20
    printed: Mapping[str, str] = {"drops": "Table 6", "selection": "Table 5"}
    """Where the paper has the suite's tables."""
    options_type = SelectionOptions
    summary = "minimal pairs: does the model stop repeating a verb where that is a contradiction?"
    needs = frozenset({FillBlank})
    row_type = TripletRow
    judged: tuple[str, ...] = ("unit", "subject", "verb", "form", "condition", "answer", "tie")
    folder = Path(__file__).parent

    def wording(self, spec: RunSpec) -> Mapping[str, str]:
        """The readout and the predicate."""
        language = LANGUAGES.get(str(spec.language))
        first = next(iter(language.patterns(self.patterns)["targets"]))
        return {**super().wording(spec), "predicate": self.options(spec).predicate or first}

    def check(self, setting: Setting) -> None:
        """Refuse a predicate that the language does not have, and what does not go together."""
        options = self.options(setting.spec)
        if options.readout == "likelihood" and options.one_piece != "context":
            raise SpecError(
                "--one-piece is about first words; leave it out with --readout likelihood"
            )
        self.items(setting)

    def items(self, setting: Setting) -> TripletSentences:
        """The suite's sentences."""
        predicate = self.options(setting.spec).predicate
        return TripletSentences.of(setting.language, setting.lexicon, self.patterns, predicate)

    def units(self, setting: Setting) -> Sequence[Unit]:
        """The pairs of name and profession: all, or a sample drawn by the seed."""
        return drawn_pairs(setting, self.default_limit)

    def askings(self, unit: Unit, setting: Setting) -> list[tuple[str, Unit]]:
        """The subjects that the target is asked with, each with the pair that has it."""
        return [("pronoun", unit)]

    def fit(self, model: Model, setting: Setting) -> Fit:
        """The verbs whose form is one piece for the model at the blank.

        By likelihood any number of pieces will do.
        """
        verbs, options = setting.lexicon.verbs, self.options(setting.spec)
        items, unit = self.items(setting), setting.units[0]
        forms = {verb: form for verb in verbs if (form := setting.lexicon.form(verb)) is not None}
        example = items.text(SELECTION, unit, verbs[0])
        if options.readout == "top1" and forms:
            # A blank that this kind of model cannot be asked about is refused here.
            ask(model, [items.probe(SELECTION, unit, next(iter(forms)))])
        listed = list(dict.fromkeys(forms.values()))
        cuts = [model.single_pieces(listed, example)]
        alone = model.single_pieces(listed, example, bare=True)
        if options.one_piece == "bare":
            cuts.append(alone)
        problems: dict[str, str | None] = {}
        for verb in verbs:
            if verb not in forms:
                problems[verb] = "its form is not known"
            elif options.readout == "likelihood":
                problems[verb] = unspelled(cuts[0][forms[verb]])
            else:
                found = (cut[forms[verb]].problem for cut in cuts)
                problems[verb] = next((problem for problem in found if problem), None)
        fit = fitting(verbs, problems)
        if not fit.used:
            shown = "; ".join(f"{verb}: {problem}" for verb, problem in fit.left_out[:3])
            raise NoUsableWordError(
                f"none of the {len(verbs)} verbs is one piece for {model.name} at the blank of "
                f"{example!r} ({shown}). Is it a model of this language? Give --language, another "
                "word list with --lexicon, or --readout likelihood, which takes several pieces."
            )
        bare = sum(alone[forms[verb]].problem is None for verb in fit.used)
        about: dict[str, Any] = {"available": available_pairs(setting), "bare": bare}
        if setting.lexicon.verb_list is not None:
            about["verbs"] = setting.lexicon.verb_list
        return replace(fit, about=about)

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[TripletRow]:
        """Select by CpTp, then ask what was selected in the four test conditions."""
        spec, items = setting.spec, self.items(setting)
        options = self.options(spec)
        if options.readout == "likelihood":
            forms = tuple(dict.fromkeys(map(items.form, fit.used)))
            items = replace(items, candidates=forms)
        asked = [asking for unit in units for asking in self.askings(unit, setting)]
        pairs = [pair for _, pair in asked]
        walks = select(
            model,
            items,
            pairs,
            fit.used,
            spec.seed,
            self.cap(spec),
            exhaustive=options.exhaustive,
            sample=int(fit.about.get("sample", 0)),
        )
        tests = [
            items.probe(condition, walk.unit, walk.verbs[place])
            for walk in walks
            for place in walk.selected
            for condition in TESTS
        ]
        tested = iter(zip(tests, ask(model, tests), strict=True))
        for (subject, _), walk in zip(asked, walks, strict=True):
            for place, step in enumerate(walk.steps):
                yield _row(walk, subject, place, SELECTION, step)
            for place in walk.selected:
                for condition in TESTS:
                    yield _row(walk, subject, place, condition, next(tested))

    def judge(self, rows: Table) -> Table:
        """Repetition: the answer is the verb in the form that the blank wants."""
        import pyarrow.compute as pc

        form, answer = (rows[column].cast("string") for column in ("form", "answer"))
        return rows.append_column("repeats", pc.equal(form, answer))

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Triplets in all their conditions."""
        from naysay.suites.scnt.examples import triplets

        return triplets(verdicts, self.options(spec).readout, fit, lexicon)

    def cap(self, spec: RunSpec) -> int:
        """How many verbs of a pair go into the test at most."""
        cap = self.options(spec).cap
        return self.verbs_per_pair if cap is None else cap

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Tables 5 and 6 with intervals, control-adjusted drops, McNemar, and the verdict."""
        from naysay.suites.scnt.analysis import analyse

        return analyse(self.name, verdicts, self.asked(spec), fit, self.printed)

    def asked(self, spec: RunSpec) -> Asked:
        """What the analysis has to know of how the rows were asked."""
        options = self.options(spec)
        return Asked(self.cap(spec), options.exhaustive, options.readout, options.smallest_effect)


def _row(walk: Walk, subject: str, place: int, condition: str, step: Step) -> TripletRow:
    unit, (probe, answer) = walk.unit, step
    return TripletRow(
        unit=unit.key,
        gender=gender_of(unit),
        subject=subject,
        name=unit["NAME"],
        profession=unit["PROF"],
        verb=walk.verbs[place],
        form=probe.words[0],
        place=place,
        condition=condition,
        text=probe.text,
        answer=answer.best,
        tie=answer.tie,
    )


SUITE = SelfContainedNegTest()
