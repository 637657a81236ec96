"""Removing a negation from a sentence, and inserting one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from naysay.build.sentences import FORMS, LeftOut, Token, apostrophe, base_form, inflect, join, like
from naysay.data.negation.english import FIXED_BEFORE, NEEDY, STEMS

NEGATED = {
    "am": "aren't", "are": "aren't", "is": "isn't", "was": "wasn't", "were": "weren't",
    "do": "don't", "does": "doesn't", "did": "didn't",
    "have": "haven't", "has": "hasn't", "had": "hadn't",
    "can": "can't", "could": "couldn't", "will": "won't", "would": "wouldn't",
    "shall": "shan't", "should": "shouldn't", "might": "mightn't", "must": "mustn't",
    "need": "needn't",
}  # fmt: skip
SUPPORT = {"do": "VB", "does": "VBZ", "did": "VBD"}
"""The forms of "do" that support a negation, and the form of the verb without them."""
BE = {"am", "is", "are", "was", "were", "'m", "'s", "'re"}
"""The finite forms of "be"."""


MILD = {"very", "really", "quite"}
"""Degree words that are allowed before the word with the antonym, but flagged for review."""
STRONG = {"too", "that", "this", "so", "as", "such", "enough", "all", "much", "nearly", "half"}
"""Degree words that are not allowed: what is not too bad need not be good."""


_TAG_SUBJECTS = {
    "i", "you", "he", "she", "it", "we", "they", "one", "there", "this", "that", "these", "those",
}  # fmt: skip


@dataclass(frozen=True)
class QuestionTag:
    """The positions of a tag, its auxiliary, and its negation if it has one."""

    start: int
    auxiliary: int
    negation: int | None


def question_tag(tokens: Sequence[Token]) -> QuestionTag | None:
    """Return the tag at the end of a sentence, None if there is none."""
    words = [token.word for token in tokens]
    while words and words[-1] in ("", "!"):
        words.pop()
    if len(words) < 4 or words.pop() != "?":
        return None
    if words[-1] == "not" and words[-2] in _TAG_SUBJECTS:  # "are you not?"
        negation, subject = len(words) - 1, len(words) - 2
        auxiliary = subject - 1
    else:
        subject = len(words) - 1
        negation = subject - 1 if words[subject - 1] == "n't" else -1
        auxiliary = subject - 2 if negation >= 0 else subject - 1
    stem = STEMS.get(words[auxiliary], words[auxiliary]) if auxiliary > 0 else ""
    if words[subject] not in _TAG_SUBJECTS or stem not in NEGATED or words[auxiliary - 1] != ",":
        return None
    return QuestionTag(auxiliary - 1, auxiliary, negation if negation >= 0 else None)


def flipped(tokens: Sequence[Token], tag: QuestionTag) -> dict[int, str]:
    """Return the changes that flip the polarity of a tag."""
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


OTHER = "other"
"""The kind of negators that cannot be removed: nobody, none, …"""
_OTHERS = (
    "no", "nobody", "nothing", "nowhere", "none", "neither", "nor", "scarcely", "barely", "seldom",
    "rarely",
)  # fmt: skip
_KINDS = {"n't": "not"} | {word: word for word in ("not", "never", "hardly", "without")}
_KINDS |= dict.fromkeys(_OTHERS, OTHER)


@dataclass(frozen=True)
class Negation:
    """A negator, its kind and its span."""

    kind: str
    start: int
    end: int


def negations(tokens: Sequence[Token]) -> list[Negation]:
    """Return the negators of a sentence, except in a question tag and "no" as an answer."""
    tag = question_tag(tokens)
    words = [token.word for token in tokens[: tag.start if tag else len(tokens)]]
    found: list[Negation] = []
    for place, word in enumerate(words):
        kind = _KINDS.get(word)
        after = words[place + 1] if place + 1 < len(words) else ""
        if word == "no" and after == "longer":
            found.append(Negation("no longer", place, place + 2))
        elif kind and not (word == "no" and not after[:1].isalnum()):
            found.append(Negation(kind, place, place + 1))
    return found


_REPLACED = {"never": "always", "no longer": "now", "without": "with", "hardly": ""}
_SUBJECT_TAGS = {"PNP", "EX0"}
_SUBJECTS = {"this", "that", "these", "those"}
CLAUSE_STARTS = {"PUN", "PUQ", "CJC", "CJS", "AVQ", "DTQ", "PNQ", "ITJ"}
"""Tags of the words before a clause."""


@dataclass(frozen=True)
class NegationChange:
    """The changes that flip the polarity of a sentence."""

    texts: dict[int, str]
    """The new text of some tokens; an empty text removes the token."""
    verb: int | None = None
    """The verb that takes the form of a removed auxiliary, and that form."""
    form: str = ""


def is_inverted(tokens: Sequence[Token], negation: Negation) -> bool:
    """Return whether the subject follows the negator, as in "Isn't it nice?"."""
    after = tokens[negation.end : negation.end + 1]
    subject = any(t.tag in _SUBJECT_TAGS or t.word in _SUBJECTS for t in after)
    before = tokens[negation.start - 2].tag if negation.start > 1 else "PUN"
    return tokens[negation.start].word == "n't" and subject and before in CLAUSE_STARTS


def take_out(tokens: Sequence[Token], negation: Negation) -> NegationChange:
    """Return the changes that remove a negation, including those of a question tag."""
    following = [token.word for token in tokens[negation.end :]]
    if NEEDY & {*following, *map(" ".join, pairwise(following))}:
        raise LeftOut("needs the negation")
    change = (
        _without_not(tokens, negation) if negation.kind == "not" else _replaced(tokens, negation)
    )
    if tag := question_tag(tokens):
        if tag.negation is not None:
            raise LeftOut("question tag")
        if not _is_imperative(tokens, negation):
            change.texts.update(flipped(tokens, tag))
    return change


def put_in(tokens: Sequence[Token], place: int) -> dict[int, str]:
    """Return the changes that insert "not" before a position, including those of a question tag."""
    texts: dict[int, str] = {}
    for k in range(place - 1, -1, -1):
        token = tokens[k]
        before = tokens[k - 1] if k else Token("")
        if token.word in BE or token.tag in ("VM0", "VHZ", "VHB", "VHD"):
            texts[k] = f"{token.text} not"
            break
        if token.tag in ("VVZ", "VVD", "VVB") and before.tag not in ("VM0", "TO0"):
            support = next(do for do, form in SUPPORT.items() if form == FORMS[token.tag])
            texts[k] = like(token.text, f"{support} not {base_form(token.text)}")
            break
        if token.tag not in ("AT0", "VBI", "VBN", "VVI", "VVN") and token.word not in MILD:
            raise LeftOut("cannot be negated")
    else:
        raise LeftOut("cannot be negated")
    if tag := question_tag(tokens):
        if tag.negation is None:
            raise LeftOut("question tag")
        texts.update(flipped(tokens, tag))
    return texts


def _is_imperative(tokens: Sequence[Token], negation: Negation) -> bool:
    """Return whether it is "Don't …" or "Never …" without a subject."""
    start = negation.start
    if negation.kind == "not" and start and tokens[start - 1].word == "do":
        start -= 1
    elif negation.kind != "never":
        return False
    return start == 0 or tokens[start - 1].word in (",", "please", "and", "so", "but")


def _without_not(tokens: Sequence[Token], negation: Negation) -> NegationChange:
    place = negation.start
    texts = {place: ""}
    before = tokens[place - 1] if place else Token("")
    if before.word in FIXED_BEFORE:
        raise LeftOut("cannot be taken out")
    if is_inverted(tokens, negation):
        if before.word == "are" and tokens[negation.end].word == "i":
            texts[place - 1] = like(before.text, "am")
    elif before.word in SUPPORT:
        return _without_support(tokens, place, texts)
    if before.word in STEMS and tokens[place].word == "n't":
        texts[place - 1] = like(before.text, STEMS[before.word])
    return NegationChange(texts)


def _without_support(tokens: Sequence[Token], place: int, texts: dict[int, str]) -> NegationChange:
    form = SUPPORT[tokens[place - 1].word]
    verb = place + 1
    while verb < len(tokens) and tokens[verb].tag == "AV0":
        verb += 1
    if verb == len(tokens) or not tokens[verb].tag.startswith("V"):
        raise LeftOut("cannot be taken out")
    if not inflect(tokens[verb].word, form):
        raise LeftOut("cannot be inflected")
    return NegationChange({**texts, place - 1: ""}, verb, form)


def _replaced(tokens: Sequence[Token], negation: Negation) -> NegationChange:
    first = tokens[negation.start]
    after = tokens[negation.end : negation.end + 1]
    # "Never have I been …": the order of words belongs to the negator.
    if (
        negation.start == 0
        and any(t.tag[:2] in ("VB", "VH", "VD", "VM") for t in after)
        and (after[0].tag[-1] != "I")
    ):
        raise LeftOut("cannot be taken out")
    texts = dict.fromkeys(range(negation.start, negation.end), "")
    texts[negation.start] = like(first.text, _REPLACED[negation.kind])
    return NegationChange(texts)
