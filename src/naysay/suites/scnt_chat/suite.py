"""The procedure: some verbs for each pair, those chosen in CpTp in the four other conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.core.errors import NoUsableWordError
from naysay.core.examples import Example, ExampleSide, plain_rows
from naysay.core.keys import draw, seeded_order
from naysay.core.measures import Analysis
from naysay.core.probes import ChooseWord
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.lexicon import Lexicon
from naysay.suites._questions.suite import (
    QUESTION_COLUMNS,
    Posed,
    QuestionRow,
    QuestionSuite,
    answered,
    examples_of,
    refuse_early,
    side,
)
from naysay.suites._questions.wording import OTHER, WORD, Wording, chosen
from naysay.suites.base import WordListOptions, fitting
from naysay.suites.pairs import available_pairs, drawn_pairs, gender_of
from naysay.suites.protocol import Setting, Unit
from naysay.suites.scnt.selection import CONTRADICTIONS, SELECTION, TESTS, TripletSentences

VERBS = 3
"""How many verbs of each pair are asked in CpTp."""


@dataclass(frozen=True, slots=True)
class TripletQuestionRow(QuestionRow):
    """One question about a name, a profession and a verb."""

    gender: str
    name: str
    profession: str
    verb: str
    """The verb as it stands in the context; `word` is its form at the blank."""
    place: int
    """The verb's place in the pair's seeded order, from 0."""


@dataclass(frozen=True)
class _Triplet:
    """A pair with a verb, and the form of the verb beside it."""

    unit: Unit
    verb: str
    place: int
    other: str


class TripletQuestions(QuestionSuite[WordListOptions]):
    """The test of Kletz, Amsili and Candito (2023) as questions with two options."""

    name = "scnt_chat"
    questions_per_unit = 20
    version = 1
    patterns = "scnt"
    default_limit = 100
    options_type = WordListOptions
    summary = "scnt as questions in a chat: which of two verbs fits, in both orders?"
    row_type = TripletQuestionRow
    judged = (*QUESTION_COLUMNS, "verb")
    folder = Path(__file__).parent

    def check(self, setting: Setting) -> None:
        """Refuse sentences that cannot be read."""
        super().check(setting)
        self.sentences(setting)

    def sentences(self, setting: Setting) -> TripletSentences:
        """The paper's sentences."""
        return TripletSentences.of(setting.language, setting.lexicon, self.patterns)

    def units(self, setting: Setting) -> Sequence[Unit]:
        """The pairs of name and profession: all, or a sample drawn by the seed."""
        return drawn_pairs(setting, self.default_limit)

    def fit(self, model: Model, setting: Setting) -> Fit:
        """The verbs whose form at the blank is known, each form once."""
        forms: dict[str, str] = {}
        problems: dict[str, str | None] = {}
        for verb in setting.lexicon.verbs:
            form = setting.lexicon.form(verb)
            problems[verb] = "its form is not known" if form is None else None
            if form is not None and forms.setdefault(form.casefold(), verb) != verb:
                problems[verb] = f"has the form of {forms[form.casefold()]}"
        fit = fitting(setting.lexicon.verbs, problems)
        if len(fit.used) < 2:
            raise NoUsableWordError("two verbs are needed for a question; the word list has fewer")
        wording = Wording.of(setting.language)
        [triplet, *_] = self._triplets(setting.units[:1], setting, fit)
        [(_, question), *_] = self._questions([triplet], (SELECTION,), setting)
        refuse_early(model, question)
        about = {"available": available_pairs(setting), "refusals": list(wording.refusals)}
        return Fit(fit.used, fit.left_out, about)

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[TripletQuestionRow]:
        """Ask CpTp, then what was chosen there in both orders in the four test conditions."""
        triplets = self._triplets(list(units), setting, fit)
        first = self._rows(model, triplets, (SELECTION,), setting)
        repeated = [
            triplet
            for triplet in triplets
            if all(chosen(row.answer, row.word, row.other) == WORD for row in first[triplet])
        ]
        tests = self._rows(model, repeated, TESTS, setting)
        for triplet in triplets:
            yield from first[triplet]
            yield from tests.get(triplet, ())

    def _triplets(self, units: Sequence[Unit], setting: Setting, fit: Fit) -> list[_Triplet]:
        """Some verbs for each pair in its seeded order, each with another one beside it."""
        seed, verbs = setting.spec.seed, fit.used
        lexicon, found = setting.lexicon, []
        for unit in units:
            order = seeded_order(verbs, seed, unit.key)
            for place, verb in enumerate(order[:VERBS]):
                rest = [one for one in verbs if one != verb]
                beside = rest[draw(seed, unit.key, verb, "beside") % len(rest)]
                found.append(_Triplet(unit, verb, place, str(lexicon.form(beside))))
        return found

    def _questions(
        self, triplets: Sequence[_Triplet], conditions: Sequence[str], setting: Setting
    ) -> list[Posed]:
        sentences, wording = self.sentences(setting), Wording.of(setting.language)
        asked: list[Posed] = []
        for triplet in triplets:
            word, other = sentences.form(triplet.verb), triplet.other
            for condition in conditions:
                text = sentences.text(condition, triplet.unit, triplet.verb)
                about = ChooseWord(text, (word, other), (word,), (triplet.verb,))
                asked += [
                    ((triplet, condition, word, first), question)
                    for first, question in wording.both_orders(about, word, other)
                ]
        return asked

    def _rows(
        self, model: Model, triplets: Sequence[_Triplet], conditions: Sequence[str],
        setting: Setting,
    ) -> dict[_Triplet, list[TripletQuestionRow]]:  # fmt: skip
        """The rows of each triplet in these conditions."""
        rows: dict[_Triplet, list[TripletQuestionRow]] = {triplet: [] for triplet in triplets}
        asked = self._questions(triplets, conditions, setting)
        for (triplet, condition, word, first), columns in answered(model, asked):
            unit = triplet.unit
            row = TripletQuestionRow(
                unit=unit.key, gender=gender_of(unit), name=unit["NAME"], profession=unit["PROF"],
                verb=triplet.verb, place=triplet.place, condition=condition, word=word,
                other=triplet.other, first=first, **columns,
            )  # fmt: skip
            rows[triplet].append(row)
        return rows

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Triplets in their conditions, each in both orders."""
        found: dict[tuple[str, ...], list[ExampleSide]] = {}
        titles: dict[tuple[str, ...], str] = {}
        for row in plain_rows(verdicts):
            key = row["unit"], row["verb"]
            titles[key] = " · ".join((row["name"], row["profession"], row["verb"]))
            found.setdefault(key, []).append(_side(row))
        yield from examples_of(found, titles)

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Drops with intervals, selection, answers and order, and the verdict."""
        from naysay.suites.scnt_chat.analysis import analyse

        return analyse(self.name, verdicts, self.options(spec).smallest_effect, fit)


def _side(row: dict[str, Any]) -> ExampleSide:
    condition = row["condition"]
    label = condition if row["first"] else f"{condition}, other order"
    return side(label, row, OTHER if condition in CONTRADICTIONS else WORD)


SUITE = TripletQuestions()
