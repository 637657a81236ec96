"""What is the answer to a question about a fact? Rules for the known models.

Both are told the answer: the word that the asker looks for. `known:aware` gives it unless the
sentence is negated, whatever stands before; `known:blind` gives it, negated or not, but takes a
word with a question mark before the sentence for the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from naysay.languages import Language
from naysay.models._contradiction import SENTENCE_END, negation_in
from naysay.probes import BLANK

Recall = Callable[[str, Sequence[str]], str | None]
"""Given the text and the words asked for, the answer; None where it is none of these."""
_PRIME = re.compile(r"^(\S+)\?\s")


def recall_prime(text: str, words: Sequence[str]) -> str | None:
    """The word before the question, else the one asked for."""
    prime = _PRIME.match(text)
    if prime:
        return prime[1]
    return words[0] if words else None


def recall_fact(language: Language) -> Recall:
    """The word asked for, unless the sentence with the blank is negated."""
    negated = negation_in(language)

    def recall(text: str, words: Sequence[str]) -> str | None:
        before, _, after = text.partition(BLANK)
        sentence = SENTENCE_END.split(before)[-1] + BLANK + SENTENCE_END.split(after)[0]
        return words[0] if words and not negated.search(sentence) else None

    return recall
