"""Question tags: "You're not tall, are you?" is "You're tall, aren't you?" without its negation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from naysay.build.auxiliaries import NEGATED, STEMS
from naysay.build.reasons import LeftOut
from naysay.build.sentences import Token, apostrophe, join, like

_SUBJECTS = {
    "i", "you", "he", "she", "it", "we", "they", "one", "there", "this", "that", "these", "those",
}  # fmt: skip


@dataclass(frozen=True)
class QuestionTag:
    """Where a tag begins, its auxiliary, and its negation if it has one."""

    start: int
    auxiliary: int
    negation: int | None


def question_tag(tokens: Sequence[Token]) -> QuestionTag | None:
    """The tag at the end of a sentence, None if there is none."""
    words = [token.word for token in tokens]
    while words and words[-1] in ("", "!"):
        words.pop()
    if len(words) < 4 or words.pop() != "?":
        return None
    if words[-1] == "not" and words[-2] in _SUBJECTS:  # "are you not?"
        negation, subject = len(words) - 1, len(words) - 2
        auxiliary = subject - 1
    else:
        subject = len(words) - 1
        negation = subject - 1 if words[subject - 1] == "n't" else -1
        auxiliary = subject - 2 if negation >= 0 else subject - 1
    stem = STEMS.get(words[auxiliary], words[auxiliary]) if auxiliary > 0 else ""
    if words[subject] not in _SUBJECTS or stem not in NEGATED or words[auxiliary - 1] != ",":
        return None
    return QuestionTag(auxiliary - 1, auxiliary, negation if negation >= 0 else None)


def flipped(tokens: Sequence[Token], tag: QuestionTag) -> dict[int, str]:
    """The changes that give a tag the other polarity."""
    auxiliary = tokens[tag.auxiliary]
    if tag.negation is None:
        negated = NEGATED[auxiliary.word].replace("'", apostrophe(join(tokens)))
        return {tag.auxiliary: like(auxiliary.text, negated)}
    if tokens[tag.negation].word == "not":
        raise LeftOut("question tag")
    plain = STEMS.get(auxiliary.word, auxiliary.word)
    if plain == "are" and tokens[tag.negation + 1].word == "i":
        plain = "am"
    return {tag.auxiliary: like(auxiliary.text, plain), tag.negation: ""}
