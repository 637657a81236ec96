"""How a sentence becomes a question with two options, and what counts as an answer to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from naysay.core.errors import PatternError
from naysay.core.probes import BLANK, AnswerQuestion, ChooseWord, FillBlank
from naysay.data.languages import Language

PATTERNS = "_questions"
"""The pattern file that words the questions."""
WORD, OTHER = "word", "other"
"""The two options: the one that a figure counts, and the one beside it."""
ANOTHER, REFUSAL, CHATTER, EMPTY = "another word", "refusal", "more than one word", "nothing"
"""What is no answer."""
NO_ANSWERS = (ANOTHER, REFUSAL, CHATTER, EMPTY)
_MARKS = " \t\r\n\"'“”„‘’«»‹›*`"
"""Quotes, and the signs of emphasis that chats write."""
_STOPS = ".!?,;:"


@dataclass(frozen=True)
class Wording:
    """The words of a question in one language."""

    question: str
    blank: str
    refusals: tuple[str, ...]

    @classmethod
    def of(cls, language: Language) -> Wording:
        """The wording of a language; an error says what its file lacks."""
        patterns = language.patterns(PATTERNS)
        try:
            found = cls(
                str(patterns["question"]).strip(),
                str(patterns["blank"]),
                tuple(map(str, patterns["refusals"])),
            )
            found.question.format(text="", first="", second="")
        except (KeyError, IndexError, ValueError) as error:
            raise PatternError(
                f"the questions of language {language.code!r} need question, with {{text}}, "
                f"{{first}} and {{second}}, blank and refusals: {error!r}"
            ) from error
        return found

    def asked(self, about: ChooseWord | FillBlank, first: str, second: str) -> AnswerQuestion:
        """The question about a sentence with these two words, in this order."""
        text = about.text.replace(BLANK, self.blank)
        return AnswerQuestion(self.question.format(text=text, first=first, second=second), about)

    def both_orders(
        self, about: ChooseWord | FillBlank, word: str, other: str
    ) -> Iterator[tuple[bool, AnswerQuestion]]:
        """The question with either word first, and whether that is the one that counts."""
        yield True, self.asked(about, word, other)
        yield False, self.asked(about, other, word)


def trimmed(text: str) -> str:
    """The text without white space, quotes and signs of emphasis around it, and one final stop.

    >>> trimmed(' "Swim". '), trimmed("**swim**"), trimmed("to swim")
    ('Swim', 'swim', 'to swim')
    """
    text = text.strip(_MARKS)
    return (text[:-1] if text[-1:] and text[-1] in _STOPS else text).strip(_MARKS)


def chosen(text: str, word: str, other: str) -> str:
    """Which of the two options an answer is, or why it is neither.

    >>> chosen("Swim.", "swim", "run"), chosen("I swim", "swim", "run")
    ('word', 'more than one word')
    """
    said = trimmed(text).casefold()
    for kind, option in ((WORD, word), (OTHER, other)):
        if said == option.casefold():
            return kind
    if not said:
        return EMPTY
    return CHATTER if len(said.split()) > 1 else ANOTHER


def refuses(text: str, phrases: Sequence[str]) -> bool:
    """Whether one of the phrases is in the text.

    >>> refuses("I’m sorry, but I can't.", ["i'm sorry"])
    True
    """
    plain = text.casefold().replace("’", "'")
    return any(phrase in plain for phrase in phrases)
