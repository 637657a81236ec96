"""The procedure: all templates of the paper for each pair, with verbs drawn by the seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.core.errors import NoUsableWordError
from naysay.core.examples import Example, ExampleSide, plain_rows
from naysay.core.keys import seeded_order
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
from naysay.suites._questions.wording import OTHER, WORD, Wording
from naysay.suites._templates.suite import (
    MISPRIMED,
    NONE,
    PAPER,
    REFERENT,
    Template,
    read_templates,
    wanted,
)
from naysay.suites.base import WordListOptions
from naysay.suites.pairs import available_pairs, drawn_pairs, gender_of
from naysay.suites.protocol import Setting, Unit


@dataclass(frozen=True, slots=True)
class TemplateQuestionRow(QuestionRow):
    """One template with its verbs, as a question in one order."""

    gender: str
    name: str
    profession: str
    verb: str
    """The first verb; it is one of the options."""
    verbs: str
    """All verbs of the context, separated by spaces."""
    experiment: int
    polarity: str
    acts: int
    marking: str
    extra: str


class TemplateQuestions(QuestionSuite[WordListOptions]):
    """The study of Gubelmann and Handschuh (2022) as questions with two options."""

    name = "gh22_chat"
    questions_per_unit = 43
    version = 1
    patterns = "gh22"
    default_limit = 50
    options_type = WordListOptions
    summary = "gh22 as questions in a chat: which of two verbs fits, in both orders?"
    row_type = TemplateQuestionRow
    judged = (
        *QUESTION_COLUMNS, "gender", "verb", "experiment", "polarity", "acts", "marking", "extra",
    )  # fmt: skip
    folder = Path(__file__).parent

    def check(self, setting: Setting) -> None:
        """Refuse templates that cannot be read."""
        super().check(setting)
        read_templates(setting.language, self.patterns)

    def units(self, setting: Setting) -> Sequence[Unit]:
        """The pairs of name and profession: all, or a sample drawn by the seed."""
        return drawn_pairs(setting, self.default_limit)

    def fit(self, model: Model, setting: Setting) -> Fit:
        """All verbs of the list."""
        verbs, most = setting.lexicon.verbs, _most(self._templates(setting))
        if len(verbs) <= most:
            raise NoUsableWordError(
                f"{most + 1} verbs are needed for a question; the word list has {len(verbs)}"
            )
        fit = Fit(
            verbs,
            about={
                "available": available_pairs(setting),
                "refusals": list(Wording.of(setting.language).refusals),
            },
        )
        [(_, question), *_] = self._questions(setting.units[:1], setting, fit)
        refuse_early(model, question)
        return fit

    def _templates(self, setting: Setting) -> list[Template]:
        return read_templates(setting.language, self.patterns)[1]

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[TemplateQuestionRow]:
        """All templates of each pair's gender, each with verbs of its own, in both orders."""
        asked = self._questions(list(units), setting, fit)
        for (unit, template, verbs, other, first), columns in answered(model, asked):
            yield TemplateQuestionRow(
                unit=unit.key, gender=gender_of(unit), name=unit["NAME"], profession=unit["PROF"],
                verb=verbs[0], verbs=" ".join(verbs), condition=_label(template), word=verbs[0],
                other=other, first=first, experiment=template.experiment,
                polarity=template.polarity, acts=template.acts, marking=template.marking,
                extra=template.extra, **columns,
            )  # fmt: skip

    def _questions(self, units: Sequence[Unit], setting: Setting, fit: Fit) -> list[Posed]:
        templates, wording = self._templates(setting), Wording.of(setting.language)
        asked: list[Posed] = []
        for unit in units:
            for template in templates:
                if gender_of(unit) not in template.genders:
                    continue
                seed = (setting.spec.seed, unit.key, _label(template))
                *verbs, other = seeded_order(fit.used, *seed)[: template.acts + 1]
                text = template.text(unit, verbs, PAPER)
                about = ChooseWord(text, (verbs[0], other), (verbs[0],))
                asked += [
                    ((unit, template, verbs, other, first), question)
                    for first, question in wording.both_orders(about, verbs[0], other)
                ]
        return asked

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Pairs with their verbs, after contexts of both polarities."""
        found: dict[tuple[str, ...], list[ExampleSide]] = {}
        titles: dict[tuple[str, ...], str] = {}
        for row in plain_rows(verdicts):
            key = row["unit"], str(row["acts"])
            titles[key] = " · ".join((row["name"], row["profession"], f"{row['acts']} ACT"))
            direction = wanted(row["experiment"], row["polarity"])
            right = None if direction is None else WORD if direction == "high" else OTHER
            label = row["condition"] if row["first"] else f"{row['condition']}, other order"
            found.setdefault(key, []).append(side(label, row, right))
        yield from examples_of(found, titles)

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Repetition by polarity, marking, number of verbs, misprime and person; the verdict."""
        from naysay.suites.gh22_chat.analysis import analyse

        return analyse(self.name, verdicts, self.options(spec).smallest_effect, fit)


def _most(templates: Sequence[Template]) -> int:
    return max(template.acts for template in templates)


def _label(template: Template) -> str:
    """What is varied in the template, in words."""
    of = {MISPRIMED: f"misprime: {template.extra}", REFERENT: template.extra}
    parts = [of.get(template.experiment, f"{template.polarity}, {template.acts} ACT")]
    return ", ".join(parts if template.marking == NONE else [*parts, template.marking])


SUITE = TemplateQuestions()
