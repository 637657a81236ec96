"""The procedure: each fact as it is and negated, with a right and a wrong answer as options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from naysay.core.errors import DatasetError
from naysay.core.examples import Example, ExampleSide, plain_rows
from naysay.core.keys import content_key
from naysay.core.measures import Analysis
from naysay.core.options import ALL
from naysay.core.probes import FillBlank, WordList
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
from naysay.suites._questions.wording import OTHER, PATTERNS, WORD, Wording
from naysay.suites.lama.source import FactSource
from naysay.suites.lama.suite import FactOptions, FactSuite
from naysay.suites.protocol import Setting, Unit

FACT, NEGATED = "fact", "negated"
CONDITIONS = {FACT: "query", NEGATED: "negated"}
"""The column of a fact that each condition asks."""


@dataclass(frozen=True, slots=True)
class FactQuestionRow(QuestionRow):
    """One fact, as it is or negated, as a question in one order."""

    corpus: str
    relation: str
    subject: str
    negation: str
    """Where the negated question comes from."""


class FactQuestions(QuestionSuite[FactOptions], FactSuite[FactOptions]):
    """Negated LAMA of Kassner and Schütze (2020) as questions with two options."""

    name = "lama_chat"
    questions_per_unit = 4
    version = 1
    default_limit = 200
    grain = 5
    options_type = FactOptions
    summary = "facts and their negation in a chat: which of two answers fits, in both orders?"
    row_type = FactQuestionRow
    judged = (*QUESTION_COLUMNS, "corpus", "relation")
    folder = Path(__file__).parent

    def digest(self, setting: Setting) -> str:
        """A hash of the facts and of the question."""
        patterns = setting.language.patterns(PATTERNS)
        asked = [patterns["question"], patterns["blank"]]
        return content_key([self.source(setting).digest, asked])

    def units(self, setting: Setting) -> Sequence[Unit]:
        """Facts that have a negated question and a wrong answer, drawn as in lama."""
        return self._askable(setting).drawn(setting.spec, self.default_limit)

    def _askable(self, setting: Setting) -> FactSource:
        """The source without the other facts."""
        source = self.source(setting)
        negated = replace(source, facts=tuple(fact for fact in source.facts if fact.negated))
        every = negated.drawn(replace(setting.spec, limit=ALL), None)
        opposed = {unit.key for unit in every if unit["other_answer"]}
        return replace(source, facts=tuple(fact for fact in negated.facts if fact.key in opposed))

    def fit(self, model: Model, setting: Setting) -> Fit:
        """Which facts these are; the words need not be of one piece."""
        source, askable = self.source(setting), self._askable(setting)
        if not setting.units:
            raise DatasetError(f"no fact of {source.name} has a negated question")
        [(_, question), *_] = _questions(setting.units[:1], Wording.of(setting.language))
        refuse_early(model, question)
        about: dict[str, Any] = {
            "available": len(askable.facts),
            "items": source.name,
            "not_askable": len(source.facts) - len(askable.facts),
            "refusals": list(Wording.of(setting.language).refusals),
        }
        return Fit((), about=about)

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[FactQuestionRow]:
        """Each fact and its negation, in both orders of the answers."""
        asked = _questions(list(units), Wording.of(setting.language))
        for (unit, condition, first), columns in answered(model, asked):
            yield FactQuestionRow(
                unit=unit.key, condition=condition, word=unit["answer"],
                other=unit["other_answer"], first=first, corpus=unit["corpus"],
                relation=unit["relation"], subject=unit["subject"], negation=unit["negation"],
                **columns,
            )  # fmt: skip

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Facts as they are and negated, each in both orders."""
        found: dict[tuple[str, ...], list[ExampleSide]] = {}
        titles: dict[tuple[str, ...], str] = {}
        for row in plain_rows(verdicts):
            key = (row["unit"],)
            titles[key] = " · ".join((row["subject"], row["relation"], row["word"]))
            condition = row["condition"]
            label = condition if row["first"] else f"{condition}, other order"
            found.setdefault(key, []).append(side(label, row, WORD if condition == FACT else OTHER))
        yield from examples_of(found, titles)

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Right answers to facts and to their negations, and the verdict."""
        from naysay.suites.lama_chat.analysis import analyse

        return analyse(self.name, verdicts, self.options(spec).smallest_effect, fit)


def _questions(units: Sequence[Unit], wording: Wording) -> list[Posed]:
    asked: list[Posed] = []
    for unit in units:
        right, other = unit["answer"], unit["other_answer"]
        among = WordList((right, other))
        for condition, column in CONDITIONS.items():
            about = FillBlank(unit[column], (right,), among=among)
            asked += [
                ((unit, condition, first), question)
                for first, question in wording.both_orders(about, right, other)
            ]
    return asked


SUITE = FactQuestions()
