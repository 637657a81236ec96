"""The part of a suite that asks in both orders, and reads the answers strictly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from naysay.core.examples import Example, ExampleSide
from naysay.core.keys import content_key
from naysay.core.options import Options
from naysay.core.probes import AnswerQuestion
from naysay.core.protocols import Model, Table
from naysay.data.languages import Language
from naysay.suites._questions.wording import OTHER, PATTERNS, WORD, Wording, chosen
from naysay.suites.base import BaseSuite
from naysay.suites.protocol import Setting


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question in one order, and what was said; the other order is the row beside it."""

    unit: str
    condition: str
    word: str
    """The option that figures count: the context's verb, or the right answer."""
    other: str
    first: bool
    """Whether that option stands first."""
    text: str
    """The question as it was asked."""
    answer: str
    finished: bool
    """Whether the answer ended by itself."""


QUESTION_COLUMNS = ("unit", "condition", "word", "other", "first", "answer")
"""The columns that judging reads of every such row."""
O = TypeVar("O", bound=Options)  # noqa: E741


class QuestionSuite(BaseSuite[O]):
    """What suites of such questions have in common."""

    default = False
    needs = frozenset({AnswerQuestion})

    def speaks(self, language: Language) -> bool:
        """Whether the language has the paper's patterns, and the words of the question."""
        return super().speaks(language) and language.has_patterns(PATTERNS)

    def digest(self, setting: Setting) -> str:
        """A hash of the paper's patterns, the question and the words."""
        question = dict(setting.language.patterns(PATTERNS))
        asked = [question["question"], question["blank"]]
        return content_key([super().digest(setting), asked])

    def check(self, setting: Setting) -> None:
        """Refuse a question that cannot be read."""
        super().check(setting)
        Wording.of(setting.language)

    def judge(self, rows: Table) -> Table:
        """With the option that was said, or why that is neither."""
        import pyarrow as pa

        columns = [rows[c].cast("string").to_pylist() for c in ("answer", "word", "other")]
        said = [chosen(*row) for row in zip(*columns, strict=True)]
        return rows.append_column("said", pa.array(said, pa.string()))


Posed = tuple[Any, AnswerQuestion]
"""Anything that belongs to a question, and the question."""


def answered(model: Model, asked: Sequence[Posed]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """What belongs to each question, with the columns of its answer."""
    replies = model.ask([question for _, question in asked])
    for (own, question), reply in zip(asked, replies, strict=True):
        yield (
            own,
            {"text": question.prompt, "answer": reply.text, "finished": reply.finished},
        )


def refuse_early(model: Model, question: AnswerQuestion) -> None:
    """Ask one question, so that a model that does not chat is refused before a run begins."""
    model.ask([question])


def side(label: str, row: dict[str, Any], wanted: str | None) -> ExampleSide:
    """One question with its answer; `wanted` is the kind of option that is right, None if either.

    An answer that is neither of the options is neither right nor wrong.
    """
    options = {WORD: row["word"], OTHER: row["other"]}
    said = row["said"]
    right = None if wanted is None or said not in options else said == wanted
    verdict = f"no answer: {said}"
    if said in options:
        verdict = "repeats" if said == WORD else "chooses the other word"
    unwanted = None if wanted is None else options[OTHER if wanted == WORD else WORD]
    return ExampleSide(
        label=label,
        text=row["text"],
        answer=options.get(said, row["answer"]),
        verdict=verdict,
        right=right,
        wanted=None if wanted is None else options[wanted],
        unwanted=unwanted,
    )


def examples_of(
    found: dict[tuple[str, ...], list[ExampleSide]], titles: dict[tuple[str, ...], str]
) -> Iterable[Example]:
    """The sides of each item as an example; the key begins with the unit."""
    for key, sides in found.items():
        yield Example("/".join(key), key[0], titles[key], tuple(sides), spare=len(sides) <= 2)
