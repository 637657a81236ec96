"""When does a word at the blank contradict what was said? A reader by rule, for `known:aware`.

It reads no grammar: a sentence is negated if it has one of the language's negators, and it is about
a person if it names them. That is enough for the sentences of the suites, and for nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from naysay.languages import Language
from naysay.probes import BLANK

SENTENCE_END = re.compile(r"(?<=[.!?])\s+")

Reader = Callable[[str, Sequence[str]], bool]
"""Given the text and the words said before, whether one of them can fill the blank."""


def negation_in(language: Language) -> re.Pattern[str]:
    """What finds one of the language's negators in a text."""
    return re.compile("|".join(map(_negator, language.about["negators"])), re.IGNORECASE)


def never_contradict(language: Language) -> Reader:
    """Whether what was said of the words and what is asked have one polarity and one person."""
    negated = negation_in(language)
    pronouns = {pronoun.lower() for pronoun in language.pronouns.values()}

    def fits(text: str, words: Sequence[str]) -> bool:
        *context, asked = SENTENCE_END.split(text[: text.index(BLANK)])
        said = [s for s in context if any(_as_word(word).search(s) for word in words)]
        if not said:
            return False
        person = _person(asked, context, pronouns)
        about = [sentence for sentence in said if _as_word(person).search(sentence)]
        # Of somebody else nothing was said that could be contradicted.
        return not about or bool(negated.search(about[-1])) == bool(negated.search(asked))

    return fits


@cache
def _as_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\b")


def _negator(word: str) -> str:
    return rf"{re.escape(word)}\b" if word.startswith(("n'", "'")) else rf"\b{re.escape(word)}\b"


def _person(asked: str, context: Sequence[str], pronouns: set[str]) -> str:
    """Of whom is asked: a pronoun stands for the person the text begins with.

    >>> _person("Unlike Bob, Cleopatra does like to ", ["Bob is a baker."], {"he", "she"})
    'Cleopatra'
    >>> _person("So, he really does like to ", ["Bob is a baker."], {"he", "she"})
    'Bob'
    """
    if pronouns & {word.lower() for word in re.findall(r"\w+", asked)}:
        return next(iter(_capitalised(context[0])), "")
    return next(reversed(_capitalised(asked)), "")


def _capitalised(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text) if word[0].isupper()]
