"""The suite: the model says which of three sentences means the same, in every order of them.

The question is that of the prompted suite. There the probabilities of three letters are compared;
here the answer is read, so that any chat can be asked, and must be a letter or a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from naysay.core.examples import Example
from naysay.core.measures import Analysis
from naysay.core.probes import AnswerQuestion
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.languages import Language
from naysay.data.lexicon import Lexicon
from naysay.suites._questions.suite import Posed, answered, refuse_early
from naysay.suites._questions.wording import ANOTHER, CHATTER, EMPTY, PATTERNS, Wording, trimmed
from naysay.suites.protocol import Setting, Unit
from naysay.suites.semantoneg.rows import ITEM_COLUMNS, OPTIONS, PARAPHRASE, ItemRow, item_fields
from naysay.suites.semantoneg.suite import ItemSuite
from naysay.suites.semantoneg_prompted.suite import ORDERS, prompted

NONE = -1
"""What is chosen where the answer is none of the sentences; it is never right."""
ANSWER = "answer"
_LIMIT = 40  # tokens: enough for a sentence
LETTERS = "ABC"


@dataclass(frozen=True, slots=True)
class AnsweredRow(ItemRow):
    """One item in one order, and what was answered."""

    order: str
    """The options' numbers in the order of the letters."""
    question: str
    answer: str
    finished: bool


class NegatedAntonymsInWords(ItemSuite):
    """SemAntoNeg (Vahtola, Creutz and Tiedemann 2022) as a question answered in words."""

    name = "semantoneg_chat"
    questions_per_unit = 6
    version = 1
    default = False
    default_limit = 100
    grain = 2
    summary = "semantoneg as a question in a chat, answered in words, in every order"
    needs = frozenset({AnswerQuestion})
    row_type = AnsweredRow
    judged = (*ITEM_COLUMNS, *OPTIONS, "order", "answer")
    folder = Path(__file__).parent

    def speaks(self, language: Language) -> bool:
        """Whether the language has the question, and phrases that refuse to answer."""
        return super().speaks(language) and language.has_patterns(PATTERNS)

    def fit(self, model: Model, setting: Setting) -> Fit:
        """Every item can be asked, if the model answers in words."""
        [(_, question), *_] = self._questions(setting.units[:1], setting)
        refuse_early(model, question)
        fit = super().fit(model, setting)
        return Fit((), about={**fit.about, "refusals": list(Wording.of(setting.language).refusals)})

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[AnsweredRow]:
        """Each item in all orders of its options."""
        for (unit, order), columns in answered(model, self._questions(units, setting)):
            yield AnsweredRow(
                **item_fields(unit), order="".join(map(str, order)), question=columns["text"],
                answer=columns["answer"], finished=columns["finished"],
            )  # fmt: skip

    def _questions(self, units: Iterable[Unit], setting: Setting) -> list[Posed]:
        wording = setting.language.patterns(self.patterns)
        asked: list[Posed] = []
        for unit in units:
            for order in ORDERS:
                letters = prompted(unit, order, wording)
                question = AnswerQuestion(letters.prompt, letters.about, _LIMIT)
                asked.append(((unit, order), question))
        return asked

    def judge(self, rows: Table) -> Table:
        """With the option that was said in this order, or why it is none."""
        import pyarrow as pa

        columns = [rows[c].cast("string").to_pylist() for c in ("answer", "order", *OPTIONS)]
        found = [
            chosen(text, order, options) for text, order, *options in zip(*columns, strict=True)
        ]
        choice = pa.array([number for number, _ in found], pa.int32())
        rows = rows.append_column("choice", choice)
        rows = rows.append_column("right", pa.array([k == PARAPHRASE for k, _ in found]))
        return rows.append_column("said", pa.array([said for _, said in found], pa.string()))

    def by_item(self, verdicts: Table) -> Table:
        """All orders of an item together; items without any answer are left out."""
        from naysay.suites.semantoneg_chat.analysis import by_item

        return by_item(verdicts)[0]

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Items in every order of their options."""
        from naysay.suites.semantoneg_chat.analysis import examples

        return examples(verdicts)

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Accuracy over all orders together, answers, letters, and the verdict."""
        from naysay.suites.semantoneg_chat.analysis import analyse

        return analyse(self.name, verdicts, spec, fit)


def chosen(text: str, order: str, options: list[str]) -> tuple[int, str]:
    """The option that an answer names by its letter, number or sentence, and what it is if none.

    >>> chosen("B. It is cold.", "201", ["It is hot.", "It's not cold.", "It is cold."])
    (-1, 'more than one word')
    >>> chosen("b)", "201", ["It is hot.", "It's not cold.", "It is cold."])[0]
    0
    """
    said = _plain(text)
    for place, number in enumerate(map(int, order)):
        letter, sentence = LETTERS[place].casefold(), _plain(options[number])
        if said in (letter, str(place + 1), sentence, *(f"{letter}{s} {sentence}" for s in ".):")):
            return number, ANSWER
    if not said:
        return NONE, EMPTY
    return NONE, CHATTER if len(said.split()) > 1 else ANOTHER


def _plain(text: str) -> str:
    # Once more, since a quoted sentence may have its own stop and another one behind it.
    return trimmed(trimmed(text)).strip("()").replace("’", "'").casefold()


SUITE = NegatedAntonymsInWords()
